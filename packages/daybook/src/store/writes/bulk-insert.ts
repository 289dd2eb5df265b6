import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { WrittenEntry } from '../rows.ts'
import { prepareSql } from '../statement.ts'
import { ENTRY_COLUMNS, type EntryTable } from '../tables/tables.ts'
import { entryCounterChange } from './counters.ts'
import {
  type BulkContext,
  insertSteps,
  type NumberedEntry,
  type SearchRow,
  toChoiceRows,
  toEntryRow,
  toLocaleTableRows,
  toReferenceRows,
  toSearchRows,
} from './entry-rows.ts'

interface NewEntries {
  readonly collection: CollectionModel
  readonly entries: readonly WrittenEntry[]
  readonly actor: string
}

/** The maximum number of entries in a statement. Search rows are built while the engine stores them. */
const MAX_ENTRIES = 250

/**
 * Stores new entries in this order, with one statement for each table.
 *
 * @throws {UniqueViolation} if another entry, or two of these, have the same unique value
 */
export async function insertInBulk(source: BulkContext, { collection, entries, actor }: NewEntries): Promise<void> {
  for (let from = 0; from < entries.length; from += MAX_ENTRIES) {
    await insertBatch(source, { collection, entries: entries.slice(from, from + MAX_ENTRIES), actor })
  }
}

async function insertBatch(source: BulkContext, { collection, entries, actor }: NewEntries): Promise<void> {
  const { connection, dialect } = source
  const { key } = collection
  const { batch } = connection
  const numbered: NumberedEntry[] = []
  for (const entry of entries) numbered.push({ ...entry, seq: await batch.nextSeq(entry.id, entry.updated_at) })

  const insertEntries = sql<Pick<EntryTable, 'id' | 'pk'>>`${dialect.insertAll(key, ENTRY_COLUMNS)} RETURNING id, pk`
  const pks = new Map<string, number>()
  let indexed: readonly (SearchRow & { readonly id: string })[] = []
  await connection.pipeline([
    ...insertSteps(
      source,
      'daybook$journal',
      numbered.map(({ seq, id, updated_at: at }) => ({ seq, at, actor, action: 'create', collection: key, id })),
    ),
    async () => {
      const rows = JSON.stringify(numbered.map(toEntryRow))
      for (const { id, pk } of await connection.all(prepareSql(insertEntries), { rows })) pks.set(id, Number(pk))
    },
    ...insertSteps(
      source,
      'daybook$refs',
      numbered.flatMap((entry) => toReferenceRows(entry, key)),
    ),
    ...insertSteps(
      source,
      'daybook$choices',
      numbered.flatMap((entry) => toChoiceRows(entry, key)),
    ),
    async () => {
      // Lets the statements above be sent before the processor is busy with words.
      await turn()
      indexed = numbered.flatMap((entry) =>
        toSearchRows(dialect.search, collection, entry).map((row) => ({ ...row, id: entry.id })),
      )
    },
  ])

  const placed = numbered.map((entry) => ({ entry, pk: pks.get(entry.id) }))
  await connection.pipeline([
    ...[...toLocaleTableRows(placed)].flatMap(([table, rows]) => insertSteps(source, table, rows)),
    ...[...Map.groupBy(indexed, (row) => row.collection)].map(([target, group]) => {
      const rows = group.map(({ id, words }) => ({ ...words, pk: pks.get(id) }))
      return () => connection.run(prepareSql(dialect.search.insertAll(target)), { rows: JSON.stringify(rows) })
    }),
  ])
  for (const entry of numbered) batch.addCounters(entryCounterChange(collection, entry.seq, undefined, entry))
}
