import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import type { FieldPath } from '../../saving/field-path.ts'
import { keyOf } from '../../saving/item-keys.ts'
import type { FieldEditorProps } from '../field-editor.ts'
import { useFocusAfter } from './focus-after.ts'
import { type FoldState, useFoldState } from './fold-state.ts'
import { itemInAddress } from './item-in-address.ts'
import { type ItemKind, kindsOf } from './item-kinds.ts'
import { type Items, toItems } from './list-changes.ts'
import { ListCommands } from './list-commands.ts'

/** A list as it is now, with what changes it. */
export interface ItemList {
  readonly kinds: readonly ItemKind[]
  readonly items: Items
  /** Names of the items, which stay theirs while they move. */
  readonly ids: readonly string[]
  readonly folds: FoldState
  /** The same object as long as the list is there. */
  readonly commands: ListCommands
  /** What was done last, for those who cannot see it. */
  readonly said: string
  readonly root: RefObject<HTMLDivElement | null>
  pathOf(id: string, index: number): FieldPath
  /** Whether no more items fit. */
  readonly isFull: boolean
}

/** The id of an item while it moves: its key, or its index if it has none. */
const idOf = (item: unknown, index: number): string => keyOf(item) ?? `#${index}`

/** Keeps a list of items. */
export function useItemList({ field, path, place, value, onChange }: FieldEditorProps): ItemList {
  const { t } = useTexts()
  const kinds = useMemo(() => kindsOf(field), [field])
  const items = toItems(value)
  const ids = items.map(idOf)
  const [folds, foldChanges] = useFoldState(items.length, () => ids[itemInAddress(place) ?? -1])
  const [said, setSaid] = useState('')
  const root = useRef<HTMLDivElement>(null)
  const focus = useFocusAfter(root, items)
  const now = useRef({ field, items, ids, kinds, t })
  useLayoutEffect(() => {
    now.current = { field, items, ids, kinds, t }
  })
  const commands = useMemo(() => {
    return new ListCommands({ now: () => now.current, idOf, put: onChange, folds: foldChanges, focus, say: setSaid })
  }, [onChange, foldChanges, focus])
  const most = field.schema.maxItems
  const isFull = typeof most === 'number' && items.length >= most
  return { kinds, items, ids, folds, commands, said, root, pathOf: usePaths(path), isFull }
}

/** Paths of the items, the same arrays as long as they are the same items. */
function usePaths(path: FieldPath): (id: string, index: number) => FieldPath {
  return useMemo(() => {
    const known = new Map<string, FieldPath>()
    return (id, index) => {
      const found = known.get(id) ?? [...path, id.startsWith('#') ? index : { item: id }]
      known.set(id, found)
      return found
    }
  }, [path])
}
