import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { getErrorText } from '../../../api/error-texts.ts'
import type { Studio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import { getCreateText, type StudioCollection, type StudioModel } from '../../../model/studio-model.ts'
import { useModel } from '../../../model/use-model.ts'
import { Button } from '../../../ui/controls/button.tsx'
import fieldStyles from '../../../ui/controls/field.module.css'
import { Select } from '../../../ui/controls/select.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { CreateTargetContext } from '../field-editor.ts'
import { OptionList } from './option-list.tsx'
import styles from './picker.module.css'
import type { Reference } from './relation-targets.ts'
import { buildChoicesQuery, useChoices } from './use-choices.ts'

export interface PickerDialogProps {
  readonly title: string
  /** The collections to choose from. */
  readonly targets: readonly string[]
  readonly chosen: readonly Reference[]
  readonly isMany: boolean
  readonly onToggle: (reference: Reference) => void
  readonly onClose: () => void
}

export function PickerDialog(props: PickerDialogProps): ReactNode {
  const { title, targets, onClose } = props
  const { t } = useTexts()
  const { collections } = useModel()
  const targetCollections = targets.flatMap((target) => collections.get(target) ?? [])
  const [key, setKey] = useState(() => getFirstKey(targets, props.chosen))
  const collection = targetCollections.find((candidate) => candidate.key === key) ?? targetCollections[0]
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {targetCollections.length > 1 && (
        <Select
          label={t.fields.collection}
          value={collection?.key ?? null}
          options={targetCollections.map((target) => ({ id: target.key, label: target.label }))}
          onChange={setKey}
          placeholder={t.common.nothingChosen}
        />
      )}
      {collection && <CollectionPicker key={collection.key} {...props} collection={collection} />}
    </Dialog>
  )
}

/** Returns the key of the collection that the picker shows first. */
const getFirstKey = (targets: readonly string[], chosen: readonly Reference[]): string | undefined =>
  chosen[0]?.collection ?? targets[0]

/** Loads the first page of a picker before it opens. */
export function prefetchChoices(
  { client, queries }: Studio,
  { collections }: StudioModel,
  targets: readonly string[],
  chosen: readonly Reference[],
): void {
  const collection = collections.get(getFirstKey(targets, chosen) ?? '')
  if (collection) void queries.prefetchInfiniteQuery(buildChoicesQuery(client, collection))
}

function CollectionPicker(props: PickerDialogProps & { readonly collection: StudioCollection }): ReactNode {
  const { collection, chosen, isMany, onToggle, onClose } = props
  const { t } = useTexts()
  const [typed, setTyped] = useState('')
  const choices = useChoices(collection, typed)
  const ids = new Set(chosen.filter((reference) => reference.collection === collection.key).map(({ id }) => id))
  const toggle = (id: string): void => onToggle({ collection: collection.key, id })
  const title = typed.trim()
  const create = useCreateTarget(collection, title, (id) => {
    toggle(id)
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
        onToggle={toggle}
      />
      <p role="status" className={fieldStyles.description}>
        <ChoicesState {...choices} />
      </p>
      {choices.error !== null && (
        <p role="alert" className={fieldStyles.error}>
          {getErrorText(choices.error, t)}
        </p>
      )}
      <div className={styles.buttons}>
        {collection.permissions.create !== false && (
          <Button icon="plus" variant="quiet" onPress={create}>
            {title === '' ? getCreateText(collection, t) : t.palette.createTitled(getCreateText(collection, t), title)}
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
 * Returns a function that creates a target: in a dialog if the form has one, otherwise in another tab, whose entry is taken when the user
 * returns.
 *
 * @param title the first value of its title; may be empty
 * @param onCreated receives the id of the new entry
 */
function useCreateTarget({ key }: StudioCollection, title: string, onCreated: (id: string) => void): () => void {
  const router = useRouter()
  const openCreate = useContext(CreateTargetContext)
  const tab = useRef<Window>(null)
  const latestOnCreated = useRef(onCreated)
  useEffect(() => {
    latestOnCreated.current = onCreated
  })
  useEffect(() => {
    const checkTab = (): void => {
      const id = tab.current && getCreatedId(tab.current, key)
      if (id === null || id === undefined) return
      tab.current = null
      latestOnCreated.current(id)
    }
    addEventListener('focus', checkTab)
    return () => removeEventListener('focus', checkTab)
  }, [key])
  return () => {
    if (openCreate) return openCreate(key, title, onCreated)
    const link = {
      to: '/c/$collection/$id',
      params: { collection: key, id: 'new' },
      search: title === '' ? {} : { title },
    } as const
    tab.current = open(router.buildLocation(link).publicHref, '_blank')
  }
}

/** Returns the id of the stored entry that another tab shows; `undefined` if it shows none. */
function getCreatedId(tab: Window, collection: string): string | undefined {
  try {
    const [, openCollection, id] = /\/c\/([^/]+)\/([0-9a-f-]{36})$/.exec(tab.location.pathname) ?? []
    return openCollection === collection ? id : undefined
  } catch {
    // The tab has left the Studio.
    return undefined
  }
}
