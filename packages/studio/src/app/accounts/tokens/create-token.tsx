import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useAdministrationTexts } from '../../messages/use-administration-texts.ts'
import { errorText } from '../../talk/error-texts.ts'
import { useStudio } from '../../talk/studio.ts'
import { Button } from '../../ui/controls/button.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { Dialog, DialogButtons } from '../../ui/overlays/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import styles from '../accounts.module.css'
import { grantKeys, grantsApi } from '../grants-api.ts'
import { isConflict } from '../is-conflict.ts'
import { ShowOnce } from '../show-once.tsx'
import { ScopeTable } from './scope-table.tsx'

/** What many tokens are for; `some` is chosen by collection. */
const PURPOSES = { read: ['*:read'], some: [], export: ['export'], all: ['*'] } as const
type Purpose = keyof typeof PURPOSES

/** For how many days a token lasts; `never`: until it is revoked. */
const DAYS = ['30', '90', '365', 'never'] as const

/** Makes a token for a program, which is shown once. */
export function CreateToken({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [purpose, setPurpose] = useState<Purpose>('read')
  const [some, setSome] = useState<ReadonlySet<string>>(new Set())
  const [days, setDays] = useState<string>('90')
  const scopes = purpose === 'some' ? [...some] : PURPOSES[purpose]
  const create = useMutation({
    mutationFn: () =>
      grantsApi(client).createToken({
        name: name.trim(),
        scopes,
        roles: ['service'],
        days: days === 'never' ? undefined : Number(days),
      }),
    onSettled: () => void queries.invalidateQueries({ queryKey: grantKeys.tokens }),
  })
  const isComplete = name.trim() !== '' && scopes.length > 0
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete && !create.isPending) create.mutate()
  }
  if (create.isSuccess) {
    return (
      <ShowOnce
        title={t.tokens.created}
        text={t.tokens.createdText}
        secret={create.data.token}
        copy={t.tokens.copy}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog title={t.tokens.create} isOpen onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label={t.tokens.name}
          description={t.tokens.nameText}
          value={name}
          onChange={setName}
          maxLength={100}
          autoFocus
          isRequired
        />
        <ChoiceField
          label={t.tokens.purpose}
          value={purpose}
          options={Object.keys(PURPOSES).map((id) => ({ id, label: t.tokens.purposes[id as Purpose] }))}
          onChange={(id) => setPurpose(id as Purpose)}
        />
        {purpose === 'some' && <ScopeTable scopes={some} onChange={setSome} />}
        <ChoiceField
          label={t.invitations.lasts}
          value={days}
          options={DAYS.map((id) => ({
            id,
            label: id === 'never' ? t.tokens.forever : t.invitations.days(Number(id)),
          }))}
          onChange={setDays}
        />
        {create.error && <Problem>{isConflict(create.error) ? t.tokens.taken : errorText(create.error, t)}</Problem>}
        <DialogButtons>
          <Button onPress={onClose}>{t.common.cancel}</Button>
          <Button variant="primary" type="submit" isDisabled={!isComplete} isPending={create.isPending}>
            {t.tokens.create}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
