import { createHash } from 'node:crypto'
import type { Connection } from './connection.ts'
import type { Snapshot } from './database.ts'
import { DEFAULT_LOCALE_NOTE, FEED_KEY_NOTE, JOURNAL_FLOOR_NOTE, SEED_NOTE } from './notes.ts'
import type { Statement } from './statement.ts'
import { quoteColumns } from './tables/table-ddl.ts'
import { ENTRY_TABLE, SYSTEM_TABLES, type SystemTables, type TableDefinition } from './tables/tables.ts'

/** A row as it lies in its table, column by column. */
export type RawRow = readonly unknown[]

/** A table as it is copied. */
export interface CopyTable {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns that tell rows apart, which gives them an order, too; the first ones of {@link columns}. */
  readonly key: readonly string[]
  /** Columns with texts of any length. */
  readonly long: readonly string[]
  /** Which rows are meant, in SQL. @default all */
  readonly where?: string
}

/** The agreements of running nodes; they belong to one database, and are not copied. */
const LEFT_OUT: ReadonlySet<string> = new Set<keyof SystemTables>(['daybook$leases', 'daybook$attempts'])

/** The notes that belong to the content; the others say how the tables of one database were made. */
const OWN_NOTES = [DEFAULT_LOCALE_NOTE, SEED_NOTE, FEED_KEY_NOTE, JOURNAL_FLOOR_NOTE]

const among = (keys: readonly string[]): string => `"key" IN (${['', ...keys].map((key) => `'${key}'`).join(', ')})`

/**
 * All tables that hold content, in the order of copying. Those of searches and locales are made of them.
 *
 * @param collections keys of the stored collections
 */
export function copyTables(collections: readonly string[]): readonly CopyTable[] {
  const filters: Readonly<Record<string, string>> = {
    daybook$collections: among(collections),
    daybook$meta: among(OWN_NOTES),
  }
  const system: Readonly<Record<string, TableDefinition>> = SYSTEM_TABLES
  return [
    ...collections.map((key) => toTable(key, ENTRY_TABLE)),
    ...Object.entries(system).flatMap(([name, table]) =>
      LEFT_OUT.has(name) ? [] : [toTable(name, table, filters[name])],
    ),
  ]
}

function toTable(name: string, { key, columns }: TableDefinition, where?: string): CopyTable {
  const others = Object.keys(columns).filter((column) => !key.includes(column))
  const long = others.filter((column) => columns[column]?.startsWith('long'))
  return { name, key, long, columns: [...key, ...others], ...(where === undefined ? {} : { where }) }
}

/** A batch of rows in the order of their keys. */
export interface CopyPage {
  readonly rows: readonly RawRow[]
  /** The key of the last row, where the next batch begins; `undefined`: there is none. */
  readonly after: RawRow | undefined
}

/** The most rows of a batch. */
const MAX_COPY_ROWS = 1024
/** The most bytes of texts in a batch of more than one row. */
const MAX_COPY_BYTES = 8 * 1024 * 1024

/** SQL text whose parameters are given as one list. */
const listed = <Row>(sql: string): Statement<Row> => ({ sql, bind: ({ list = [] }) => [...(list as RawRow)] })

const places = (count: number): string => Array.from({ length: count }, () => '?').join(', ')

/** Which rows come behind a key, in order. */
function following({ name, key, where = '1 = 1' }: CopyTable, after: RawRow | undefined): string {
  const rest = after ? ` AND (${quoteColumns(key)}) > (${places(key.length)})` : ''
  return `FROM "${name}" WHERE ${where}${rest} ORDER BY ${quoteColumns(key)}`
}

/** Reads the batch behind a key. */
export async function readCopyPage(source: Connection, table: CopyTable, after: RawRow | undefined): Promise<CopyPage> {
  const limit = table.long.length === 0 ? MAX_COPY_ROWS : await countFitting(source, table, after)
  const text = `SELECT ${quoteColumns(table.columns)} ${following(table, after)} LIMIT ${limit}`
  const found = await source.all(listed<Readonly<Record<string, unknown>>>(text), { list: after })
  const rows = found.map((row) => table.columns.map((column) => row[column]))
  return { rows, after: rows.at(-1)?.slice(0, table.key.length) }
}

/** How many of the next rows fit into a batch; at least one. */
async function countFitting(source: Connection, table: CopyTable, after: RawRow | undefined): Promise<number> {
  const bytes = table.long.map((column) => `coalesce(octet_length("${column}"), 0)`).join(' + ')
  const text = `SELECT ${bytes} AS bytes ${following(table, after)} LIMIT ${MAX_COPY_ROWS}`
  let room = MAX_COPY_BYTES
  const sizes = await source.all(listed<{ readonly bytes: number }>(text), { list: after })
  const fitting = sizes.findIndex(({ bytes }) => {
    room -= bytes
    return room < 0
  })
  return fitting < 0 ? MAX_COPY_ROWS : Math.max(1, fitting)
}

/** Rows of one statement: a few shapes, so that each is prepared once, and no more parameters than engines take. */
const CHUNKS = [128, 16, 1]

/** Adds rows as they are. */
export async function insertRows(target: Connection, table: CopyTable, rows: readonly RawRow[]): Promise<void> {
  for (let from = 0; from < rows.length; ) {
    const size = CHUNKS.find((chunk) => chunk <= rows.length - from) ?? 1
    const row = `(${places(table.columns.length)})`
    const values = Array.from({ length: size }, () => row).join(', ')
    const insert = listed(`INSERT INTO "${table.name}" (${quoteColumns(table.columns)}) VALUES ${values}`)
    await target.run(insert, { list: rows.slice(from, from + size).flat() })
    from += size
  }
}

export async function countRows(connection: Connection, { name, where = '1 = 1' }: CopyTable): Promise<number> {
  const count = listed<{ readonly count: number }>(`SELECT count(*) AS count FROM "${name}" WHERE ${where}`)
  return (await connection.get(count))?.count ?? 0
}

/** Takes all rows away. What refers to others goes first. */
export async function clearTables(target: Connection, tables: readonly CopyTable[]): Promise<void> {
  for (const { name, where = '1 = 1' } of tables.toReversed()) {
    await target.run(listed(`DELETE FROM "${name}" WHERE ${where}`))
  }
}

/** The digest of a table's content. */
interface Digest {
  readonly rows: number
  /** SHA-256 of its rows in the order of their keys, each as a JSON list of its values and a line feed; hexadecimal. */
  readonly sha256: string
}

/** A table on both sides. */
export interface TableComparison {
  readonly name: string
  readonly source: Digest
  readonly target: Digest
  readonly isSame: boolean
}

/**
 * Reads a table on both sides from its first row to its last.
 *
 * @param onRows told of rows of the source
 */
export async function compareTable(
  source: Snapshot,
  target: Snapshot,
  table: CopyTable,
  onRows: (count: number) => void,
): Promise<TableComparison> {
  const [one, other] = await Promise.all([digestTable(source, table, onRows), digestTable(target, table, () => {})])
  return { name: table.name, source: one, target: other, isSame: one.sha256 === other.sha256 }
}

async function digestTable(snapshot: Snapshot, table: CopyTable, onRows: (count: number) => void): Promise<Digest> {
  const hash = createHash('sha256')
  let rows = 0
  for (let page = await readCopyPage(snapshot, table, undefined); page.after; ) {
    for (const row of page.rows) hash.update(`${JSON.stringify(row)}\n`)
    rows += page.rows.length
    onRows(page.rows.length)
    page = await readCopyPage(snapshot, table, page.after)
  }
  return { rows, sha256: hash.digest('hex') }
}
