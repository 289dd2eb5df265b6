import { EditorSelection, EditorState, Facet } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { insertLink, type MarkdownCommand, toggleInlineMark } from '../markdown-commands.ts'
import { renderInline } from './inline-content.ts'
import {
  type CellPosition,
  deleteColumn,
  deleteRow,
  formatTable,
  insertColumn,
  insertRow,
  moveColumn,
  moveRow,
  parseTable,
  setCellText,
  type TableEdit,
} from './table-text.ts'

export interface MenuAction {
  readonly label: string
  readonly run: () => void
}

/** Opens a menu next to an element of the editor. */
export type OpenMenu = (anchor: HTMLElement, label: string, actions: readonly MenuAction[]) => void

export const menuHost = Facet.define<OpenMenu>()

/** The table around an element, where it stands in the text, and the cell that has the focus. */
interface TablePlace extends CellPosition {
  readonly root: HTMLElement
  readonly from: number
  readonly to: number
  readonly source: string
}

function getPlace(view: EditorView, element: Element): TablePlace | undefined {
  const root = element.closest<HTMLElement>('.cm-table')
  if (!root) return undefined
  const from = view.posAtDOM(root)
  const lineCount = (root.querySelector('table')?.rows.length ?? 0) + 1
  const first = view.state.doc.lineAt(from).number
  const to = view.state.doc.line(Math.min(view.state.doc.lines, first + lineCount - 1)).to
  const place = element.closest('td, th') as HTMLTableCellElement | null
  const row = (place?.parentElement as HTMLTableRowElement | null)?.rowIndex ?? 0
  return { root, from, to, source: view.state.sliceDoc(from, to), row, column: place?.cellIndex ?? 0 }
}

const findCell = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('.cm-cell') : null

/** Shows the Markdown of a cell while it is edited. */
export function handleCellFocus(view: EditorView, { type, target }: FocusEvent): void {
  const cell = findCell(target)
  if (!cell?.isContentEditable) return
  const text = cell.dataset.text ?? ''
  if (type === 'focusout') cell.replaceChildren(renderInline(text))
  else if (cell.textContent !== text) cell.textContent = text
  view.requestMeasure()
}

export function handleCellInput(view: EditorView, { target }: Event): void {
  const cell = findCell(target)
  const place = cell && getPlace(view, cell)
  if (cell && place) writeCell(view, place, cell.textContent)
}

function writeCell(view: EditorView, place: TablePlace, text: string): void {
  const { from, to, insert } = setCellText(place.source, place, text)
  view.dispatch({ changes: { from: place.from + from, to: place.from + to, insert }, userEvent: 'input.type' })
}

/** Runs a command on the cell that has the focus. @returns false if none has it */
export function formatCell(view: EditorView, command: MarkdownCommand): boolean {
  const cell = findCell(view.root.activeElement)
  const place = cell && getPlace(view, cell)
  if (!cell || !place) return false
  const doc = cell.textContent
  const { anchor, head } = readSelection(cell)
  const spec = command(EditorState.create({ doc, selection: EditorSelection.single(anchor, head) }))
  if (!spec) return true
  const { state } = EditorState.create({ doc, selection: EditorSelection.single(anchor, head) }).update(spec)
  cell.textContent = state.doc.toString()
  writeCell(view, place, cell.textContent)
  const node = cell.firstChild ?? cell
  getSelection()?.setBaseAndExtent(node, state.selection.main.anchor, node, state.selection.main.head)
  return true
}

function readSelection(cell: HTMLElement): { readonly anchor: number; readonly head: number } {
  const selection = getSelection()
  const measure = (node: Node | null, offset: number): number => {
    const range = document.createRange()
    range.selectNodeContents(cell)
    if (node && cell.contains(node)) range.setEnd(node, offset)
    return range.toString().length
  }
  if (!selection) return { anchor: 0, head: 0 }
  return {
    anchor: measure(selection.anchorNode, selection.anchorOffset),
    head: measure(selection.focusNode, selection.focusOffset),
  }
}

const CELL_FORMATS: Readonly<Record<string, MarkdownCommand>> = {
  b: toggleInlineMark('**'),
  i: toggleInlineMark('*'),
  e: toggleInlineMark('`'),
  K: insertLink,
}

/** Handles the keys of a cell. Others, such as that for saving, are those of the page. */
export function handleCellKey(view: EditorView, event: KeyboardEvent): void {
  const cell = findCell(event.target)
  const place = cell && getPlace(view, cell)
  if (!cell || !place || event.isComposing) return
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  const format = (ctrlKey || metaKey) && !altKey ? CELL_FORMATS[shiftKey ? key.toUpperCase() : key] : undefined
  const isHandled = format ? formatCell(view, format) : runKey(view, place, event, cell)
  if (!isHandled) return
  event.preventDefault()
  event.stopPropagation()
}

const CELL_KEYS: Readonly<Record<string, (view: EditorView, place: TablePlace) => boolean>> = {
  Tab: (view, place) => goToNext(view, place, 1),
  'Shift+Tab': (view, place) => goToNext(view, place, -1),
  Escape: (view, place) => leaveTable(view, place, 1),
  Enter: (view, place) => goToRow(view, place, 1),
  ArrowDown: (view, place) => goToRow(view, place, 1),
  ArrowUp: (view, place) => goToRow(view, place, -1),
  'Alt+ArrowDown': (view, place) => changeTable(view, place, moveRow(1), { row: 1 }),
  'Alt+ArrowUp': (view, place) => changeTable(view, place, moveRow(-1), { row: -1 }),
  'Alt+ArrowRight': (view, place) => changeTable(view, place, moveColumn(1), { column: 1 }),
  'Alt+ArrowLeft': (view, place) => changeTable(view, place, moveColumn(-1), { column: -1 }),
  'Alt+F10': (view, { root }) => openTableMenu(view, root),
  'Shift+F10': (view, { root }) => openTableMenu(view, root),
  ContextMenu: (view, { root }) => openTableMenu(view, root),
}

