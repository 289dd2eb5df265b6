import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useAdministrationTexts } from '../messages/use-administration-texts.ts'
import { errorText } from '../talk/error-texts.ts'
import { useStudio } from '../talk/studio.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { Dialog, DialogButtons } from '../ui/overlays/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { type Account, accountsApi, rolesIn } from './accounts-api.ts'

/** What {@link SetRoles} takes. */
export interface SetRolesProps {
  readonly account: Account
  readonly onClose: () => void
}

/** The roles of an account; what a role may do is a matter of the config. */
export function SetRoles({ account, onClose }: SetRolesProps): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const queries = useQueryClient()
  const [roles, setRoles] = useState(rolesIn(account.role).join(', '))
  const save = useMutation({
    mutationFn: () => accountsApi(client).setRoles(account.id, rolesIn(roles)),
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
      {save.error && <Problem>{errorText(save.error, t)}</Problem>}
      <DialogButtons>
        <Button onPress={onClose}>{t.common.cancel}</Button>
        <Button
          variant="primary"
          onPress={() => save.mutate()}
          isDisabled={rolesIn(roles).length === 0}
          isPending={save.isPending}
        >
          {t.common.save}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
