import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useAdministrationTexts } from '../../messages/use-administration-texts.ts'
import { invitationLink } from '../../session/invitation-link.ts'
import { errorText } from '../../talk/error-texts.ts'
import { useStudio } from '../../talk/studio.ts'
import { Button } from '../../ui/controls/button.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { Dialog, DialogButtons } from '../../ui/overlays/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import styles from '../accounts.module.css'
import { rolesIn } from '../accounts-api.ts'
import { grantKeys, grantsApi } from '../grants-api.ts'
import { isConflict } from '../is-conflict.ts'
import { ShowOnce } from '../show-once.tsx'

/** For how many days an invitation lasts. */
const DAYS = [1, 7, 30] as const

/** Invites somebody by a link that is shown once, for the person to be given. */
export function Invite({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { t } = useAdministrationTexts()
  const { client, settings } = useStudio()
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [roles, setRoles] = useState('user')
  const [days, setDays] = useState('7')
  const invite = useMutation({
    mutationFn: () => grantsApi(client).invite({ email: email.trim(), roles: rolesIn(roles), days: Number(days) }),
    onSettled: () => void queries.invalidateQueries({ queryKey: grantKeys.invitations }),
  })
  const isComplete = email.includes('@') && rolesIn(roles).length > 0
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete && !invite.isPending) invite.mutate()
  }
  if (invite.isSuccess) {
    return (
      <ShowOnce
        title={t.invitations.made}
        text={t.invitations.madeText(invite.data.email)}
        secret={invitationLink(settings.path, invite.data)}
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
          label={t.invitations.lasts}
          value={days}
          options={DAYS.map((count) => ({ id: String(count), label: t.invitations.days(count) }))}
          onChange={setDays}
        />
        {invite.error && <Problem>{isConflict(invite.error) ? t.accounts.taken : errorText(invite.error, t)}</Problem>}
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
