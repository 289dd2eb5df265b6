import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useStudio } from '../api/studio.ts'
import { useAdministrationTexts } from '../messages/messages.tsx'
import { useModel } from '../model/use-model.ts'
import { Button } from '../ui/controls/button.tsx'
import { Checkbox } from '../ui/controls/checkbox.tsx'
import { ChoiceField } from '../ui/controls/choice-field.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Dialog, DialogButtons } from '../ui/overlays/dialog.tsx'
import { SecretDialog } from './account-dialogs.tsx'
import styles from './accounts.module.css'
import { grantKeys, isConflict, makeGrantsApi } from './accounts-api.ts'

/** Scopes by purpose; those of `some` are chosen by collection. */
const PURPOSES = { read: ['*:read'], some: [], export: ['export'], all: ['*'] } as const
type Purpose = keyof typeof PURPOSES

/** The lifetimes of tokens in days; `never` expires only by revocation. */
const LIFETIMES = ['30', '90', '365', 'never'] as const

/** Creates an access token, whose secret is shown once. */
export function CreateTokenDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
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
      makeGrantsApi(client).createToken({
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
      <SecretDialog
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
          label={t.invitations.lifetime}
          value={days}
          options={LIFETIMES.map((id) => ({
            id,
            label: id === 'never' ? t.tokens.forever : t.invitations.days(Number(id)),
          }))}
          onChange={setDays}
        />
        {create.error && (
          <FormError>{isConflict(create.error) ? t.tokens.nameTaken : getErrorText(create.error, t)}</FormError>
        )}
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

const ACTIONS = ['read', 'create', 'update', 'delete'] as const
/** A global can be neither created nor deleted. */
const GLOBAL_ACTIONS = ['read', 'update'] as const

interface ScopeTableProps {
  /** Such as `posts:update`, `globals.site:read`. */
  readonly scopes: ReadonlySet<string>
  readonly onChange: (scopes: ReadonlySet<string>) => void
}

function ScopeTable({ scopes, onChange }: ScopeTableProps): ReactNode {
  const { t } = useAdministrationTexts()
  const { collections, globals } = useModel()
  const documents = [
    ...[...collections.values()].map(({ key, label }) => ({ name: key, label, actions: ACTIONS })),
    ...[...globals.values()].map(({ key, label }) => ({ name: `globals.${key}`, label, actions: GLOBAL_ACTIONS })),
  ]
  const toggle = (scope: string, isOn: boolean): void => {
    const next = new Set(scopes)
    if (isOn) next.add(scope)
    else next.delete(scope)
    onChange(next)
  }
  return (
    <div className={styles.scopes}>
      {documents.map(({ name, label, actions }) => (
        <fieldset key={name} className={styles.scope}>
          <legend>{label}</legend>
          {actions.map((action) => (
            <Checkbox
              key={action}
              label={t.tokens.actions[action]}
              isSelected={scopes.has(`${name}:${action}`)}
              onChange={(isOn) => toggle(`${name}:${action}`, isOn)}
            />
          ))}
        </fieldset>
      ))}
    </div>
  )
}
