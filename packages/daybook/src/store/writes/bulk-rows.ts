import { prepareSql, type StatementValues } from '../compile.ts'
import type { Connection } from '../connection.ts'
import type { Dialect, SearchDialect } from '../dialect.ts'
import type { LocaleRow, WrittenEntry } from '../reads/rows.ts'
import { ENTRY_COLUMNS, type EntryTable } from '../tables/tables.ts'
import type { Change } from './entry-change.ts'

/** An engine that takes many rows at once. */
export type BulkDialect = Dialect &
  Required<Pick<Dialect, 'insertAll' | 'updateAll' | 'deleteAll'>> & {
    readonly search: Required<Pick<SearchDialect, 'insertAll'>>
  }

/** Whether an engine takes many rows at once. */
export function isBulk(dialect: Dialect): dialect is BulkDialect {
  const { insertAll, updateAll, deleteAll, search } = dialect
  return [insertAll, updateAll, deleteAll, search.insertAll].every((one) => one !== undefined)
}

/** An entry with its number of the journal. */
export type NumberedEntry = WrittenEntry & Pick<EntryTable, 'seq'>

/** Rows of one table, by column. */
export type Rows = readonly StatementValues[]

/** A statement that adds rows to a table; none where there are no rows. */
export function insertSteps(
  connection: Pick<Connection, 'run'>,
  dialect: BulkDialect,
  table: string,
  rows: Rows,
): readonly (() => Promise<unknown>)[] {
  const [first] = rows
  if (!first) return []
  const insert = prepareSql(dialect.insertAll(table, Object.keys(first)))
  return [() => connection.run(insert, { rows: JSON.stringify(rows) })]
}

export const journalRow = (
  { seq, id, updated_at: at }: Pick<EntryTable, 'seq' | 'id' | 'updated_at'>,
  change: Pick<Change, 'action' | 'collection' | 'actor'>,
): StatementValues => ({ seq, at, id, ...change })

export const entryRow = (entry: NumberedEntry): StatementValues =>
  Object.fromEntries(ENTRY_COLUMNS.map((column) => [column, entry[column]]))

export const referenceRows = ({ id, references }: Pick<WrittenEntry, 'id' | 'references'>, key: string): Rows =>
  references.map((one, position) => ({
    from_collection: key,
    from_id: id,
    field: one.field,
    position,
    to_collection: one.collection,
    to_id: one.id,
  }))

export const choiceRows = ({ id, choices }: Pick<WrittenEntry, 'id' | 'choices'>, key: string): Rows =>
  choices.map((choice) => ({ from_collection: key, from_id: id, ...choice }))

export function localeTableRow(
  entry: NumberedEntry,
  { collection, slug, own_slug, status, folded, doc }: LocaleRow,
  pk: number | undefined,
): StatementValues {
  const { id, created_at, updated_at, created_by, updated_by, seq } = entry
  const own = { id, status, created_at, updated_at, created_by, updated_by, seq }
  return { pk, ...own, slug, own_slug, schema_hash: collection.schemaHash, folded, doc }
}
