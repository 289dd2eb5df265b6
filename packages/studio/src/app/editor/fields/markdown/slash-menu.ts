import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { EditorView, keymap, showTooltip, type Tooltip } from '@codemirror/view'

export interface SlashItem {
  readonly label: string
  readonly run: (view: EditorView) => void
}

interface OpenMenu {
  /** The position of the slash. */
  readonly from: number
  readonly items: readonly SlashItem[]
  readonly active: number
}

const moveTo = StateEffect.define<number>()
const close = StateEffect.define<null>()

/** A menu of insertable items that opens with a slash at the beginning of a word. */
export function createSlashMenu(items: readonly SlashItem[], label: string): Extension {
  const field = StateField.define<OpenMenu | null>({
    create: () => null,
    update(open, transaction) {
      if (transaction.effects.some((effect) => effect.is(close))) return null
      const moved = transaction.effects.find((effect) => effect.is(moveTo))
      if (open && moved) return { ...open, active: moved.value }
      const isTyped = transaction.isUserEvent('input') || transaction.isUserEvent('delete')
      if (!transaction.docChanged && !transaction.selection) return open
      return open || isTyped ? findMenu(transaction.state, items, open) : null
    },
    provide: (self) => [
      showTooltip.from(self, (open) => open && createTooltip(open, label)),
      EditorView.contentAttributes.from(
        self,
        (open): Record<string, string> =>
          open ? { 'aria-activedescendant': getOptionId(open.active), 'aria-controls': LIST_ID } : {},
      ),
    ],
  })
  const step = (by: number) => (view: EditorView) => {
    const open = view.state.field(field)
    if (!open) return false
    view.dispatch({ effects: moveTo.of((open.active + by + open.items.length) % open.items.length) })
    return true
  }
  const insertActive = (view: EditorView): boolean => {
    const open = view.state.field(field)
    const item = open?.items[open.active]
    if (open && item) insert(view, open.from, item)
    return item !== undefined
  }
  const closeMenu = (view: EditorView): boolean => {
    if (!view.state.field(field)) return false
    view.dispatch({ effects: close.of(null) })
    return true
  }
  return [
    field,
    keymap.of([
      { key: 'ArrowDown', run: step(1) },
      { key: 'ArrowUp', run: step(-1) },
      { key: 'Enter', run: insertActive },
      { key: 'Escape', run: closeMenu, stopPropagation: true },
    ]),
    EditorView.domEventHandlers({
      blur: (_, view) => {
        closeMenu(view)
      },
    }),
  ]
}

/** Finds the slash before the cursor, and the items that match the words after it. */
function findMenu(state: EditorState, items: readonly SlashItem[], open: OpenMenu | null): OpenMenu | null {
  const { head, empty } = state.selection.main
  const line = state.doc.lineAt(head)
  const [match, , words = ''] = /(^|\s)\/([\p{L}\d ]{0,20})$/u.exec(state.sliceDoc(line.from, head)) ?? []
  if (match === undefined || !empty) return null
  const matchingItems = items.filter((item) => item.label.toLowerCase().includes(words.toLowerCase()))
  const from = head - words.length - 1
  // Moving the cursor to an existing slash does not open the menu.
  if (matchingItems.length === 0 || (open === null && words !== '')) return null
  return { from, items: matchingItems, active: 0 }
}

/** Replaces the slash by an item. */
function insert(view: EditorView, from: number, item: SlashItem): void {
  view.dispatch({ changes: { from, to: view.state.selection.main.head }, effects: close.of(null) })
  view.focus()
  item.run(view)
}

const LIST_ID = 'slash-menu'
const getOptionId = (index: number): string => `${LIST_ID}-${index}`

function createTooltip({ from, items, active }: OpenMenu, label: string): Tooltip {
  const create = (view: EditorView) => {
    const dom = document.createElement('div')
    dom.id = LIST_ID
    dom.className = 'cm-slash'
    dom.setAttribute('role', 'listbox')
    dom.setAttribute('aria-label', label)
    dom.append(...items.map((item, index) => createOption(view, from, item, index, index === active)))
    return { dom }
  }
  return { pos: from, create, above: false }
}

function createOption(view: EditorView, from: number, item: SlashItem, index: number, isActive: boolean): HTMLElement {
  const option = document.createElement('div')
  option.id = getOptionId(index)
  option.setAttribute('role', 'option')
  option.setAttribute('aria-selected', String(isActive))
  option.textContent = item.label
  option.addEventListener('pointerdown', (event) => {
    event.preventDefault()
    insert(view, from, item)
  })
  return option
}
