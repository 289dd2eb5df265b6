import type { ClipboardEvent, KeyboardEvent, PointerEvent, RefObject } from 'react'
import { findPressIndex, SHORTCUTS } from '../../../ui/shortcuts.ts'
import { copyItemsByEvent, readPastedItems } from './item-clipboard.ts'
import { dragItem } from './item-drag.ts'
import type { ListCommands } from './list-commands.ts'

/** What an item tells its list; the same object as long as the list is there. */
export interface ItemHandlers {
  onToggle(id: string, isFolded: boolean): void
  onMenu(id: string, anchor: HTMLElement): void
  onInsert(id: string, anchor: HTMLElement): void
  onGrip(id: string, event: PointerEvent<HTMLElement>): void
  onKeys(id: string, event: KeyboardEvent<HTMLElement>): void
  /** Told when the focus leaves a value of one line: an empty one goes. */
  onLeave(id: string): void
  onCopy(id: string, event: ClipboardEvent<HTMLElement>): void
  onPaste(id: string, event: ClipboardEvent<HTMLElement>): void
}

/** Up and down. */
const STEPS: readonly number[] = [-1, 1]

/** Makes what the items of a list tell it. */
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
      const moved = STEPS[findPressIndex(SHORTCUTS.entries.moveItem, event)]
      const gone = STEPS[findPressIndex(SHORTCUTS.entries.goToItem, event)]
      if (moved === undefined && gone === undefined) return
      event.preventDefault()
      event.stopPropagation()
      if (moved !== undefined) commands.move(id, (index) => index + moved)
      else if (gone !== undefined) focusBeside(event.currentTarget, gone)
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

/** Goes to the same part of the item above or below. */
function focusBeside(from: HTMLElement, step: number): void {
  const row = from.closest('[data-item]')
  const other = step < 0 ? row?.previousElementSibling : row?.nextElementSibling
  other?.querySelector<HTMLElement>(`[data-part="${from.dataset.part}"]`)?.focus()
}

/** The menu of a list that is open. */
export type OpenMenu =
  | { readonly kind: 'item'; readonly id: string; readonly anchor: HTMLElement }
  | { readonly kind: 'insert'; readonly index: number; readonly anchor: HTMLElement }
