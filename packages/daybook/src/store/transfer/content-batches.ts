import { sql } from 'kysely'
import { param, prepareSql, type Statement } from '../compile.ts'
import type { Connection } from '../database.ts'
import type { StoredEntry } from '../read.ts'
import { ENTRY_COLUMNS, type SystemTables } from '../tables.ts'

/** The most rows of a batch: each is read at one go, and others wait meanwhile. */
const MAX_ROWS = 128
/** The most bytes of texts in a batch of more than one entry: V8 treats larger texts as large objects, and lets them pile up. */
const MAX_BYTES = 32 * 1024

/** A record of the journal. */
export type RecordRow = SystemTables['daybook$journal']

/** Reads all entries, or all changes, in batches of bounded size. One instance serves one connection. */
export class ContentBatches {
  readonly #connection: Connection
  readonly #next = new Map<string, Statement<StoredEntry>>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The next entries of a collection in order of arrival; none: there are no others. */
  async entriesAfter(key: string, pk: number): Promise<readonly StoredEntry[]> {
    const statement = this.#next.get(key) ?? nextEntries(key)
    this.#next.set(key, statement)
    return this.#connection.all(statement, { after: pk })
  }

  /** The next records of the journal, in their order; none: there are no others. */
  async recordsAfter(seq: number): Promise<readonly RecordRow[]> {
    return this.#connection.all(NEXT_RECORDS, { after: seq })
  }

  /** The record of the journal with a number. */
  async record(seq: number): Promise<RecordRow | undefined> {
    return this.#connection.get(RECORD, { seq })
  }
}

/** The next entry always comes, and others as far as they fit. */
function nextEntries(key: string): Statement<StoredEntry> {
  const table = sql.table(key)
  const columns = sql.join(['pk', ...ENTRY_COLUMNS].map((name) => sql.ref(name)))
  const size = sql`octet_length(doc) + coalesce(octet_length(locales), 0) + coalesce(octet_length(kept), 0)`
  const sizes = sql`SELECT pk, ${size} AS size FROM ${table} WHERE pk > ${param('after')}
    ORDER BY pk LIMIT ${sql.lit(MAX_ROWS)}`
  const sums = sql`SELECT pk, sum(size) OVER (ORDER BY pk) - size AS before FROM (${sizes}) AS sizes`
  return prepareSql(sql<StoredEntry>`SELECT ${columns} FROM ${table} WHERE pk > ${param('after')}
    AND pk <= (SELECT max(pk) FROM (${sums}) AS sums WHERE before < ${sql.lit(MAX_BYTES)}) ORDER BY pk`)
}

const NEXT_RECORDS = prepareSql(
  sql<RecordRow>`SELECT seq, at, actor, action, collection, id FROM daybook$journal WHERE seq > ${param('after')}
    ORDER BY seq LIMIT ${sql.lit(MAX_ROWS)}`,
)
const RECORD = prepareSql(
  sql<RecordRow>`SELECT seq, at, actor, action, collection, id FROM daybook$journal WHERE seq = ${param('seq')}`,
)
