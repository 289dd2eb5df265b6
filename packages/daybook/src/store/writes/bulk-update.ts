import { sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { WriteStep } from '../connection.ts'
import type { StateAction } from '../journal-actions.ts'
import type { StoredEntry, WrittenEntry } from '../rows.ts'
import { onConflictUpdate, param, prepareSql, type StatementValues } from '../statement.ts'
import { ENTRY_COLUMNS, searchTableName } from '../tables/tables.ts'
import { entryCounterChange } from './counters.ts'
import {
  type BulkContext,
  insertSteps,
  type NumberedEntry,
  toChoiceRows,
  toEntryRow,
  toLocaleTableRows,
  toReferenceRows,
  toSearchRows,
} from './entry-rows.ts'
import { getReplacedStates } from './journal-writer.ts'

export interface UpdateOptions {
  /** True if the words, filter values and status for searches are unchanged, so that the search rows stay. @default false */
  readonly hasSameSearchRows?: boolean
  /** True if the references and the members of multi-valued fields are unchanged, so that their rows stay. @default false */
  readonly hasSameMembers?: boolean
  /** The action of the journal record. @default 'update' */
  readonly action?: StateAction
}

export interface EntryChange {
  readonly collection: CollectionModel
  readonly before: StoredEntry
  /** `undefined` for a deletion. */
  readonly after: WrittenEntry | undefined
  /** ISO 8601. */
  readonly at: string
  readonly actor: string
  readonly options: UpdateOptions
}

type NumberedChange = EntryChange & { readonly seq: number }

interface UpdatedEntry {
  readonly options: UpdateOptions
  readonly entry: NumberedEntry
  readonly pk: number
}

type WriteSteps = readonly WriteStep[]

const UPDATED_COLUMNS = ENTRY_COLUMNS.filter((name) => name !== 'id')

/** Stores updates and deletions of entries with one statement for each table that holds rows of them. */
export class BulkUpdate {
  readonly #source: BulkContext

  constructor(source: BulkContext) {
    this.#source = source
  }

  /**
   * Stores changes of different entries, in this order.
   *
   * @returns the journal number of each change
   * @throws {UniqueViolation} if another entry, or two of these, have the same unique value
   */
  async store(changes: readonly EntryChange[]): Promise<readonly number[]> {
    const { connection } = this.#source
    const { batch } = connection
    const numbered: NumberedChange[] = []
    for (const change of changes) numbered.push({ ...change, seq: await batch.nextSeq(change.before.id, change.at) })
    const byCollection = [...Map.groupBy(numbered, ({ collection }) => collection)]
    await connection.pipeline(byCollection.flatMap(([collection, group]) => this.#steps(collection, group)))
    for (const { collection, seq, before, after } of numbered) {
      batch.addCounters(entryCounterChange(collection, seq, before, after))
    }
    return numbered.map(({ seq }) => seq)
  }

  #steps(collection: CollectionModel, changes: readonly NumberedChange[]): WriteSteps {
    const updated = changes.flatMap(({ before, after, seq, options }) =>
      after ? [{ options, entry: { ...after, seq }, pk: before.pk }] : [],
    )
    const deleted = changes.filter(({ after }) => after === undefined)
    return [
      ...this.#journal(collection, changes),
      ...this.#update(collection, updated),
      ...this.#members(collection, changes, updated),
      ...this.#updateLocales(updated),
      ...this.#delete(collection, deleted),
      ...this.#index(collection, updated),
    ]
  }

  #journal({ key: collection }: CollectionModel, changes: readonly NumberedChange[]): WriteSteps {
    const records = changes.map(({ seq, before: { id }, at, actor, after, options }) => {
      const action = after ? (options.action ?? 'update') : 'delete'
      return { seq, at, actor, action, collection, id }
    })
    const states = changes.flatMap(({ before, after }) => getReplacedStates(before, after))
    return [
      ...insertSteps(this.#source, 'daybook$journal', records),
      this.#run(
        sql`${this.#source.dialect.insertAll('daybook$journal_payload', ['seq', 'doc'])} ON CONFLICT DO NOTHING`,
        states,
      ),
    ]
  }

  #update({ key }: CollectionModel, updated: readonly UpdatedEntry[]): WriteSteps {
    if (updated.length === 0) return []
    const rows = updated.map(({ entry, pk }) => ({ ...toEntryRow(entry), pk }))
    return [this.#run(this.#source.dialect.updateAll(key, UPDATED_COLUMNS), rows)]
  }

  /** Replaces references and the members of multi-valued fields. */
  #members(
    { key, multiValuedFields }: CollectionModel,
    changes: readonly NumberedChange[],
    updated: readonly UpdatedEntry[],
  ): WriteSteps {
    const ids = changes.filter(({ options }) => !options.hasSameMembers).map(({ before }) => before.id)
    if (ids.length === 0) return []
    const entries = updated.filter(({ options }) => !options.hasSameMembers).map(({ entry }) => entry)
    const tables = ['daybook$refs', ...(multiValuedFields.size > 0 ? ['daybook$choices'] : [])]
    return [
      ...tables.map((table) => this.#removeMembers(table, key, ids)),
      ...insertSteps(
        this.#source,
        'daybook$refs',
        entries.flatMap((entry) => toReferenceRows(entry, key)),
      ),
      ...insertSteps(
        this.#source,
        'daybook$choices',
        entries.flatMap((entry) => toChoiceRows(entry, key)),
      ),
    ]
  }

  #updateLocales(updated: readonly UpdatedEntry[]): WriteSteps {
    return [...toLocaleTableRows(updated)].map(([table, rows]) => {
      const columns = Object.keys(rows[0] ?? {})
      return this.#run(
        sql`${this.#source.dialect.insertAll(table, columns)} ${onConflictUpdate(['pk'], columns)}`,
        rows,
      )
    })
  }

  #delete({ table, byLocale }: CollectionModel, deleted: readonly NumberedChange[]): WriteSteps {
    const pks = deleted.map(({ before }) => before.pk)
    const tables = [table, ...[...byLocale.values()].map((localeTable) => localeTable.table)]
    return tables.flatMap((name) => [...this.#remove(name, pks), ...this.#remove(searchTableName(name), pks)])
  }

  /** Replaces the search rows that differ. */
  #index(collection: CollectionModel, updated: readonly UpdatedEntry[]): WriteSteps {
    const { search } = this.#source.dialect
    const rows = updated
      .filter(({ options }) => !options.hasSameSearchRows)
      .flatMap(({ entry, pk }) => toSearchRows(search, collection, entry).map((row) => ({ ...row, pk })))
    return [...Map.groupBy(rows, (row) => row.collection)].flatMap(([target, group]) => [
      ...this.#remove(
        searchTableName(target.table),
        group.map(({ pk }) => pk),
      ),
      this.#run(
        search.insertAll(target),
        group.map(({ words, pk }) => ({ ...words, pk })),
      ),
    ])
  }

  #remove(table: string, pks: readonly number[]): WriteSteps {
    return pks.length === 0 ? [] : [this.#run(this.#source.dialect.deleteAll(table), pks)]
  }

  #removeMembers(table: string, collection: string, ids: readonly string[]): WriteStep {
    const { connection, dialect } = this.#source
    const isAmong = dialect.isAmong(sql.ref('from_id'), param('ids'))
    const remove = sql`DELETE FROM ${sql.table(table)} WHERE from_collection = ${param('collection')} AND ${isAmong}`
    return () => connection.run(prepareSql(remove), { collection, ids: JSON.stringify(ids) })
  }

  #run(statement: Parameters<typeof prepareSql>[0], rows: readonly (StatementValues | object | number)[]): WriteStep {
    return () => this.#source.connection.run(prepareSql(statement), { rows: JSON.stringify(rows) })
  }
}

/** A change that waits for those of the other tasks. */
interface WaitingChange {
  readonly change: EntryChange
  readonly resolve: (seq: number) => void
  readonly reject: (reason: unknown) => void
}

/** Collects the changes of several tasks, and stores them in bulk once each task waits for its change or has ended. */
export class BulkCollector {
  readonly #update: BulkUpdate
  #running: number
  #waiting: WaitingChange[] = []

  constructor(update: BulkUpdate, tasks: number) {
    this.#update = update
    this.#running = tasks
  }

  /** Stores a change with those of the other tasks. Returns its journal number. */
  add(change: EntryChange): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject })
      void this.#storeOnceComplete()
    })
  }

  end(): void {
    this.#running -= 1
    void this.#storeOnceComplete()
  }

  async #storeOnceComplete(): Promise<void> {
    if (this.#waiting.length === 0 || this.#waiting.length < this.#running) return
    const waiting = this.#waiting
    this.#waiting = []
    try {
      const numbers = await this.#update.store(waiting.map(({ change }) => change))
      for (const [index, { resolve }] of waiting.entries()) resolve(Number(numbers[index]))
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}
