import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useStudio } from '../api/studio.ts'
import { useAdministrationTexts, useTexts } from '../messages/messages.tsx'
import { Button } from '../ui/controls/button.tsx'
import { Checkbox } from '../ui/controls/checkbox.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Dialog, DialogButtons } from '../ui/overlays/dialog.tsx'
import styles from './accounts.module.css'
import { type Account, makeAccountsApi, makePassword, parseRoles } from './accounts-api.ts'
import { useKnownRoles } from './use-all-accounts.ts'

/** Creates an account with a random password, which is shown once. */
export function CreateAccountDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [roles, setRoles] = useState('user')
  const [password] = useState(makePassword)
  const create = useMutation({
    mutationFn: () => makeAccountsApi(client).create({ name, email, password, roles: parseRoles(roles) }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['accounts'] }),
  })
  if (create.isSuccess) {
    return (
      <SecretDialog
        title={t.accounts.created}
        text={t.accounts.createdText(email)}
        secret={password}
        copy={t.accounts.copyPassword}
        onClose={onClose}
      />
    )
  }
  const isComplete = name.trim() !== '' && email.includes('@') && parseRoles(roles).length > 0
  return (
    <Dialog title={t.accounts.create} isOpen onClose={onClose}>
      <TextField label={t.session.name} value={name} onChange={setName} autoFocus isRequired />
      <TextField label={t.session.email} type="email" value={email} onChange={setEmail} isRequired />
      <TextField label={t.accounts.roles} description={t.accounts.rolesText} value={roles} onChange={setRoles} />
      {create.error && <FormError>{getCreateErrorText(create.error)}</FormError>}
      <DialogButtons>
        <Button onPress={onClose}>{t.common.cancel}</Button>
        <Button variant="primary" onPress={() => create.mutate()} isDisabled={!isComplete} isPending={create.isPending}>
          {t.accounts.create}
        </Button>
      </DialogButtons>
    </Dialog>
  )

  function getCreateErrorText(error: Error): string {
    // The account library has no code for this, only an English message.
    return /already/i.test(error.message) ? t.accounts.addressTaken : getErrorText(error, t)
  }
}

interface SetRolesDialogProps {
  readonly account: Account
  readonly onClose: () => void
}

export function SetRolesDialog({ account, onClose }: SetRolesDialogProps): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const queries = useQueryClient()
  const [roles, setRoles] = useState(parseRoles(account.role).join(', '))
  const knownRoles = useKnownRoles()
  const chosen = parseRoles(roles)
  const toggle = (role: string, isOn: boolean): void =>
    setRoles((isOn ? [...chosen, role] : chosen.filter((other) => other !== role)).join(', '))
  const save = useMutation({
    mutationFn: () => makeAccountsApi(client).setRoles(account.id, parseRoles(roles)),
    onSuccess: onClose,
    onSettled: () => void queries.invalidateQueries({ queryKey: ['accounts'] }),
  })
  return (
    <Dialog title={t.accounts.rolesOf(account.name)} isOpen onClose={onClose}>
      <TextField
        label={t.accounts.roles}
        description={t.accounts.rolesText}
        value={roles}
        onChange={setRoles}
        autoFocus
        spellCheck="false"
      />
      <fieldset className={styles.known}>
        <legend className={styles.note}>{t.roles.known}</legend>
        {knownRoles.map((role) => (
          <Checkbox
            key={role}
            label={role}
            isSelected={chosen.includes(role)}
            onChange={(isOn) => toggle(role, isOn)}
          />
        ))}
      </fieldset>
      {save.error && <FormError>{getErrorText(save.error, t)}</FormError>}
      <DialogButtons>
        <Button onPress={onClose}>{t.common.cancel}</Button>
        <Button
          variant="primary"
          onPress={() => save.mutate()}
          isDisabled={parseRoles(roles).length === 0}
          isPending={save.isPending}
        >
          {t.common.save}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

/** Replaces a forgotten password by a random one, which is shown once. */
export function ResetPasswordDialog({ account, onClose }: SetRolesDialogProps): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const [password] = useState(makePassword)
  const reset = useMutation({ mutationFn: () => makeAccountsApi(client).setPassword(account.id, password) })
  if (reset.isSuccess) {
    return (
      <SecretDialog
        title={t.accounts.passwordReset}
        text={t.accounts.createdText(account.email)}
        secret={password}
        copy={t.accounts.copyPassword}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog title={t.accounts.newPasswordOf(account.name)} isOpen onClose={onClose}>
      <p>{t.accounts.newPasswordText}</p>
      {reset.error && <FormError>{getErrorText(reset.error, t)}</FormError>}
      <DialogButtons>
        <Button onPress={onClose}>{t.common.cancel}</Button>
        <Button variant="primary" onPress={() => reset.mutate()} isPending={reset.isPending}>
          {t.accounts.newPassword}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

interface SecretDialogProps {
  readonly title: string
  readonly text: string
  readonly secret: string
  /** The label of the button that copies the secret. */
  readonly copy: string
  readonly onClose: () => void
}

/** Shows a secret that cannot be shown again. Escape does not close the dialog. */
export function SecretDialog({ title, text, secret, copy, onClose }: SecretDialogProps): ReactNode {
  const { t } = useTexts()
  const [isCopied, setIsCopied] = useState(false)
  const copySecret = (): void => void navigator.clipboard.writeText(secret).then(() => setIsCopied(true))
  return (
    <Dialog title={title} isOpen>
      <p>{text}</p>
      <code className={styles.secret}>{secret}</code>
      <DialogButtons>
        <Button icon={isCopied ? 'check' : 'copy'} onPress={copySecret}>
          {isCopied ? t.common.copied : copy}
        </Button>
        <Button variant="primary" onPress={onClose}>
          {t.common.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
