import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { Items } from './list-changes.ts'
import type { ItemPart } from './list-commands.ts'

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
export function useFocusAfter(
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
