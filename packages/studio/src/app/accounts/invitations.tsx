import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useStudio } from '../api/studio.ts'
import { useAdministrationTexts } from '../messages/messages.tsx'
import { makeInvitationLink } from '../session/auth-actions.ts'
import { Button } from '../ui/controls/button.tsx'
import { ChoiceField } from '../ui/controls/choice-field.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Dialog, DialogButtons } from '../ui/overlays/dialog.tsx'
import { useToast } from '../ui/overlays/toasts.tsx'
import { SecretDialog } from './account-dialogs.tsx'
import styles from './accounts.module.css'
import { grantKeys, type Invitation, isConflict, makeGrantsApi, parseRoles } from './accounts-api.ts'

export function Invitations(): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const [isInviting, setIsInviting] = useState(false)
  const { data, error } = useQuery({
    queryKey: grantKeys.invitations,
    queryFn: ({ signal }) => makeGrantsApi(client).invitations(signal),
  })
  return (
    <section className={styles.section}>
      <div className={styles.head}>
        <h2>{t.invitations.title}</h2>
        <Button onPress={() => setIsInviting(true)}>{t.invitations.invite}</Button>
      </div>
      {error && <FormError>{getErrorText(error, t)}</FormError>}
      {data?.items.length === 0 && <p className={styles.note}>{t.invitations.none}</p>}
      <ul className={styles.list}>
        {data?.items.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </ul>
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
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
    mutationFn: () => makeGrantsApi(client).withdraw(id),
    onSuccess: () => toast({ text: t.invitations.withdrawn(email) }),
    onError: (error) => toast({ kind: 'failed', text: getErrorText(error, t) }),
    onSettled: () => void queries.invalidateQueries({ queryKey: grantKeys.invitations }),
  })
  return (
    <li className={styles.row}>
      <div className={styles.who}>
        <p className={styles.name}>
          <bdi>{email}</bdi>
        </p>
        <p className={styles.note}>
          {roles.join(', ')} · {t.invitations.validUntil(formats.moment(expiresAt))}
        </p>
      </div>
      <Button onPress={() => withdraw.mutate()} isPending={withdraw.isPending} label={t.invitations.withdrawOne(email)}>
        {t.invitations.withdraw}
      </Button>
    </li>
  )
}

/** The lifetimes of invitations, in days. */
const LIFETIMES = [1, 7, 30] as const

/** Creates an invitation, whose link is shown once. */
function InviteDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { t } = useAdministrationTexts()
  const { client, settings } = useStudio()
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [roles, setRoles] = useState('user')
  const [days, setDays] = useState('7')
  const invite = useMutation({
    mutationFn: () =>
      makeGrantsApi(client).invite({ email: email.trim(), roles: parseRoles(roles), days: Number(days) }),
    onSettled: () => void queries.invalidateQueries({ queryKey: grantKeys.invitations }),
  })
  const isComplete = email.includes('@') && parseRoles(roles).length > 0
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete && !invite.isPending) invite.mutate()
  }
  if (invite.isSuccess) {
    return (
      <SecretDialog
        title={t.invitations.created}
        text={t.invitations.createdText(invite.data.email)}
        secret={makeInvitationLink(settings.path, invite.data)}
        copy={t.invitations.copyLink}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog title={t.invitations.invite} isOpen onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <TextField label={t.session.email} type="email" value={email} onChange={setEmail} autoFocus isRequired />
        <TextField label={t.accounts.roles} description={t.accounts.rolesText} value={roles} onChange={setRoles} />
        <ChoiceField
          label={t.invitations.lifetime}
          value={days}
          options={LIFETIMES.map((count) => ({ id: String(count), label: t.invitations.days(count) }))}
          onChange={setDays}
        />
        {invite.error && (
          <FormError>{isConflict(invite.error) ? t.accounts.addressTaken : getErrorText(invite.error, t)}</FormError>
        )}
        <DialogButtons>
          <Button onPress={onClose}>{t.common.cancel}</Button>
          <Button variant="primary" type="submit" isDisabled={!isComplete} isPending={invite.isPending}>
            {t.invitations.makeLink}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
