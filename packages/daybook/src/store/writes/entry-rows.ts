import type { CollectionModel } from '../../model/model.ts'
import type { Connection, WriteStep } from '../connection.ts'
import type { StoreWriteContext } from '../database.ts'
import type { Dialect, SearchDialect } from '../dialect.ts'
import type { LocaleRow, WrittenEntry } from '../rows.ts'
import { insertRow, prepareSql, type StatementCache, type StatementValues } from '../statement.ts'
import { type AuthorColumns, ENTRY_COLUMNS, type EntryTable } from '../tables/tables.ts'

/** The dialect of an engine that takes many rows in one statement. */
export type BulkDialect = Dialect &
  Required<Pick<Dialect, 'insertAll' | 'updateAll' | 'deleteAll'>> & {
    readonly search: Required<Pick<SearchDialect, 'insertAll'>>
  }

/** A transaction of an engine that takes many rows in one statement. */
export type BulkContext = StoreWriteContext & { readonly dialect: BulkDialect }

/** Returns true if the engine takes many rows in one statement. */
export function supportsBulk(source: StoreWriteContext): source is BulkContext {
  const { insertAll, updateAll, deleteAll, search } = source.dialect
  return [insertAll, updateAll, deleteAll, search.insertAll].every((statement) => statement !== undefined)
}

/** The parts of a transaction that inserts of rows need. */
export interface RowTarget {
  readonly connection: Pick<Connection, 'run'>
  readonly dialect: Dialect
  readonly statements: StatementCache
}

type Rows = readonly StatementValues[]

/**
 * Returns the statements that insert rows into a table: one statement if the engine takes many rows at once, else one for each row.
 * SQLite needs less time for single rows than for reading them from JSON, and no statement journal to undo half a statement.
 *
 * @param rows rows with the same columns
 */
export function insertSteps({ connection, dialect, statements }: RowTarget, table: string, rows: Rows): WriteStep[] {
  const [first, ...rest] = rows
  if (!first) return []
  const columns = Object.keys(first)
  const { insertAll } = dialect
  if (insertAll && rest.length > 0) {
    const insert = statements.get(`add all ${table}`, () => prepareSql(insertAll(table, columns)))
    return [() => connection.run(insert, { rows: JSON.stringify(rows) })]
  }
  const insert = statements.get(`add ${table}`, () => prepareSql(insertRow(table, columns)))
  return rows.map((row) => () => connection.run(insert, row))
}

export type NumberedEntry = WrittenEntry & Pick<EntryTable, 'seq'>

export const toEntryRow = (entry: NumberedEntry): StatementValues =>
  Object.fromEntries(ENTRY_COLUMNS.map((column) => [column, entry[column]]))

export const toReferenceRows = ({ id, references }: Pick<WrittenEntry, 'id' | 'references'>, key: string): Rows =>
  references.map((reference, position) => ({
    from_collection: key,
    from_id: id,
    field: reference.field,
    position,
    to_collection: reference.collection,
    to_id: reference.id,
  }))

export const toChoiceRows = ({ id, choices }: Pick<WrittenEntry, 'id' | 'choices'>, key: string): Rows =>
  choices.map((choice) => ({ from_collection: key, from_id: id, ...choice }))

export type LocaleTableEntry = AuthorColumns & Pick<EntryTable, 'id' | 'created_at' | 'updated_at' | 'seq'>

export const toLocaleTableRow = (
  { id, created_at, updated_at, created_by, updated_by, seq }: LocaleTableEntry,
  { collection, slug, own_slug, status, folded, doc }: LocaleRow,
  pk: number | undefined,
): StatementValues => ({
  pk,
  id,
  slug,
  own_slug,
  status,
  created_at,
  updated_at,
  created_by,
  updated_by,
  seq,
  schema_hash: collection.schemaHash,
  folded,
  doc,
})

/** Returns the rows of entries in the tables of locales, by table. */
export function toLocaleTableRows(
  entries: readonly { readonly entry: NumberedEntry; readonly pk: number | undefined }[],
): ReadonlyMap<string, Rows> {
  const rows = entries.flatMap(({ entry, pk }) =>
    entry.localeRows.map((localeRow) => [localeRow.collection.table, toLocaleTableRow(entry, localeRow, pk)] as const),
  )
  const byTable = Map.groupBy(rows, ([table]) => table)
  return new Map([...byTable].map(([table, group]) => [table, group.map(([, row]) => row)]))
}

/** A search row without its `pk`, and the collection, possibly in a locale, whose search table holds it. */
export interface SearchRow {
  readonly collection: CollectionModel
  readonly words: StatementValues
}

/** Returns the search rows of an entry. Locales that show the same value share one set of words. */
export function toSearchRows(
  search: SearchDialect,
  collection: CollectionModel,
  { value, status, localeRows }: Pick<WrittenEntry, 'value' | 'status' | 'localeRows'>,
): readonly SearchRow[] {
  const wordsByValue = new Map<object, StatementValues>()
  return [{ collection, value, status }, ...localeRows].map((view) => {
    const words = wordsByValue.get(view.value) ?? search.row(view.collection, view.value, view.status)
    wordsByValue.set(view.value, words)
    return { collection: view.collection, words }
  })
}
