import { createHash } from 'node:crypto'
import type { Connection } from './connection.ts'
import type { Snapshot } from './database.ts'
import { DEFAULT_LOCALE_NOTE, FEED_KEY_NOTE, JOURNAL_FLOOR_NOTE, SEED_NOTE } from './notes.ts'
import type { Statement } from './statement.ts'
import { quoteColumns } from './tables/table-ddl.ts'
import { ENTRY_TABLE, SYSTEM_TABLES, type SystemTables, type TableDefinition } from './tables/tables.ts'

/** A row as a list of column values. */
export type RawRow = readonly unknown[]

export interface CopyTable {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns of the primary key, by which rows are ordered; the first ones of {@link columns}. */
  readonly key: readonly string[]
  /** Columns with texts of any length. */
  readonly long: readonly string[]
  /** A condition on the rows to copy, in SQL. @default all rows */
  readonly where?: string
}

/** The tables of the state of running nodes, which are not copied. */
const EXCLUDED_TABLES: ReadonlySet<string> = new Set<keyof SystemTables>(['daybook$leases', 'daybook$attempts'])

/** The notes that belong to the content; other notes describe the tables of one database. */
const CONTENT_NOTES = [DEFAULT_LOCALE_NOTE, SEED_NOTE, FEED_KEY_NOTE, JOURNAL_FLOOR_NOTE]

const keyIn = (keys: readonly string[]): string => `"key" IN (${['', ...keys].map((key) => `'${key}'`).join(', ')})`

/**
 * Returns all tables with content, in the order of copying. The tables of searches and locales are derived from them.
 *
 * @param collections the keys of the stored collections
 */
export function copyTables(collections: readonly string[]): readonly CopyTable[] {
  const filters: Readonly<Record<string, string>> = {
    daybook$collections: keyIn(collections),
    daybook$meta: keyIn(CONTENT_NOTES),
  }
  const system: Readonly<Record<string, TableDefinition>> = SYSTEM_TABLES
  return [
    ...collections.map((key) => toTable(key, ENTRY_TABLE)),
    ...Object.entries(system).flatMap(([name, table]) =>
      EXCLUDED_TABLES.has(name) ? [] : [toTable(name, table, filters[name])],
    ),
  ]
}

function toTable(name: string, { key, columns }: TableDefinition, where?: string): CopyTable {
  const values = Object.keys(columns).filter((column) => !key.includes(column))
  const long = values.filter((column) => columns[column]?.startsWith('long'))
  return { name, key, long, columns: [...key, ...values], ...(where === undefined ? {} : { where }) }
}

/** A batch of rows in the order of their keys. */
export interface CopyPage {
  readonly rows: readonly RawRow[]
  /** The key of the last row, after which the next batch begins; `undefined` if there are no rows. */
  readonly after: RawRow | undefined
}

/** The maximum number of rows in a batch. */
const MAX_COPY_ROWS = 1024
/** The maximum number of bytes in the long columns of a batch of more than one row. */
const MAX_COPY_BYTES = 8 * 1024 * 1024

/** Returns a statement whose parameters are one list. */
const listStatement = <Row>(sql: string): Statement<Row> => ({ sql, bind: ({ list = [] }) => [...(list as RawRow)] })

const placeholders = (count: number): string => Array.from({ length: count }, () => '?').join(', ')

function fromKey({ name, key, where = '1 = 1' }: CopyTable, after: RawRow | undefined): string {
  const rest = after ? ` AND (${quoteColumns(key)}) > (${placeholders(key.length)})` : ''
  return `FROM "${name}" WHERE ${where}${rest} ORDER BY ${quoteColumns(key)}`
}

export async function readCopyPage(source: Connection, table: CopyTable, after: RawRow | undefined): Promise<CopyPage> {
  const limit = table.long.length === 0 ? MAX_COPY_ROWS : await countFitting(source, table, after)
  const text = `SELECT ${quoteColumns(table.columns)} ${fromKey(table, after)} LIMIT ${limit}`
  const results = await source.all(listStatement<Readonly<Record<string, unknown>>>(text), { list: after })
  const rows = results.map((row) => table.columns.map((column) => row[column]))
  return { rows, after: rows.at(-1)?.slice(0, table.key.length) }
}

/** Counts the next rows that fit into a batch; at least one. */
async function countFitting(source: Connection, table: CopyTable, after: RawRow | undefined): Promise<number> {
  const bytes = table.long.map((column) => `coalesce(octet_length("${column}"), 0)`).join(' + ')
  const text = `SELECT ${bytes} AS bytes ${fromKey(table, after)} LIMIT ${MAX_COPY_ROWS}`
  let room = MAX_COPY_BYTES
  const sizes = await source.all(listStatement<{ readonly bytes: number }>(text), { list: after })
  const fitting = sizes.findIndex(({ bytes }) => {
    room -= bytes
    return room < 0
  })
  return fitting < 0 ? MAX_COPY_ROWS : Math.max(1, fitting)
}

/** The numbers of rows of an INSERT: few shapes, so that each is prepared once, and within the engines' limits for parameters. */
const CHUNKS = [128, 16, 1]

export async function insertRows(target: Connection, table: CopyTable, rows: readonly RawRow[]): Promise<void> {
  for (let from = 0; from < rows.length; ) {
    const size = CHUNKS.find((chunk) => chunk <= rows.length - from) ?? 1
    const row = `(${placeholders(table.columns.length)})`
    const values = Array.from({ length: size }, () => row).join(', ')
    const insert = listStatement(`INSERT INTO "${table.name}" (${quoteColumns(table.columns)}) VALUES ${values}`)
    await target.run(insert, { list: rows.slice(from, from + size).flat() })
    from += size
  }
}

export async function countRows(connection: Connection, { name, where = '1 = 1' }: CopyTable): Promise<number> {
  const count = listStatement<{ readonly count: number }>(`SELECT count(*) AS count FROM "${name}" WHERE ${where}`)
  return (await connection.get(count))?.count ?? 0
}

/** Deletes all rows, in reverse order, so that referring rows come first. */
export async function clearTables(target: Connection, tables: readonly CopyTable[]): Promise<void> {
  for (const { name, where = '1 = 1' } of tables.toReversed()) {
    await target.run(listStatement(`DELETE FROM "${name}" WHERE ${where}`))
  }
}

interface Digest {
  readonly rows: number
  /** The SHA-256 of the rows in the order of their keys, each as a JSON list and a line feed; hexadecimal. */
  readonly sha256: string
}

export interface TableComparison {
  readonly name: string
  readonly source: Digest
  readonly target: Digest
  readonly isSame: boolean
}

/**
 * Compares all rows of a table in the source and in the target.
 *
 * @param onRows called with the number of rows read from the source
 */
export async function compareTable(
  source: Snapshot,
  target: Snapshot,
  table: CopyTable,
  onRows: (count: number) => void,
): Promise<TableComparison> {
  const [sourceDigest, targetDigest] = await Promise.all([
    digestTable(source, table, onRows),
    digestTable(target, table, () => {}),
  ])
  const isSame = sourceDigest.sha256 === targetDigest.sha256
  return { name: table.name, source: sourceDigest, target: targetDigest, isSame }
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
