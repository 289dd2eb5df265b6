import type { ClipboardEvent, KeyboardEvent, PointerEvent as ReactPointerEvent, RefObject } from 'react'
import { findPressIndex, SHORTCUTS } from '../../../ui/shortcuts.ts'
import { copyItemsByEvent, readPastedItems } from './item-clipboard.ts'
import type { ListCommands } from './list-commands.ts'

/** The event handlers of the items of a list. It stays the same object while the list is mounted. */
export interface ItemHandlers {
  onToggle(id: string, isFolded: boolean): void
  onMenu(id: string, anchor: HTMLElement): void
  onInsert(id: string, anchor: HTMLElement): void
  onGrip(id: string, event: ReactPointerEvent<HTMLElement>): void
  onKeys(id: string, event: KeyboardEvent<HTMLElement>): void
  /** Removes an empty one-line value that has lost the focus. */
  onLeave(id: string): void
  onCopy(id: string, event: ClipboardEvent<HTMLElement>): void
  onPaste(id: string, event: ClipboardEvent<HTMLElement>): void
}

/** The steps of the shortcuts for up and down. */
const STEPS: readonly number[] = [-1, 1]

export function createItemHandlers(
  commands: ListCommands,
  root: RefObject<HTMLElement | null>,
  openMenu: (menu: OpenMenu) => void,
): ItemHandlers {
  return {
    onToggle: (id, isFolded) => commands.folds.set(id, isFolded),
    onMenu: (id, anchor) => openMenu({ kind: 'item', id, anchor }),
    onInsert: (id, anchor) => openMenu({ kind: 'insert', index: commands.indexOf(id), anchor }),
    onGrip(id, event) {
      const list = root.current?.querySelector<HTMLElement>('[data-part="items"]')
      const mark = root.current?.querySelector<HTMLElement>('[data-part="mark"]')
      const item = event.currentTarget.closest<HTMLElement>('[data-item]')
      if (!list || !mark || !item || event.button !== 0) return
      event.preventDefault()
      const onDrop = (gap: number): void => commands.move(id, (index) => (gap > index ? gap - 1 : gap))
      dragItem(event.nativeEvent, { list, item, mark, onDrop })
    },
    onKeys(id, event) {
      const moveStep = STEPS[findPressIndex(SHORTCUTS.entries.moveItem, event)]
      const focusStep = STEPS[findPressIndex(SHORTCUTS.entries.goToItem, event)]
      if (moveStep === undefined && focusStep === undefined) return
      event.preventDefault()
      event.stopPropagation()
      if (moveStep !== undefined) commands.move(id, (index) => index + moveStep)
      else if (focusStep !== undefined) focusNeighbour(event.currentTarget, focusStep)
    },
    onLeave(id) {
      const item = commands.getItem(id)
      if (item === null || item === '') commands.drop(id)
    },
    onCopy(id, event) {
      if (!getSelection()?.isCollapsed) return
      event.preventDefault()
      event.stopPropagation()
      copyItemsByEvent(event.clipboardData, [commands.getItem(id)])
    },
    onPaste(id, event) {
      const items = readPastedItems(event.clipboardData)
      if (!items) return
      event.preventDefault()
      event.stopPropagation()
      commands.paste(items, commands.indexOf(id) + 1)
    },
  }
}

/** Focuses the same part of the item above or below. */
function focusNeighbour(from: HTMLElement, step: number): void {
  const row = from.closest('[data-item]')
  const neighbour = step < 0 ? row?.previousElementSibling : row?.nextElementSibling
  neighbour?.querySelector<HTMLElement>(`[data-part="${from.dataset.part}"]`)?.focus()
}

export type OpenMenu =
  | { readonly kind: 'item'; readonly id: string; readonly anchor: HTMLElement }
  | { readonly kind: 'insert'; readonly index: number; readonly anchor: HTMLElement }

/** The distance that the pointer moves before a drag begins, in pixels. */
const MIN_DISTANCE_PX = 4
/** The distance from the edge at which the page scrolls, and the step per frame, in pixels. */
const EDGE_PX = 64
const SCROLL_PX = 14

interface DragOptions {
  /** The element whose children are the items. */
  readonly list: HTMLElement
  readonly item: HTMLElement
  /** The line that marks the drop position. */
  readonly mark: HTMLElement
  /** Called after a drop. @param gap the number of items above the drop position */
  readonly onDrop: (gap: number) => void
}

/**
 * Drags an item of a list by mouse or touch. Escape cancels.
 *
 * This is not react-aria's `useDragAndDrop`, which needs a `GridList`. Its arrow keys and typeahead would interfere with the forms inside the
 * rows, touch would need a long press, and it adds about 40 KiB (gzip) to an editor with a budget of 60. Keyboard users move items by their menus,
 * or by Alt with arrow keys.
 */
function dragItem(start: PointerEvent, { list, item, mark, onDrop }: DragOptions): void {
  const scroller = list.closest('main') ?? document.documentElement
  const ending = new AbortController()
  const { signal } = ending
  let y = start.clientY
  let gap: number | undefined
  let frame = 0
  const show = (): void => {
    gap = findGap(list, y)
    item.dataset.dragged = ''
    mark.hidden = false
    mark.style.insetBlockStart = `${getMarkTop(list, gap)}px`
  }
  const scroll = (): void => {
    const { top, bottom } = scroller.getBoundingClientRect()
    const step =
      y < Math.max(top, 0) + EDGE_PX ? -SCROLL_PX : y > Math.min(bottom, innerHeight) - EDGE_PX ? SCROLL_PX : 0
    if (step !== 0 && gap !== undefined) {
      scroller.scrollBy({ top: step, behavior: 'instant' })
      show()
    }
    frame = requestAnimationFrame(scroll)
  }
  const end = (): void => {
    ending.abort()
    cancelAnimationFrame(frame)
    delete item.dataset.dragged
    mark.hidden = true
  }
  const onMove = (event: PointerEvent): void => {
    y = event.clientY
    if (gap !== undefined || Math.abs(y - start.clientY) > MIN_DISTANCE_PX) show()
  }
  const onUp = (): void => {
    end()
    if (gap !== undefined) onDrop(gap)
  }
  addEventListener('pointermove', onMove, { signal })
  addEventListener('pointerup', onUp, { signal })
  addEventListener('pointercancel', end, { signal })
  addEventListener('keydown', (event) => event.key === 'Escape' && end(), { signal })
  frame = requestAnimationFrame(scroll)
}

const getItems = (list: HTMLElement): readonly Element[] => [...list.querySelectorAll(':scope > [data-item]')]

/** Counts the items whose centre is above a vertical position on the screen. */
function findGap(list: HTMLElement, y: number): number {
  const items = getItems(list)
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const { top, height } = items[middle]?.getBoundingClientRect() ?? { top: 0, height: 0 }
    if (top + height / 2 < y) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the position of a gap within the list. */
function getMarkTop(list: HTMLElement, gap: number): number {
  const items = getItems(list)
  const { top } = list.getBoundingClientRect()
  const next = items[gap]
  return next ? next.getBoundingClientRect().top - top : (items.at(-1)?.getBoundingClientRect().bottom ?? top) - top
}
