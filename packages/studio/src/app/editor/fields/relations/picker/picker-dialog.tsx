import { type ReactNode, useState } from 'react'
import { useTexts } from '../../../../messages/messages.tsx'
import type { StudioCollection, StudioModel } from '../../../../model/studio-model.ts'
import { useModel } from '../../../../model/use-model.ts'
import { errorText } from '../../../../talk/error-texts.ts'
import type { Studio } from '../../../../talk/studio.ts'
import { Button } from '../../../../ui/controls/button.tsx'
import field from '../../../../ui/controls/field.module.css'
import { Select } from '../../../../ui/controls/select.tsx'
import { Dialog } from '../../../../ui/overlays/dialog.tsx'
import type { Reference } from '../reference.ts'
import { OptionList } from './option-list.tsx'
import styles from './picker.module.css'
import { choicesQuery, useChoices } from './use-choices.ts'
import { useCreation } from './use-creation.ts'

/** What a {@link PickerDialog} takes. */
export interface PickerDialogProps {
  readonly title: string
  /** The collections to choose from. */
  readonly targets: readonly string[]
  readonly chosen: readonly Reference[]
  readonly isMany: boolean
  readonly onToggle: (reference: Reference) => void
  readonly onClose: () => void
}

/** Finds the entries that a relation leads to. */
export function PickerDialog(props: PickerDialogProps): ReactNode {
  const { title, targets, onClose } = props
  const { t } = useTexts()
  const { collections } = useModel()
  const open = targets.flatMap((key) => collections.get(key) ?? [])
  const [key, setKey] = useState(() => firstOf(targets, props.chosen))
  const collection = open.find((one) => one.key === key) ?? open[0]
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {open.length > 1 && (
        <Select
          label={t.fields.collection}
          value={collection?.key ?? null}
          options={open.map((one) => ({ id: one.key, label: one.label }))}
          onChange={setKey}
          placeholder={t.common.nothingChosen}
        />
      )}
      {collection && <CollectionPicker key={collection.key} {...props} collection={collection} />}
    </Dialog>
  )
}

/** The key of the collection that a picker begins with. */
const firstOf = (targets: readonly string[], chosen: readonly Reference[]): string | undefined =>
  chosen[0]?.collection ?? targets[0]

/** Asks for what a picker shows first, before it is opened. */
export function prefetchChoices(
  { client, queries }: Studio,
  { collections }: StudioModel,
  targets: readonly string[],
  chosen: readonly Reference[],
): void {
  const collection = collections.get(firstOf(targets, chosen) ?? '')
  if (collection) void queries.prefetchInfiniteQuery(choicesQuery(client, collection))
}

function CollectionPicker(props: PickerDialogProps & { readonly collection: StudioCollection }): ReactNode {
  const { collection, chosen, isMany, onToggle, onClose } = props
  const { t } = useTexts()
  const [typed, setTyped] = useState('')
  const choices = useChoices(collection, typed)
  const ids = new Set(chosen.filter((one) => one.collection === collection.key).map(({ id }) => id))
  const take = (id: string): void => onToggle({ collection: collection.key, id })
  const create = useCreation(collection, (id) => {
    take(id)
    choices.reload()
  })
  return (
    <div className={styles.picker}>
      <OptionList
        label={t.lists.searchIn(collection.label)}
        collection={collection}
        choices={choices}
        typed={typed}
        onType={setTyped}
        isMany={isMany}
        isChosen={(id) => ids.has(id)}
        onToggle={take}
      />
      <p role="status" className={field.description}>
        <ChoicesState {...choices} />
      </p>
      {choices.error !== null && (
        <p role="alert" className={field.error}>
          {errorText(choices.error, t)}
        </p>
      )}
      <div className={styles.buttons}>
        {collection.permissions.create !== false && (
          <Button icon="plus" variant="quiet" onPress={create}>
            {t.fields.createTarget}
          </Button>
        )}
        {choices.error !== null && <Button onPress={choices.reload}>{t.common.retry}</Button>}
        <Button variant={isMany ? 'primary' : 'secondary'} onPress={onClose}>
          {isMany ? t.fields.done : t.common.cancel}
        </Button>
      </div>
    </div>
  )
}

function ChoicesState({ isLoading, total, error }: ReturnType<typeof useChoices>): ReactNode {
  const { t } = useTexts()
  if (isLoading && error === null) return t.common.loading
  if (total === 0) return t.lists.noneFound
  return total === undefined ? null : t.lists.entries(total)
}
