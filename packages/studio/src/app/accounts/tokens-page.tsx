import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useStudio } from '../api/studio.ts'
import { useAdministrationTexts } from '../messages/messages.tsx'
import { ErrorNotice, Page } from '../shell/page.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/controls/button.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { Notice } from '../ui/notice.tsx'
import { ConfirmDialog } from '../ui/overlays/dialog.tsx'
import { useToast } from '../ui/overlays/toasts.tsx'
import styles from './accounts.module.css'
import { grantKeys, makeGrantsApi, type Token } from './accounts-api.ts'
import { CreateTokenDialog } from './create-token.tsx'

export function TokensPage(): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const [isCreating, setIsCreating] = useState(false)
  const list = useQuery({
    queryKey: grantKeys.tokens,
    queryFn: ({ signal }) => makeGrantsApi(client).tokens(signal),
  })
  return (
    <Page
      title={t.overview.tokens}
      actions={
        <Button variant="primary" icon="plus" onPress={() => setIsCreating(true)}>
          {t.tokens.create}
        </Button>
      }
    >
      {list.isPending && <LoadingPlaceholder label={t.common.loading} />}
      {list.error && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.items.length === 0 && <Notice title={t.tokens.none} text={t.tokens.noneText} />}
      <ul className={styles.list}>
        {list.data?.items.map((token) => (
          <TokenRow key={token.id} token={token} />
        ))}
      </ul>
      {isCreating && <CreateTokenDialog onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

function TokenRow({ token }: { readonly token: Token }): ReactNode {
  const { t, formats } = useAdministrationTexts()
  const { client } = useStudio()
  const queries = useQueryClient()
  const toast = useToast()
  const [isConfirming, setIsConfirming] = useState(false)
  const { id, name, prefix, scopes, expiresAt, lastUsedAt } = token
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  const revoke = useMutation({
    mutationFn: () => makeGrantsApi(client).revoke(id),
    onSuccess: () => toast({ text: t.tokens.revoked(name) }),
    onError: (error) => toast({ kind: 'failed', text: getErrorText(error, t) }),
    onSettled: () => void queries.invalidateQueries({ queryKey: grantKeys.tokens }),
  })
  return (
    <li className={styles.row}>
      <div className={styles.who}>
        <p className={styles.name}>
          <bdi>{name}</bdi>
          {isExpired && <Badge tone="waiting">{t.tokens.expired}</Badge>}
        </p>
        <p className={styles.note}>
          <code>{prefix}…</code> · {scopes.join(', ')}
        </p>
        <p className={styles.note}>
          {expiresAt === null ? t.tokens.forever : t.invitations.validUntil(formats.moment(expiresAt))} ·{' '}
          {lastUsedAt === null ? t.tokens.unused : t.tokens.used(formats.ago(lastUsedAt))}
        </p>
      </div>
      <Button onPress={() => setIsConfirming(true)} isPending={revoke.isPending} label={t.tokens.revokeOne(name)}>
        {t.tokens.revoke}
      </Button>
      <ConfirmDialog
        title={t.tokens.revokeTitle(name)}
        text={t.tokens.revokeText}
        isOpen={isConfirming}
        confirm={t.tokens.revoke}
        cancel={t.common.cancel}
        onCancel={() => setIsConfirming(false)}
        onConfirm={() => {
          setIsConfirming(false)
          revoke.mutate()
        }}
      />
    </li>
  )
}
