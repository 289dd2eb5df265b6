import { syntaxTree } from '@codemirror/language'
import { type EditorState, type Extension, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import { hasFocusWithin } from '../formatted/editor-focus.ts'
import { TableWidget } from './table-widget.ts'

/** The whole lines of a table. */
export interface TableRange {
  readonly from: number
  readonly to: number
}

interface DrawnTables {
  readonly ranges: readonly TableRange[]
  readonly decorations: DecorationSet
}

const tablesField = StateField.define<DrawnTables>({
  create: (state) => draw(state, findTables(state)),
  update(tables, transaction) {
    const { state, startState, docChanged, selection, changes } = transaction
    const hasNewTree = syntaxTree(state) !== syntaxTree(startState)
    const isRefocused = hasFocusWithin(state) !== hasFocusWithin(startState)
    if (!docChanged && !hasNewTree) return selection || isRefocused ? draw(state, tables.ranges) : tables
    const parsedLength = syntaxTree(state).length
    // The tree ends where the parser stopped for now. Tables behind it stay.
    const unparsed = tables.ranges
      .map(({ from, to }) => ({ from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) }))
      .filter(({ from, to }) => from >= parsedLength && to > from && hasWholeLines(state, { from, to }))
    return draw(state, [...findTables(state), ...unparsed])
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ decorations }) => decorations),
    EditorView.atomicRanges.of((view) => view.state.field(field).decorations),
  ],
})

/** Draws each table of a text as a table with editable cells. */
export const drawTables: Extension = tablesField

export const getTables = (state: EditorState): readonly TableRange[] => state.field(tablesField, false)?.ranges ?? []

/** Finds the tables that are in no list or quote. */
function findTables(state: EditorState): readonly TableRange[] {
  const ranges: TableRange[] = []
  const cursor = syntaxTree(state).cursor()
  if (!cursor.firstChild()) return ranges
  do {
    if (cursor.name !== 'Table') continue
    ranges.push({ from: state.doc.lineAt(cursor.from).from, to: state.doc.lineAt(cursor.to).to })
  } while (cursor.nextSibling())
  return ranges
}

const hasWholeLines = ({ doc }: EditorState, { from, to }: TableRange): boolean =>
  doc.lineAt(from).from === from && doc.lineAt(to).to === to

function draw(state: EditorState, ranges: readonly TableRange[]): DrawnTables {
  const drawnRanges = ranges.filter((range) => !isEditedAsText(state, range))
  const decorations = drawnRanges.map(({ from, to }) =>
    Decoration.replace({ widget: new TableWidget(state.sliceDoc(from, to), state.readOnly), block: true }).range(
      from,
      to,
    ),
  )
  return { ranges, decorations: Decoration.set(decorations) }
}

/** True while the selection lies inside a table, as by a search. */
function isEditedAsText(state: EditorState, { from, to }: TableRange): boolean {
  const { main } = state.selection
  return hasFocusWithin(state) && main.from > from && main.to < to
}
