import type { ClipboardEvent, KeyboardEvent, PointerEvent as ReactPointerEvent, RefObject } from 'react'
import { findPressIndex, SHORTCUTS } from '../../../ui/shortcuts.ts'
import { copyItemsByEvent, readPastedItems } from './item-clipboard.ts'
import { dragItem } from './item-drag.ts'
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

/** The open menu of a list. */
export type OpenMenu =
  | { readonly kind: 'item'; readonly id: string; readonly anchor: HTMLElement }
  | { readonly kind: 'insert'; readonly index: number; readonly anchor: HTMLElement }
