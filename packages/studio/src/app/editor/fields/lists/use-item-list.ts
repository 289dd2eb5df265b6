import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import type { FieldPath } from '../../saving/document-fields.ts'
import { getItemKey } from '../../saving/field-values.ts'
import type { FieldEditorProps } from '../field-editor.ts'
import { type FoldState, useFoldState } from './fold-state.ts'
import { type ItemKind, type Items, listItemKinds, toItems } from './items.ts'
import { type ItemPart, ListCommands } from './list-commands.ts'

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
  readonly announcement: string
  readonly root: RefObject<HTMLDivElement | null>
  getPath(id: string, index: number): FieldPath
  /** Whether no more items fit. */
  readonly isFull: boolean
}

/** The id of an item while it moves: its key, or its index if it has none. */
const idOf = (item: unknown, index: number): string => getItemKey(item) ?? `#${index}`

/** Keeps a list of items. */
export function useItemList({ field, path, place, value, onChange }: FieldEditorProps): ItemList {
  const { t } = useTexts()
  const kinds = useMemo(() => listItemKinds(field), [field])
  const items = toItems(value)
  const ids = items.map(idOf)
  const [folds, foldChanges] = useFoldState(items.length, () => ids[findItemInAddress(place) ?? -1])
  const [said, setSaid] = useState('')
  const root = useRef<HTMLDivElement>(null)
  const focus = useDeferredFocus(root, items)
  const now = useRef({ field, items, ids, kinds, t })
  useLayoutEffect(() => {
    now.current = { field, items, ids, kinds, t }
  })
  const commands = useMemo(() => {
    return new ListCommands({
      getList: () => now.current,
      getId: idOf,
      setItems: onChange,
      folds: foldChanges,
      focus,
      announce: setSaid,
    })
  }, [onChange, foldChanges, focus])
  const most = field.schema.maxItems
  const isFull = typeof most === 'number' && items.length >= most
  return { kinds, items, ids, folds, commands, announcement: said, root, getPath: usePaths(path), isFull }
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

const FIELDS = 'input:not([type="hidden"]), textarea, select, [contenteditable="true"], button'

/** What is to have the focus. */
interface FocusTarget {
  readonly id: string | undefined
  readonly part: ItemPart
  /** What was drawn when it was wanted. */
  readonly items: Items
}

/**
 * Gives the focus to a part of an item once the list that it is in is drawn; without an item, to what adds one.
 *
 * @param items of the list: one that is moved is drawn in its former place until they change
 */
export function useDeferredFocus(
  root: RefObject<HTMLElement | null>,
  items: Items,
): (id: string | undefined, part: ItemPart) => void {
  const wanted = useRef<FocusTarget>(undefined)
  const drawn = useRef(items)
  useEffect(() => {
    drawn.current = items
    if (!wanted.current || !root.current || wanted.current.items === items) return
    const target = find(root.current, wanted.current)
    if (!target) return
    wanted.current = undefined
    // A menu that closes gives the focus back to what opened it, a frame later.
    requestAnimationFrame(() => requestAnimationFrame(() => target.focus()))
  })
  return useCallback((id, part) => {
    wanted.current = { id, part, items: drawn.current }
  }, [])
}

function find(root: HTMLElement, { id, part }: FocusTarget): HTMLElement | null {
  if (id === undefined) return root.querySelector('[data-part="add"] :is(button, input)')
  const row = root.querySelector(`[data-item="${CSS.escape(id)}"]`)
  const usual = row?.querySelector<HTMLElement>('[data-part="menu"]') ?? null
  if (part !== 'field') return row?.querySelector<HTMLElement>(`[data-part="${part}"]`) ?? usual
  return row?.querySelector('[data-part="body"]')?.querySelector<HTMLElement>(FIELDS) ?? usual
}

/** The item of a list that the address of the page leads into, by `?field=`. @param list its place, with dots between */
function findItemInAddress(list: string): number | undefined {
  const place = new URLSearchParams(location.search).get('field') ?? ''
  const [index = ''] = place.startsWith(`${list}.`) ? place.slice(list.length + 1).split('.') : []
  return /^\d+$/.test(index) ? Number(index) : undefined
}
