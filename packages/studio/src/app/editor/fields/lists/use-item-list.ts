import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import type { FieldPath } from '../../saving/document-fields.ts'
import { getItemKey } from '../../saving/field-values.ts'
import type { FieldEditorProps } from '../field-editor.ts'
import { type FoldState, useFoldState } from './fold-state.ts'
import { type ItemKind, type Items, listItemKinds, toItems } from './items.ts'
import { type ItemPart, ListCommands } from './list-commands.ts'

export interface ItemList {
  readonly kinds: readonly ItemKind[]
  readonly items: Items
  /** Ids of the items, which stay the same while items move. */
  readonly ids: readonly string[]
  readonly folds: FoldState
  /** Stays the same object while the list is mounted. */
  readonly commands: ListCommands
  /** The last change, for screen readers. */
  readonly announcement: string
  readonly root: RefObject<HTMLDivElement | null>
  getPath(id: string, index: number): FieldPath
  /** True if the list has reached its maximum length. */
  readonly isFull: boolean
}

/** Returns the id of an item: its key, or its index if it has none. */
const getId = (item: unknown, index: number): string => getItemKey(item) ?? `#${index}`

export function useItemList({ field, path, place, value, onChange }: FieldEditorProps): ItemList {
  const { t } = useTexts()
  const kinds = useMemo(() => listItemKinds(field), [field])
  const items = toItems(value)
  const ids = items.map(getId)
  const [folds, foldActions] = useFoldState(items.length, () => ids[findItemInAddress(place) ?? -1])
  const [announcement, setAnnouncement] = useState('')
  const root = useRef<HTMLDivElement>(null)
  const focus = useDeferredFocus(root, items)
  const latestList = useRef({ field, items, ids, kinds, t })
  useLayoutEffect(() => {
    latestList.current = { field, items, ids, kinds, t }
  })
  const commands = useMemo(() => {
    return new ListCommands({
      getList: () => latestList.current,
      getId,
      setItems: onChange,
      folds: foldActions,
      focus,
      announce: setAnnouncement,
    })
  }, [onChange, foldActions, focus])
  const { maxItems } = field.schema
  const isFull = typeof maxItems === 'number' && items.length >= maxItems
  return { kinds, items, ids, folds, commands, announcement, root, getPath: usePaths(path), isFull }
}

/** Returns the paths of items, as the same arrays for the same items. */
function usePaths(path: FieldPath): (id: string, index: number) => FieldPath {
  return useMemo(() => {
    const paths = new Map<string, FieldPath>()
    return (id, index) => {
      const itemPath = paths.get(id) ?? [...path, id.startsWith('#') ? index : { item: id }]
      paths.set(id, itemPath)
      return itemPath
    }
  }, [path])
}

const FOCUSABLE = 'input:not([type="hidden"]), textarea, select, [contenteditable="true"], button'

interface FocusTarget {
  readonly id: string | undefined
  readonly part: ItemPart
  /** The items that were rendered at the time of the request. */
  readonly items: Items
}

/**
 * Returns a function that focuses a part of an item after the list has rendered; without an item, the control that adds one.
 *
 * @param items the items of the list. Until they change, a moved item is still at its former position
 */
export function useDeferredFocus(
  root: RefObject<HTMLElement | null>,
  items: Items,
): (id: string | undefined, part: ItemPart) => void {
  const target = useRef<FocusTarget>(undefined)
  const renderedItems = useRef(items)
  useEffect(() => {
    renderedItems.current = items
    if (!target.current || !root.current || target.current.items === items) return
    const element = findElement(root.current, target.current)
    if (!element) return
    target.current = undefined
    // A closing menu returns the focus to its button a frame later.
    requestAnimationFrame(() => requestAnimationFrame(() => element.focus()))
  })
  return useCallback((id, part) => {
    target.current = { id, part, items: renderedItems.current }
  }, [])
}

function findElement(root: HTMLElement, { id, part }: FocusTarget): HTMLElement | null {
  if (id === undefined) return root.querySelector('[data-part="add"] :is(button, input)')
  const row = root.querySelector(`[data-item="${CSS.escape(id)}"]`)
  const menuButton = row?.querySelector<HTMLElement>('[data-part="menu"]') ?? null
  if (part !== 'field') return row?.querySelector<HTMLElement>(`[data-part="${part}"]`) ?? menuButton
  return row?.querySelector('[data-part="body"]')?.querySelector<HTMLElement>(FOCUSABLE) ?? menuButton
}

/** Returns the index of the item that `?field=` in the URL leads into. @param list the dotted path of the list */
function findItemInAddress(list: string): number | undefined {
  const place = new URLSearchParams(location.search).get('field') ?? ''
  const [index = ''] = place.startsWith(`${list}.`) ? place.slice(list.length + 1).split('.') : []
  return /^\d+$/.test(index) ? Number(index) : undefined
}
