import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import { prepareSql, type StatementValues } from '../compile.ts'
import type { WriteConnection } from '../database.ts'
import type { SearchDialect } from '../dialect.ts'
import type { LocaleRow, WrittenEntry } from '../reads/rows.ts'
import { searchRows } from '../search/search-rows.ts'
import { ENTRY_COLUMNS, type EntryTable } from '../tables/tables.ts'
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
import { countChange } from './entry-change.ts'

/** Entries that a collection is to get. */
interface NewEntries {
  readonly collection: CollectionModel
  readonly entries: readonly WrittenEntry[]
  /** The subject of the actor. */
  readonly actor: string
}

/** The most entries that are sent together. While the engine stores them, their words are looked for. */
const MAX_ENTRIES = 250

/** Stores new entries with one statement for each table that gets rows of them. */
export class BulkInsert {
  readonly #connection: WriteConnection
  readonly #dialect: BulkDialect

  constructor(connection: WriteConnection, dialect: BulkDialect) {
    this.#connection = connection
    this.#dialect = dialect
  }

  /**
   * Stores entries, in this order.
   *
   * @throws {UniqueViolation} when a unique value is held by another entry, or by two of these
   */
  async add({ collection, entries, actor }: NewEntries): Promise<void> {
    for (let from = 0; from < entries.length; from += MAX_ENTRIES) {
      await this.#addSome({ collection, entries: entries.slice(from, from + MAX_ENTRIES), actor })
    }
  }

  async #addSome({ collection, entries, actor }: NewEntries): Promise<void> {
    const { key } = collection
    const numbered = await this.#number(entries)
    const insert = (table: string, rowsOf: (one: NumberedEntry) => Rows) => (): Promise<void> =>
      this.#insert(table, numbered.flatMap(rowsOf))
    const pks = new Map<string, number>()
    let shown: readonly ShownRow[] = []
    await this.#connection.pipeline([
      insert('daybook$journal', (one) => [journalRow(one, { action: 'create', collection: key, actor })]),
      async () => {
        for (const { id, pk } of await this.#place(key, numbered)) pks.set(id, Number(pk))
      },
      insert('daybook$refs', (one) => referenceRows(one, key)),
      insert('daybook$choices', (one) => choiceRows(one, key)),
      async () => {
        // What was asked so far is on its way first.
        await turn()
        shown = toShown(this.#dialect.search, collection, numbered)
      },
    ])
    const tables = [...Map.groupBy(shown, (one) => one.collection)]
    await this.#connection.pipeline(tables.flatMap(([table, rows]) => this.#show(table, rows, pks)))
    for (const entry of numbered) this.#connection.batch.count(countChange(collection, entry.seq, undefined, entry))
  }

  async #number(entries: readonly WrittenEntry[]): Promise<readonly NumberedEntry[]> {
    const { batch } = this.#connection
    const numbered: NumberedEntry[] = []
    for (const entry of entries) numbered.push({ ...entry, seq: await batch.next(entry.id, entry.updated_at) })
    return numbered
  }

  /** Stores the entries themselves. */
  #place(key: string, entries: readonly NumberedEntry[]): Promise<readonly Pick<EntryTable, 'id' | 'pk'>[]> {
    const insert = this.#dialect.insertAll(key, ENTRY_COLUMNS)
    return this.#connection.all(prepareSql(sql<Pick<EntryTable, 'id' | 'pk'>>`${insert} RETURNING id, pk`), {
      rows: JSON.stringify(entries.map(entryRow)),
    })
  }

  /** Stores what a table shows of entries, and what they are found by in it. */
  #show(
    collection: CollectionModel,
    shown: readonly ShownRow[],
    pks: ReadonlyMap<string, number>,
  ): readonly (() => Promise<unknown>)[] {
    const placed = shown.map((one) => ({ ...one, pk: pks.get(one.entry.id) }))
    const rows = placed.flatMap(({ entry, localeRow, pk }) => (localeRow ? [localeTableRow(entry, localeRow, pk)] : []))
    const words = placed.map((one) => ({ ...one.words, pk: one.pk }))
    const index = prepareSql(this.#dialect.search.insertAll(collection))
    return [
      () => this.#insert(collection.table, rows),
      () => this.#connection.run(index, { rows: JSON.stringify(words) }),
    ]
  }

  async #insert(table: string, rows: Rows): Promise<void> {
    const [step] = insertSteps(this.#connection, this.#dialect, table, rows)
    await step?.()
  }
}

/** An entry as a collection's own table shows it, or as that of a locale does. */
interface ShownRow {
  readonly collection: CollectionModel
  readonly entry: NumberedEntry
  readonly localeRow?: LocaleRow
  /** Its search row. */
  readonly words: StatementValues
}

function toShown(
  search: SearchDialect,
  collection: CollectionModel,
  entries: readonly NumberedEntry[],
): readonly ShownRow[] {
  const rowOf = searchRows(search)
  return entries.flatMap((entry) => [
    { collection, entry, words: rowOf(collection, entry.value, entry.status) },
    ...entry.localeRows.map((localeRow) => {
      return {
        collection: localeRow.collection,
        entry,
        localeRow,
        words: rowOf(localeRow.collection, localeRow.value, localeRow.status),
      }
    }),
  ])
}
