import { type EditorView, WidgetType } from '@codemirror/view'
import { handleCellFocus, handleCellInput, handleCellKey, openTableMenu } from './cell-events.ts'
import { renderInline } from './inline-content.ts'
import { parseTable, type TextTable } from './table-text.ts'

/** A table of a text, whose cells are edited in place. */
export class TableWidget extends WidgetType {
  readonly source: string
  readonly #isReadOnly: boolean

  constructor(source: string, isReadOnly: boolean) {
    super()
    this.source = source
    this.#isReadOnly = isReadOnly
  }

  override eq(other: TableWidget): boolean {
    return this.source === other.source && this.#isReadOnly === other.#isReadOnly
  }

  override get estimatedHeight(): number {
    return this.source.split('\n').length * ROW_HEIGHT
  }

  toDOM(view: EditorView): HTMLElement {
    const root = document.createElement('div')
    root.className = 'cm-table'
    root.contentEditable = 'false'
    const menu = document.createElement('button')
    menu.type = 'button'
    menu.className = 'cm-table-menu'
    menu.textContent = view.state.phrase('Table')
    menu.tabIndex = -1
    menu.hidden = this.#isReadOnly
    menu.setAttribute('aria-haspopup', 'menu')
    // The focus stays in the cell that the menu changes.
    menu.addEventListener('mousedown', (event) => event.preventDefault())
    menu.addEventListener('click', () => openTableMenu(view, root))
    const scroller = document.createElement('div')
    scroller.className = 'cm-table-scroller'
    scroller.append(document.createElement('table'))
    root.append(menu, scroller)
    root.addEventListener('focusin', (event) => handleCellFocus(view, event))
    root.addEventListener('focusout', (event) => handleCellFocus(view, event))
    root.addEventListener('input', (event) => handleCellInput(view, event))
    root.addEventListener('beforeinput', (event) => {
      // Undoing belongs to the document, whose steps the browser does not know.
      if (event.inputType.startsWith('history')) event.preventDefault()
    })
    root.addEventListener('keydown', (event) => handleCellKey(view, event))
    this.#fill(root, view)
    return root
  }

  override updateDOM(root: HTMLElement, view: EditorView): boolean {
    this.#fill(root, view)
    return true
  }

  override ignoreEvent(): boolean {
    return true
  }

  #fill(root: HTMLElement, view: EditorView): void {
    const table = root.querySelector('table')
    if (!table) return
    const model = parseTable(this.source)
    const isSameShape =
      table.rows.length === model.rows.length && table.rows[0]?.cells.length === model.delimiters.length
    if (!isSameShape || root.dataset.readOnly !== String(this.#isReadOnly)) {
      table.replaceChildren(...createParts(model, this.#isReadOnly, view))
    }
    root.dataset.readOnly = String(this.#isReadOnly)
    for (const [row, texts] of model.rows.entries()) {
      for (const [column, text] of texts.entries()) {
        const cell = table.rows[row]?.cells[column]?.firstElementChild
        if (cell instanceof HTMLElement) updateCell(cell, text, getAlignment(model.delimiters[column]))
      }
    }
  }
}

/** The usual height of a row, in pixels. */
const ROW_HEIGHT = 38

function createParts(model: TextTable, isReadOnly: boolean, view: EditorView): readonly HTMLElement[] {
  const [head, body] = [document.createElement('thead'), document.createElement('tbody')]
  for (const [row, texts] of model.rows.entries()) {
    const line = document.createElement('tr')
    line.append(
      ...texts.map((_, column) => {
        const place = document.createElement(row === 0 ? 'th' : 'td')
        const cell = document.createElement('div')
        cell.className = 'cm-cell'
        cell.dir = 'auto'
        if (!isReadOnly) makeEditable(cell, view.state.phrase('Row $1, column $2', row + 1, column + 1))
        place.append(cell)
        return place
      }),
    )
    const part = row === 0 ? head : body
    part.append(line)
  }
  return body.hasChildNodes() ? [head, body] : [head]
}

function makeEditable(cell: HTMLElement, label: string): void {
  cell.contentEditable = 'plaintext-only'
  // The text has one stop of the Tab key; in the table, keys move between the cells.
  cell.tabIndex = -1
  cell.setAttribute('role', 'textbox')
  cell.setAttribute('aria-label', label)
}

function updateCell(cell: HTMLElement, text: string, alignment: string): void {
  cell.dataset.alignment = alignment
  const isFocused = cell === cell.ownerDocument.activeElement
  const isSame = isFocused ? cell.textContent.trim() === text : cell.dataset.text === text
  cell.dataset.text = text
  if (isSame) return
  if (isFocused) cell.textContent = text
  else cell.replaceChildren(renderInline(text))
}

function getAlignment(delimiter = ''): string {
  const isEnd = delimiter.endsWith(':')
  if (isEnd && delimiter.startsWith(':')) return 'center'
  return isEnd ? 'end' : 'start'
}
