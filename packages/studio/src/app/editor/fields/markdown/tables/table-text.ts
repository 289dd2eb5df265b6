/** The text of a cell and its position in the source of the table, between the pipes. */
interface Cell {
  readonly from: number
  readonly to: number
  readonly text: string
}

export interface TextTable {
  /** The texts of the cells by row; the first row is the head. All rows have as many cells as the head. */
  readonly rows: readonly (readonly string[])[]
  /** The cells of the delimiter row, such as `:--`, one for each column. */
  readonly delimiters: readonly string[]
}

/** A position in a table. Row 0 is the head. */
export interface CellPosition {
  readonly row: number
  readonly column: number
}

/** Parses the lines of a GFM table. */
export function parseTable(source: string): TextTable {
  const [head = [], delimiters = [], ...body] = getLines(source).map(({ text }) => splitRow(text))
  const fit = (cells: readonly Cell[]): readonly string[] => head.map((_, column) => readCell(cells[column]))
  return { rows: [head, ...body].map(fit), delimiters: head.map((_, column) => delimiters[column]?.text ?? '---') }
}

export interface SourceChange {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** Replaces the text of a cell, and nothing else, unless its row is too short. */
export function setCellText(source: string, { row, column }: CellPosition, text: string): SourceChange {
  const line = getLines(source)[row === 0 ? 0 : row + 1]
  const cells = splitRow(line?.text ?? '')
  const cell = cells[column]
  const written = text
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
  if (line && cell) {
    const { from, to } = cell
    const content = line.text.slice(from, to)
    const start = line.from + from + (content.length - content.trimStart().length)
    if (content.trim() !== '') return { from: start, to: start + content.trim().length, insert: written }
    return { from: line.from + from, to: line.from + to, insert: written === '' ? content : ` ${written} ` }
  }
  const at = (line?.from ?? 0) + (line?.text.trimEnd().length ?? 0)
  const isOpen = line?.text.trimEnd().endsWith('|') === false
  const missing = Array.from({ length: column - cells.length }, () => '  |').join('')
  return { from: at, to: at, insert: `${isOpen ? ' |' : ''}${missing} ${written} |` }
}

/** A change of a table's structure; `null` if nothing of the table remains. */
export type TableEdit = (table: TextTable, at: CellPosition) => TextTable | null

export const insertRow =
  (offset: 0 | 1): TableEdit =>
  ({ rows, delimiters }, { row }) => ({
    // Nothing can stand above the head.
    rows: rows.toSpliced(
      Math.max(1, row + offset),
      0,
      delimiters.map(() => ''),
    ),
    delimiters,
  })

export const insertColumn =
  (offset: 0 | 1): TableEdit =>
  ({ rows, delimiters }, { column }) => ({
    rows: rows.map((row) => row.toSpliced(column + offset, 0, '')),
    delimiters: delimiters.toSpliced(column + offset, 0, '---'),
  })

export const deleteRow: TableEdit = ({ rows, delimiters }, { row }) =>
  rows.length === 1 ? null : { rows: rows.toSpliced(row, 1), delimiters }

export const deleteColumn: TableEdit = ({ rows, delimiters }, { column }) =>
  delimiters.length === 1
    ? null
    : { rows: rows.map((row) => row.toSpliced(column, 1)), delimiters: delimiters.toSpliced(column, 1) }

export const moveRow =
  (by: 1 | -1): TableEdit =>
  ({ rows, delimiters }, { row }) => ({ rows: move(rows, row, by), delimiters })

export const moveColumn =
  (by: 1 | -1): TableEdit =>
  ({ rows, delimiters }, { column }) => ({
    rows: rows.map((row) => move(row, column, by)),
    delimiters: move(delimiters, column, by),
  })

function move<T>(items: readonly T[], at: number, by: 1 | -1): readonly T[] {
  const item = items[at]
  return item === undefined || items[at + by] === undefined ? items : items.toSpliced(at, 1).toSpliced(at + by, 0, item)
}

/** Formats a table with aligned columns. Line ends stay as they are in `source`. */
export function formatTable({ rows, delimiters }: TextTable, source: string): string {
  const cells = rows.map((row) => row.map((text) => text.replaceAll('|', '\\|')))
  const widths = delimiters.map((delimiter, column) =>
    Math.min(MAX_WIDTH, Math.max(delimiter.length, ...cells.map((row) => row[column]?.length ?? 0))),
  )
  const toLine = (row: readonly string[]): string =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const dashes = delimiters.map((delimiter, column) => {
    const [, start = '', end = ''] = /^(:?)-*(:?)$/.exec(delimiter) ?? []
    return `${start}${'-'.repeat(Math.max(3, widths[column] ?? 3) - start.length - end.length)}${end}`
  })
  const [head = [], ...body] = cells
  const lineEnd = /\r\n/.test(source) ? '\r\n' : '\n'
  const lines = [head, dashes, ...body].map(toLine).join(lineEnd)
  return source.endsWith('\r') ? `${lines}\r` : lines
}

/** Wider cells are not padded. */
const MAX_WIDTH = 40

function getLines(source: string): readonly { readonly from: number; readonly text: string }[] {
  let from = 0
  return source.split('\n').map((text) => {
    const line = { from, text }
    from += text.length + 1
    return line
  })
}

const readCell = (cell: Cell | undefined): string => cell?.text.replaceAll('\\|', '|') ?? ''

/** Splits a row at the pipes that are not escaped. Positions are those between the pipes. */
function splitRow(line: string): readonly Cell[] {
  const cuts: number[] = []
  let isEscaped = false
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '|' && !isEscaped) cuts.push(at)
    isEscaped = !isEscaped && line[at] === '\\'
  }
  const starts = [0, ...cuts.map((cut) => cut + 1)]
  const ends = [...cuts, line.length]
  const cells = starts.map((from, index): Cell => {
    const to = ends[index] ?? line.length
    return { from, to, text: line.slice(from, to).trim() }
  })
  const first = cells[0]?.text === '' ? 1 : 0
  const last = cells.length > 1 && cells.at(-1)?.text === '' ? -1 : undefined
  return cells.slice(first, last)
}
