import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useState } from 'react'
import type { ListPage } from '../../api/client.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { ChoiceField } from '../../ui/controls/choice-field.tsx'
import { SearchField } from '../../ui/controls/search-field.tsx'
import { Dialog, DialogButtons } from '../../ui/overlays/dialog.tsx'
import type { ListView } from '../list-view.ts'
import styles from './move-dialog.module.css'
import type { EntryTreeRow } from './tree-rows.ts'
import type { TreePlace } from './use-tree-moves.ts'

export interface MoveDialogProps {
  readonly view: ListView
  readonly row: EntryTreeRow
  readonly onMove: (place: TreePlace) => void
  readonly onClose: () => void
}

/** The maximum number of entries that are offered. */
const MAX_ENTRIES = 20

type Side = 'below' | 'before' | 'after'

/** Chooses the new place of an entry: below, before or after another one. */
export default function MoveDialog({ view, row, onMove, onClose }: MoveDialogProps): ReactNode {
  const { t } = useTexts()
  const { collection } = view
  const texts = t.lists.order
  const [text, setText] = useState('')
  const [side, setSide] = useState<Side>('below')
  const [chosen, setChosen] = useState<string>()
  const items = useTargets(view, useDeferredValue(text.trim())).filter(({ id }) => id !== row.id)
  const target = items.find(({ id }) => id === chosen)
  const move = (): void => {
    if (!target) return
    onMove(toPlace(target, side, collection.parentField ?? ''))
    onClose()
  }
  const sides: readonly Side[] = collection.orderable ? ['below', 'before', 'after'] : ['below']
  return (
    <Dialog title={texts.move(getEntryTitle(collection, row.item) ?? t.lists.untitled)} isOpen onClose={onClose}>
      {sides.length > 1 && (
        <ChoiceField
          label={texts.place}
          value={side}
          options={sides.map((id) => ({ id, label: texts.sides[id] }))}
          onChange={(id) => setSide(sides.find((option) => option === id) ?? 'below')}
        />
      )}
      {collection.searchable && (
        <SearchField label={t.lists.searchIn(collection.label)} value={text} onChange={setText} />
      )}
      <ul className={styles.options} aria-label={collection.label}>
        {items.map((item) => (
          <li key={item.id}>
            <label className={styles.option}>
              <input type="radio" name="target" checked={item.id === chosen} onChange={() => setChosen(item.id)} />
              <bdi>{getEntryTitle(collection, item) ?? t.lists.untitled}</bdi>
            </label>
          </li>
        ))}
      </ul>
      <DialogButtons>
        <Button onPress={onClose}>{t.common.cancel}</Button>
        <Button variant="primary" isDisabled={!target} onPress={move}>
          {texts.moveNow}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

function toPlace(target: ListPage['items'][number], side: Side, parentField: string): TreePlace {
  if (side === 'below') return { parent: target.id }
  const parent = (target as Readonly<Record<string, unknown>>)[parentField]
  return { parent: typeof parent === 'string' ? parent : null, [side]: target.id }
}

function useTargets({ collection }: ListView, q: string): ListPage['items'] {
  const { key, titleField, parentField } = collection
  const { client } = useStudio()
  const query = {
    ...(q === '' ? {} : { q }),
    select: [titleField ?? 'id', parentField ?? 'id'],
    limit: Math.min(MAX_ENTRIES, collection.maxLimit),
  }
  const { data } = useQuery({
    queryKey: [...queryKeys.lists(key), 'offered', query],
    queryFn: async ({ signal }) =>
      (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage,
    placeholderData: keepPreviousData,
  })
  return data?.items ?? []
}
