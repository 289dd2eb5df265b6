import { EditorSelection } from '@codemirror/state'
import { EditorView, type KeyBinding } from '@codemirror/view'
import { focusCell } from './cell-events.ts'
import { getTables } from './table-ranges.ts'

/** Moves the focus into a table if the cursor would move over its edge. */
const enterTable =
  (key: 'up' | 'down' | 'left' | 'right') =>
  (view: EditorView): boolean => {
    const { main } = view.state.selection
    if (!main.empty) return false
    const isForward = key === 'down' || key === 'right'
    const isVertical = key === 'up' || key === 'down'
    const next = isVertical
      ? view.moveVertically(main, isForward)
      : view.moveByChar(EditorSelection.cursor(main.head), isForward)
    const table = getTables(view.state).find(({ from, to }) =>
      isForward ? from > main.head && from <= next.head : to < main.head && to >= next.head,
    )
    return table !== undefined && focusCell(view, table.from, { row: isForward ? 0 : -1, column: 0 })
  }

/** Goes to the table before or behind the cursor instead of joining a line to it. */
const stopAtTable =
  (side: 1 | -1) =>
  (view: EditorView): boolean => {
    const { main } = view.state.selection
    const table = getTables(view.state).find(({ from, to }) =>
      side === 1 ? from === main.head + 1 : to === main.head - 1,
    )
    if (!main.empty || !table) return false
    return focusCell(view, table.from, { row: side === 1 ? 0 : -1, column: 0 })
  }

export const TABLE_KEYS: readonly KeyBinding[] = [
  { key: 'ArrowDown', run: enterTable('down') },
  { key: 'ArrowUp', run: enterTable('up') },
  { key: 'ArrowRight', run: enterTable('right') },
  { key: 'ArrowLeft', run: enterTable('left') },
  { key: 'Backspace', run: stopAtTable(-1) },
  { key: 'Delete', run: stopAtTable(1) },
]

/** Separates words that are typed next to a table from it, since they would be a row of it, and from the paragraph below them. */
export const separateFromTable = EditorView.inputHandler.of((view, from, to, text) => {
  const { state } = view
  const line = state.doc.lineAt(from)
  if (line.length > 0 || from !== to || text.startsWith('\n')) return false
  const tables = getTables(state)
  const isBelow = tables.some((table) => table.to === from - 1)
  const isAbove = tables.some((table) => table.from === from + 1)
  if (!isBelow && !isAbove) return false
  const isAboveText = line.number < state.doc.lines && state.doc.line(line.number + 1).length > 0
  const before = isBelow ? '\n' : ''
  const insert = `${before}${text}${isAboveText ? '\n' : ''}`
  const selection = { anchor: from + before.length + text.length }
  view.dispatch({ changes: { from, insert }, selection, userEvent: 'input.type', scrollIntoView: true })
  return true
})