function runKey(view: EditorView, place: TablePlace, event: KeyboardEvent, cell: HTMLElement): boolean {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  if (ctrlKey || metaKey) return false
  const run = CELL_KEYS[`${altKey ? 'Alt+' : ''}${shiftKey ? 'Shift+' : ''}${key}`]
  if (run) return run(view, place)
  return !altKey && !shiftKey && leaveCellSideways(view, place, key, cell)
}

function leaveCellSideways(view: EditorView, place: TablePlace, key: string, cell: HTMLElement): boolean {
  const { anchor, head } = readSelection(cell)
  if (anchor !== head) return false
  if (key === 'ArrowRight' && head === cell.textContent.length) return goToNext(view, place, 1, false)
  return key === 'ArrowLeft' && head === 0 && goToNext(view, place, -1, false)
}

function goToNext(view: EditorView, place: TablePlace, by: 1 | -1, addsRow = true): boolean {
  const { rows, delimiters } = parseTable(place.source)
  const index = place.row * delimiters.length + place.column + by
  if (index < 0) return leaveTable(view, place, -1)
  const next = { row: Math.floor(index / delimiters.length), column: index % delimiters.length }
  if (next.row < rows.length) return focusCell(view, place.from, next)
  if (!addsRow) return leaveTable(view, place, 1)
  return changeTable(view, place, insertRow(1), { row: 1, column: -place.column })
}

function goToRow(view: EditorView, place: TablePlace, by: 1 | -1): boolean {
  const row = place.row + by
  if (row < 0 || row >= parseTable(place.source).rows.length) return leaveTable(view, place, by)
  return focusCell(view, place.from, { row, column: place.column })
}

/** Puts the cursor in the line before or behind the table, which is added if there is none. */
function leaveTable(view: EditorView, { from, to }: TablePlace, side: 1 | -1): boolean {
  const { doc } = view.state
  const isAtEdge = side === 1 ? to === doc.length : from === 0
  const insert = side === 1 ? '\n\n' : '\n'
  const at = side === 1 ? to : 0
  if (isAtEdge && !view.state.readOnly) {
    view.dispatch({ changes: { from: at, insert }, selection: { anchor: side === 1 ? at + 2 : 0 }, userEvent: 'input' })
  } else {
    view.dispatch({ selection: { anchor: side === 1 ? Math.min(to + 1, doc.length) : Math.max(0, from - 1) } })
  }
  view.focus()
  return true
}

/** Focuses a cell of the table that begins at a position. @returns false if it is not drawn */
export function focusCell(view: EditorView, from: number, { row, column }: CellPosition): boolean {
  const roots = [...view.contentDOM.querySelectorAll<HTMLElement>('.cm-table')]
  const rows = roots.find((root) => view.posAtDOM(root) === from)?.querySelector('table')?.rows
  const line = rows?.[row < 0 ? rows.length - 1 : row]
  const cell = line?.cells[column]?.firstElementChild
  if (!(cell instanceof HTMLElement)) return false
  cell.focus()
  getSelection()?.selectAllChildren(cell)
  getSelection()?.collapseToEnd()
  return true
}

function changeTable(view: EditorView, place: TablePlace, edit: TableEdit, by: Partial<CellPosition> = {}): boolean {
  if (view.state.readOnly) return true
  const { from, to, source } = place
  const table = edit(parseTable(source), place)
  const insert = table ? formatTable(table, source) : ''
  view.dispatch({ changes: { from, to, insert }, userEvent: 'input.format' })
  const row = Math.min(Math.max(0, place.row + (by.row ?? 0)), (table?.rows.length ?? 1) - 1)
  const column = Math.min(Math.max(0, place.column + (by.column ?? 0)), (table?.delimiters.length ?? 1) - 1)
  if (!table) view.dispatch({ selection: { anchor: from } })
  if (!table || !focusCell(view, from, { row, column })) view.focus()
  return true
}

const TABLE_ACTIONS: readonly (readonly [string, TableEdit, Partial<CellPosition>?])[] = [
  ['Insert row above', insertRow(0)],
  ['Insert row below', insertRow(1), { row: 1 }],
  ['Insert column before', insertColumn(0)],
  ['Insert column after', insertColumn(1), { column: 1 }],
  ['Move row up', moveRow(-1), { row: -1 }],
  ['Move row down', moveRow(1), { row: 1 }],
  ['Move column back', moveColumn(-1), { column: -1 }],
  ['Move column forward', moveColumn(1), { column: 1 }],
  ['Delete row', deleteRow],
  ['Delete column', deleteColumn],
  ['Delete table', () => null],
]

/** Opens the menu of a table. Its actions change the row or column of the cell that has the focus, else the first one. */
export function openTableMenu(view: EditorView, root: HTMLElement): boolean {
  const active = root.ownerDocument.activeElement
  const cell = active && root.contains(active) ? findCell(active) : root.querySelector('.cm-cell')
  const anchor = root.querySelector<HTMLElement>('.cm-table-menu')
  const [openMenu] = view.state.facet(menuHost)
  if (!cell || !anchor || !openMenu) return false
  const place = getPlace(view, cell)
  if (!place) return false
  const actions = TABLE_ACTIONS.map(([label, edit, by]) => ({
    label: view.state.phrase(label),
    run: () => changeTable(view, { ...place, source: view.state.sliceDoc(place.from, place.to) }, edit, by),
  }))
  openMenu(anchor, view.state.phrase('Table'), actions)
  return true
}
