import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useStudio } from '../api/studio.ts'
import { useAdministrationTexts } from '../messages/messages.tsx'
import { useAcceptsInvitations } from '../session/auth-actions.ts'
import { useSession } from '../session/use-session.ts'
import { ErrorNotice, Page } from '../shell/page.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/controls/button.tsx'
import { SearchField } from '../ui/controls/search-field.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { ConfirmDialog } from '../ui/overlays/dialog.tsx'
import { useToast } from '../ui/overlays/toasts.tsx'
import { CreateAccountDialog, ResetPasswordDialog, SetRolesDialog } from './account-dialogs.tsx'
import styles from './accounts.module.css'
import { ACCOUNTS_PAGE_SIZE, type Account, makeAccountsApi, parseRoles } from './accounts-api.ts'
import { Invitations } from './invitations.tsx'

const ACCOUNTS = ['accounts']

export function AccountsPage(): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const api = useMemo(() => makeAccountsApi(client), [client])
  const [search, setSearch] = useState('')
  const [isCreating, setIsCreating] = useState(false)
  const takesInvitations = useAcceptsInvitations()
  const list = useInfiniteQuery({
    queryKey: [...ACCOUNTS, search.trim()],
    queryFn: ({ pageParam, signal }) => api.list(search.trim(), pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) =>
      pages.length * ACCOUNTS_PAGE_SIZE < total ? pages.length * ACCOUNTS_PAGE_SIZE : undefined,
    placeholderData: (previous) => previous,
  })
  // Without the list, there is nothing to manage.
  const isRejected = list.isError && list.data === undefined
  const accounts = list.data?.pages.flatMap(({ users }) => users) ?? []
  return (
    <Page
      title={t.overview.accounts}
      actions={
        !isRejected && (
          <Button variant="primary" icon="plus" onPress={() => setIsCreating(true)}>
            {t.accounts.create}
          </Button>
        )
      }
    >
      {!isRejected && <SearchField label={t.accounts.search} value={search} onChange={setSearch} />}
      {list.isPending && <LoadingPlaceholder label={t.common.loading} />}
      {list.error && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && accounts.length === 0 && <p className={styles.note}>{t.accounts.noneFound}</p>}
      <ul className={styles.list}>
        {accounts.map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </ul>
      {list.hasNextPage && (
        <div>
          <Button onPress={() => void list.fetchNextPage()} isPending={list.isFetchingNextPage}>
            {t.assets.more}
          </Button>
        </div>
      )}
      {takesInvitations && <Invitations />}
      {isCreating && <CreateAccountDialog onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

function AccountRow({ account }: { readonly account: Account }): ReactNode {
  const { t, formats } = useAdministrationTexts()
  const { client } = useStudio()
  const { identity } = useSession()
  const queries = useQueryClient()
  const toast = useToast()
  const [open, setOpen] = useState<'roles' | 'password' | 'ban'>()
  const { id, name, email, role, banned, createdAt } = account
  const isOwn = identity?.subject === id
  const change = useMutation({
    mutationFn: () => (banned ? makeAccountsApi(client).unban(id) : makeAccountsApi(client).ban(id)),
    onSuccess: () => toast({ text: banned ? t.accounts.unbanned(name) : t.accounts.banned(name) }),
    onError: (error) => toast({ kind: 'failed', text: getErrorText(error, t) }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ACCOUNTS }),
  })
  return (
    <li className={styles.row}>
      <div className={styles.who}>
        <p className={styles.name}>
          <bdi>{name}</bdi>
          {isOwn && <Badge>{t.people.you}</Badge>}
          {banned && <Badge tone="waiting">{t.accounts.isBanned}</Badge>}
        </p>
        <p className={styles.note}>
          <bdi>{email}</bdi> · {parseRoles(role).join(', ') || t.accounts.noRoles} ·{' '}
          <time dateTime={createdAt}>{formats.ago(createdAt)}</time>
        </p>
      </div>
      {!isOwn && (
        <div className={styles.actions}>
          <Button onPress={() => setOpen('roles')} label={t.accounts.rolesOf(name)}>
            {t.accounts.roles}
          </Button>
          <Button onPress={() => setOpen('password')} label={t.accounts.newPasswordOf(name)}>
            {t.accounts.newPassword}
          </Button>
          <Button
            onPress={() => (banned ? change.mutate() : setOpen('ban'))}
            isPending={change.isPending}
            label={banned ? t.accounts.unbanOne(name) : t.accounts.banOne(name)}
          >
            {banned ? t.accounts.unban : t.accounts.ban}
          </Button>
        </div>
      )}
      {open === 'roles' && <SetRolesDialog account={account} onClose={() => setOpen(undefined)} />}
      {open === 'password' && <ResetPasswordDialog account={account} onClose={() => setOpen(undefined)} />}
      <ConfirmDialog
        title={t.accounts.banTitle(name)}
        text={t.accounts.banText}
        isOpen={open === 'ban'}
        confirm={t.accounts.ban}
        cancel={t.common.cancel}
        onCancel={() => setOpen(undefined)}
        onConfirm={() => {
          setOpen(undefined)
          change.mutate()
        }}
      />
    </li>
  )
}
