import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { EditorView, keymap, showTooltip, type Tooltip } from '@codemirror/view'

/** Something that the slash menu inserts. */
export interface SlashItem {
  readonly label: string
  readonly run: (view: EditorView) => void
}

/** The menu that is open. */
interface OpenSlash {
  /** Where the slash is. */
  readonly from: number
  readonly items: readonly SlashItem[]
  readonly active: number
}

const moveTo = StateEffect.define<number>()
const close = StateEffect.define<null>()

/** A menu of what can be inserted, which a slash at the beginning of a word opens. */
export function slashMenu(items: readonly SlashItem[], label: string): Extension {
  const field = StateField.define<OpenSlash | null>({
    create: () => null,
    update(open, transaction) {
      if (transaction.effects.some((effect) => effect.is(close))) return null
      const moved = transaction.effects.find((effect) => effect.is(moveTo))
      if (open && moved) return { ...open, active: moved.value }
      const isTyped = transaction.isUserEvent('input') || transaction.isUserEvent('delete')
      if (!transaction.docChanged && !transaction.selection) return open
      return open || isTyped ? find(transaction.state, items, open) : null
    },
    provide: (self) => [
      showTooltip.from(self, (open) => open && toTooltip(open, label)),
      EditorView.contentAttributes.from(
        self,
        (open): Record<string, string> =>
          open ? { 'aria-activedescendant': optionId(open.active), 'aria-controls': LIST_ID } : {},
      ),
    ],
  })
  const step = (by: number) => (view: EditorView) => {
    const open = view.state.field(field)
    if (!open) return false
    view.dispatch({ effects: moveTo.of((open.active + by + open.items.length) % open.items.length) })
    return true
  }
  const take = (view: EditorView): boolean => {
    const open = view.state.field(field)
    const item = open?.items[open.active]
    if (open && item) insert(view, open.from, item)
    return item !== undefined
  }
  const leave = (view: EditorView): boolean => {
    if (!view.state.field(field)) return false
    view.dispatch({ effects: close.of(null) })
    return true
  }
  return [
    field,
    keymap.of([
      { key: 'ArrowDown', run: step(1) },
      { key: 'ArrowUp', run: step(-1) },
      { key: 'Enter', run: take },
      { key: 'Escape', run: leave, stopPropagation: true },
    ]),
    EditorView.domEventHandlers({
      blur: (_, view) => {
        leave(view)
      },
    }),
  ]
}

/** The slash and the words after it, as far as they name something. */
function find(state: EditorState, items: readonly SlashItem[], open: OpenSlash | null): OpenSlash | null {
  const { head, empty } = state.selection.main
  const line = state.doc.lineAt(head)
  const [found, , words = ''] = /(^|\s)\/([\p{L}\d ]{0,20})$/u.exec(state.sliceDoc(line.from, head)) ?? []
  if (found === undefined || !empty) return null
  const fitting = items.filter((item) => item.label.toLowerCase().includes(words.toLowerCase()))
  const from = head - words.length - 1
  // A slash that the cursor only comes to opens nothing.
  if (fitting.length === 0 || (open === null && words !== '')) return null
  return { from, items: fitting, active: 0 }
}

/** Puts an item in the place of the slash. */
function insert(view: EditorView, from: number, item: SlashItem): void {
  view.dispatch({ changes: { from, to: view.state.selection.main.head }, effects: close.of(null) })
  item.run(view)
  view.focus()
}

const LIST_ID = 'slash-menu'
const optionId = (index: number): string => `${LIST_ID}-${index}`

function toTooltip({ from, items, active }: OpenSlash, label: string): Tooltip {
  const create = (view: EditorView) => {
    const dom = document.createElement('div')
    dom.id = LIST_ID
    dom.className = 'cm-slash'
    dom.setAttribute('role', 'listbox')
    dom.setAttribute('aria-label', label)
    dom.append(...items.map((item, index) => toOption(view, from, item, index, index === active)))
    return { dom }
  }
  return { pos: from, create, above: false }
}

function toOption(view: EditorView, from: number, item: SlashItem, index: number, isActive: boolean): HTMLElement {
  const option = document.createElement('div')
  option.id = optionId(index)
  option.setAttribute('role', 'option')
  option.setAttribute('aria-selected', String(isActive))
  option.textContent = item.label
  option.addEventListener('pointerdown', (event) => {
    event.preventDefault()
    insert(view, from, item)
  })
  return option
}
