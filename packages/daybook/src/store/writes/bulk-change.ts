import { sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import { param, prepareSql, type StatementValues } from '../compile.ts'
import type { WriteConnection } from '../database.ts'
import type { LocaleRow } from '../reads/rows.ts'
import { searchRows } from '../search/search-rows.ts'
import { ENTRY_COLUMNS, searchTable } from '../tables/tables.ts'
import {
  type BulkDialect,
  choiceRows,
  entryRow,
  insertSteps,
  journalRow,
  localeTableRow,
  type NumberedEntry,
  type Rows,
  referenceRows,
} from './bulk-rows.ts'
import { countChange, type EntryChange } from './entry-change.ts'
import { formerStates } from './former-states.ts'

type Steps = readonly (() => Promise<unknown>)[]

/** A change with its number of the journal. */
type NumberedChange = EntryChange & { readonly seq: number }

/** An entry after a change. */
interface ChangedEntry {
  readonly change: NumberedChange
  readonly entry: NumberedEntry
  readonly pk: number
}

/** The columns that a change writes. */
const CHANGED_COLUMNS = ENTRY_COLUMNS.filter((name) => name !== 'id')

/** Stores changes and deletions of entries with one statement for each table that holds rows of them. */
export class BulkChange {
  readonly #connection: WriteConnection
  readonly #dialect: BulkDialect

  constructor(connection: WriteConnection, dialect: BulkDialect) {
    this.#connection = connection
    this.#dialect = dialect
  }

  /**
   * Stores changes of different entries, in this order.
   *
   * @returns the number of each
   * @throws {UniqueViolation} when a unique value is held by another entry, or by two of these
   */
  async store(changes: readonly EntryChange[]): Promise<readonly number[]> {
    const { batch } = this.#connection
    const numbered: NumberedChange[] = []
    for (const change of changes) numbered.push({ ...change, seq: await batch.next(change.before.id, change.at) })
    const groups = [...Map.groupBy(numbered, ({ collection }) => collection)]
    await this.#connection.pipeline(groups.flatMap(([collection, group]) => this.#steps(collection, group)))
    for (const { collection, seq, before, after } of numbered) batch.count(countChange(collection, seq, before, after))
    return numbered.map(({ seq }) => seq)
  }

  #steps(collection: CollectionModel, changes: readonly NumberedChange[]): Steps {
    const changed = changes.flatMap((change) => {
      const { before, after, seq } = change
      return after ? [{ change, entry: { ...after, seq }, pk: before.pk }] : []
    })
    const deleted = changes.filter(({ after }) => after === undefined)
    return [
      ...this.#journal(collection, changes),
      ...this.#update(collection, changed),
      ...this.#members(collection, changes, changed),
      ...this.#updateLocales(changed),
      ...this.#delete(collection, deleted),
      ...this.#index(collection, changed),
    ]
  }

  #journal({ key }: CollectionModel, changes: readonly NumberedChange[]): Steps {
    const records = changes.map(({ seq, before: { id }, at, actor, after, known }) =>
      journalRow(
        { seq, id, updated_at: at },
        { action: after ? (known.action ?? 'update') : 'delete', collection: key, actor },
      ),
    )
    const states = changes.flatMap(({ before, after }) => formerStates(before, after).map((one) => ({ ...one })))
    return [
      ...this.#insert('daybook$journal', records),
      this.#run(
        sql`${this.#dialect.insertAll('daybook$journal_payload', ['seq', 'doc'])} ON CONFLICT DO NOTHING`,
        states,
      ),
    ]
  }

  #update({ key }: CollectionModel, changed: readonly ChangedEntry[]): Steps {
    if (changed.length === 0) return []
    const rows = changed.map(({ entry, pk }) => ({ ...entryRow(entry), pk }))
    return [this.#run(this.#dialect.updateAll(key, CHANGED_COLUMNS), rows)]
  }

  /** References, and the members of many-valued fields. */
  #members(
    { key, manyValued }: CollectionModel,
    changes: readonly NumberedChange[],
    changed: readonly ChangedEntry[],
  ): Steps {
    const ids = changes.filter(({ known }) => !known.hasSameMembers).map(({ before }) => before.id)
    if (ids.length === 0) return []
    const own = changed.filter(({ change }) => !change.known.hasSameMembers).map(({ entry }) => entry)
    const tables = ['daybook$refs', ...(manyValued.size > 0 ? ['daybook$choices'] : [])]
    return [
      ...tables.map((table) => this.#forget(table, key, ids)),
      ...this.#insert(
        'daybook$refs',
        own.flatMap((entry) => referenceRows(entry, key)),
      ),
      ...this.#insert(
        'daybook$choices',
        own.flatMap((entry) => choiceRows(entry, key)),
      ),
    ]
  }

  #updateLocales(changed: readonly ChangedEntry[]): Steps {
    const shown = changed.flatMap(({ entry, pk }) =>
      entry.localeRows.map((row) => ({ table: row.collection.table, row: localeTableRow(entry, row, pk) })),
    )
    return [...Map.groupBy(shown, ({ table }) => table)].map(([table, group]) => {
      const columns = Object.keys(group[0]?.row ?? {})
      const others = columns.filter((name) => name !== 'pk')
      const changes = sql.join(others.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`))
      const rows = group.map(({ row }) => row)
      return this.#run(sql`${this.#dialect.insertAll(table, columns)} ON CONFLICT (pk) DO UPDATE SET ${changes}`, rows)
    })
  }

  #delete({ table, byLocale }: CollectionModel, deleted: readonly NumberedChange[]): Steps {
    const pks = deleted.map(({ before }) => before.pk)
    const tables = [table, ...[...byLocale.values()].map((one) => one.table)]
    return tables.flatMap((one) => [...this.#remove(one, pks), ...this.#remove(searchTable(one), pks)])
  }

  /** What searches find the entries by, where that is no longer the same. */
  #index(collection: CollectionModel, changed: readonly ChangedEntry[]): Steps {
    const rowOf = searchRows(this.#dialect.search)
    const moved = changed.filter(({ change }) => !change.known.isFoundAsBefore)
    const shown = moved.flatMap(({ entry, pk }) => {
      const { value, status, localeRows } = entry
      const all: readonly Pick<LocaleRow, 'collection' | 'value' | 'status'>[] = [
        { collection, value, status },
        ...localeRows,
      ]
      return all.map((one) => ({
        collection: one.collection,
        words: { ...rowOf(one.collection, one.value, one.status), pk },
      }))
    })
    return [...Map.groupBy(shown, (one) => one.collection)].flatMap(([one, group]) => [
      ...this.#remove(
        searchTable(one.table),
        group.map(({ words }) => words.pk),
      ),
      this.#run(
        this.#dialect.search.insertAll(one),
        group.map(({ words }) => words),
      ),
    ])
  }

  #insert(table: string, rows: Rows): Steps {
    return insertSteps(this.#connection, this.#dialect, table, rows)
  }

  #remove(table: string, pks: readonly number[]): Steps {
    return pks.length === 0 ? [] : [this.#run(this.#dialect.deleteAll(table), pks)]
  }

  #forget(table: string, collection: string, ids: readonly string[]): () => Promise<unknown> {
    const isOne = this.#dialect.isAmong(sql.ref('from_id'), param('ids'))
    const forget = sql`DELETE FROM ${sql.table(table)} WHERE from_collection = ${param('collection')} AND ${isOne}`
    return () => this.#connection.run(prepareSql(forget), { collection, ids: JSON.stringify(ids) })
  }

  #run(statement: Parameters<typeof prepareSql>[0], rows: readonly (StatementValues | number)[]) {
    return (): Promise<unknown> => this.#connection.run(prepareSql(statement), { rows: JSON.stringify(rows) })
  }
}
