import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useAdministrationTexts } from '../messages/use-administration-texts.ts'
import { errorText } from '../talk/error-texts.ts'
import { useStudio } from '../talk/studio.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { Dialog, DialogButtons } from '../ui/overlays/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { accountsApi, makePassword, rolesIn } from './accounts-api.ts'
import { ShowOnce } from './show-once.tsx'

/** Makes an account with a password that is shown once, for the person to be given. */
export function CreateAccount({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [roles, setRoles] = useState('user')
  const [password] = useState(makePassword)
  const create = useMutation({
    mutationFn: () => accountsApi(client).create({ name, email, password, roles: rolesIn(roles) }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['accounts'] }),
  })
  if (create.isSuccess) {
    return (
      <ShowOnce
        title={t.accounts.created}
        text={t.accounts.createdText(email)}
        secret={password}
        copy={t.accounts.copyPassword}
        onClose={onClose}
      />
    )
  }
  const isComplete = name.trim() !== '' && email.includes('@') && rolesIn(roles).length > 0
  return (
    <Dialog title={t.accounts.create} isOpen onClose={onClose}>
      <TextField label={t.session.name} value={name} onChange={setName} autoFocus isRequired />
      <TextField label={t.session.email} type="email" value={email} onChange={setEmail} isRequired />
      <TextField label={t.accounts.roles} description={t.accounts.rolesText} value={roles} onChange={setRoles} />
      {create.error && <Problem>{createErrorText(create.error)}</Problem>}
      <DialogButtons>
        <Button onPress={onClose}>{t.common.cancel}</Button>
        <Button variant="primary" onPress={() => create.mutate()} isDisabled={!isComplete} isPending={create.isPending}>
          {t.accounts.create}
        </Button>
      </DialogButtons>
    </Dialog>
  )

  function createErrorText(error: Error): string {
    // The account library answers in words of its own, in English.
    return /already/i.test(error.message) ? t.accounts.taken : errorText(error, t)
  }
}
