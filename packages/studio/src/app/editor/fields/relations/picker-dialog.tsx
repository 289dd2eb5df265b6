import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { getErrorText } from '../../../api/error-texts.ts'
import type { Studio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import type { StudioCollection, StudioModel } from '../../../model/studio-model.ts'
import { useModel } from '../../../model/use-model.ts'
import { Button } from '../../../ui/controls/button.tsx'
import field from '../../../ui/controls/field.module.css'
import { Select } from '../../../ui/controls/select.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { CreateTargetContext } from '../field-editor.ts'
import { OptionList } from './option-list.tsx'
import styles from './picker.module.css'
import type { Reference } from './relation-targets.ts'
import { buildChoicesQuery, useChoices } from './use-choices.ts'

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
  if (collection) void queries.prefetchInfiniteQuery(buildChoicesQuery(client, collection))
}

function CollectionPicker(props: PickerDialogProps & { readonly collection: StudioCollection }): ReactNode {
  const { collection, chosen, isMany, onToggle, onClose } = props
  const { t } = useTexts()
  const [typed, setTyped] = useState('')
  const choices = useChoices(collection, typed)
  const ids = new Set(chosen.filter((one) => one.collection === collection.key).map(({ id }) => id))
  const take = (id: string): void => onToggle({ collection: collection.key, id })
  const create = useCreateTarget(collection, (id) => {
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
          {getErrorText(choices.error, t)}
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

/**
 * Makes an entry to refer to: in a dialog where the form offers one, else in another tab, from where it is taken when the person is back.
 *
 * @param onCreated told its id
 */
export function useCreateTarget({ key }: StudioCollection, onCreated: (id: string) => void): () => void {
  const router = useRouter()
  const openCreate = useContext(CreateTargetContext)
  const tab = useRef<Window>(null)
  const created = useRef(onCreated)
  useEffect(() => {
    created.current = onCreated
  })
  useEffect(() => {
    const look = (): void => {
      const id = tab.current && createdIn(tab.current, key)
      if (id === null || id === undefined) return
      tab.current = null
      created.current(id)
    }
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  }, [key])
  return () => {
    if (openCreate) return openCreate(key, onCreated)
    const place = { to: '/c/$collection/$id', params: { collection: key, id: 'new' } } as const
    tab.current = open(router.buildLocation(place).publicHref, '_blank')
  }
}

/** The entry that a tab of the Studio shows; `undefined`: none that is stored. */
function createdIn(tab: Window, collection: string): string | undefined {
  try {
    const [, found, id] = /\/c\/([^/]+)\/([0-9a-f-]{36})$/.exec(tab.location.pathname) ?? []
    return found === collection ? id : undefined
  } catch {
    // It has left the Studio.
    return undefined
  }
}
