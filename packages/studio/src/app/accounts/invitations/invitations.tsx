import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useAdministrationTexts } from '../../messages/use-administration-texts.ts'
import { errorText } from '../../talk/error-texts.ts'
import { useStudio } from '../../talk/studio.ts'
import { Button } from '../../ui/controls/button.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { Problem } from '../../ui/problem.tsx'
import styles from '../accounts.module.css'
import { grantKeys, grantsApi, type Invitation } from '../grants-api.ts'
import { Invite } from './invite.tsx'

/** The invitations that can still be used. */
export function Invitations(): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const [isInviting, setIsInviting] = useState(false)
  const { data, error } = useQuery({
    queryKey: grantKeys.invitations,
    queryFn: ({ signal }) => grantsApi(client).invitations(signal),
  })
  return (
    <section className={styles.section}>
      <div className={styles.head}>
        <h2>{t.invitations.title}</h2>
        <Button onPress={() => setIsInviting(true)}>{t.invitations.invite}</Button>
      </div>
      {error && <Problem>{errorText(error, t)}</Problem>}
      {data?.items.length === 0 && <p className={styles.note}>{t.invitations.none}</p>}
      <ul className={styles.list}>
        {data?.items.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </ul>
      {isInviting && <Invite onClose={() => setIsInviting(false)} />}
    </section>
  )
}

function InvitationRow({ invitation }: { readonly invitation: Invitation }): ReactNode {
  const { t, formats } = useAdministrationTexts()
  const { client } = useStudio()
  const queries = useQueryClient()
  const toast = useToast()
  const { id, email, roles, expiresAt } = invitation
  const withdraw = useMutation({
    mutationFn: () => grantsApi(client).withdraw(id),
    onSuccess: () => toast({ text: t.invitations.withdrawn(email) }),
    onError: (error) => toast({ kind: 'failed', text: errorText(error, t) }),
    onSettled: () => void queries.invalidateQueries({ queryKey: grantKeys.invitations }),
  })
  return (
    <li className={styles.row}>
      <div className={styles.who}>
        <p className={styles.name}>
          <bdi>{email}</bdi>
        </p>
        <p className={styles.note}>
          {roles.join(', ')} · {t.invitations.until(formats.moment(expiresAt))}
        </p>
      </div>
      <Button onPress={() => withdraw.mutate()} isPending={withdraw.isPending} label={t.invitations.withdrawOne(email)}>
        {t.invitations.withdraw}
      </Button>
    </li>
  )
}
