import type { SystemTables } from '../../../src/store/tables/tables.ts'
import type { Rows } from './stores.ts'

type StoredChange = SystemTables['daybook$journal']

/** A record of the journal with the state after the change; for a deletion, the state before it. */
export interface JournalRecord extends StoredChange {
  readonly doc: string
}

/**
 * Reads the whole journal. The current state of a document lies in the table of its collection, and a former one in the journal.
 */
export async function readJournal(rows: Rows, collections: readonly string[]): Promise<readonly JournalRecord[]> {
  const tables = [
    ...collections.map((key) => `SELECT '${key}' AS collection, id, seq, doc FROM "${key}"`),
    "SELECT 'globals' AS collection, key AS id, seq, doc FROM daybook$globals",
  ]
  const current = new Map(
    (await rows(tables.join(' UNION ALL '))).map(({ collection, id, seq, doc }) => [
      `${collection} ${id} ${seq}`,
      String(doc),
    ]),
  )
  const former = new Map(
    (await rows('SELECT seq, doc FROM daybook$journal_payload')).map(({ seq, doc }) => [Number(seq), String(doc)]),
  )
  const last = new Map<string, string>()
  return (await rows('SELECT * FROM daybook$journal ORDER BY seq')).map((row) => {
    const record = row as unknown as StoredChange
    const key = `${record.collection} ${record.id}`
    const state = former.get(record.seq) ?? current.get(`${key} ${record.seq}`)
    const doc = record.action === 'delete' ? last.get(key) : state
    if (doc === undefined) throw new Error(`The journal lacks the state of ${record.seq}`)
    last.set(key, doc)
    return { ...record, doc }
  })
}
