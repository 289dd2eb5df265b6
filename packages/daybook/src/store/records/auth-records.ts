import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import {
  type AuthRecord,
  DuplicateKeyError,
  type RecordOptions,
  type RecordPage,
  type RecordReader,
  type RecordWriter,
} from '../../auth/records.ts'
import { isStorableText } from '../../fields/text.ts'
import type { Connection } from '../connection.ts'
import type { Announcements } from '../database.ts'
import { GrowthWatch } from '../growth-watch.ts'
import { param, prepareInsert, preparePut, prepareSql } from '../statement.ts'

/** The maximum length of a value in the index. PostgreSQL limits index rows to some 2,700 bytes, so longer values are stored as digests. */
const MAX_VALUE = 256
/** The limit of a list without a limit. */
const MAX_LISTED = Number.MAX_SAFE_INTEGER
/** The time for which expired records are kept, in milliseconds, since the clocks of nodes may differ. */
const EXPIRY_GRACE_MS = 24 * 60 * 60 * 1000

const toKey = (value: string): string =>
  value.length <= MAX_VALUE && isStorableText(value)
    ? value
    : `sha256 ${createHash('sha256').update(value).digest('base64url')}`

const parseRecord = ({ doc }: { readonly doc: string }): AuthRecord => JSON.parse(doc) as AuthRecord

export class AuthRecordReader implements RecordReader {
  protected readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  async get(kind: string, id: string): Promise<AuthRecord | undefined> {
    // Such a text was never stored as an id.
    if (!isStorableText(id)) return undefined
    const row = await this.connection.get(RECORD_BY_ID, { kind, id })
    return row && parseRecord(row)
  }

  async find(kind: string, key: string, value: string): Promise<readonly AuthRecord[]> {
    return (await this.connection.all(RECORD_BY_KEY, { kind, key, value: toKey(value) })).map(parseRecord)
  }

  async list(kind: string, { after = '', limit = MAX_LISTED }: RecordPage = {}): Promise<readonly AuthRecord[]> {
    return (await this.connection.all(RECORDS_OF_KIND, { kind, after, limit })).map(parseRecord)
  }

  async count(kind: string): Promise<number> {
    return Number((await this.connection.get(COUNT_OF_KIND, { kind }))?.count ?? 0)
  }
}

/** Reads and writes the records of auth adapters, inside one transaction. */
export class AuthRecordWriter extends AuthRecordReader implements RecordWriter {
  readonly #now: () => Promise<number>
  #sessionChanges: number | undefined

  /** @param now the database's clock, in milliseconds since 1970 */
  constructor(connection: Connection, now: () => Promise<number>) {
    super(connection)
    this.#now = now
  }

  /** The count of session changes that this transaction stores; `undefined` if it has none. */
  get sessionChanges(): number | undefined {
    return this.#sessionChanges
  }

  async noteSessionChange(): Promise<void> {
    this.#sessionChanges = await countSessionChange(this)
  }

  async put(kind: string, record: AuthRecord, { keys = {}, unique = [], until }: RecordOptions = {}): Promise<void> {
    const { id } = record
    for (const key of unique) await this.#requireFree(kind, id, key, keys[key])
    await this.connection.run(PUT, { kind, id, until: until ?? null, doc: JSON.stringify(record) })
    await this.connection.run(DROP_KEYS, { kind, id })
    for (const [field, value] of Object.entries(keys)) {
      await this.connection.run(ADD_KEY, { kind, id, field, value: toKey(value) })
    }
  }

  async delete(kind: string, id: string): Promise<boolean> {
    await this.connection.run(DROP_KEYS, { kind, id })
    return (await this.connection.run(DROP, { kind, id })) > 0
  }

  /** Deletes records that expired more than a day ago. */
  async dropExpired(): Promise<void> {
    const before = (await this.#now()) - EXPIRY_GRACE_MS
    await this.connection.run(DROP_KEYS_OVER, { before })
    await this.connection.run(DROP_OVER, { before })
  }

  /** Checks that a unique value is free. There are no concurrent writers, so it is still free at the commit. */
  async #requireFree(kind: string, id: string, key: string, value: string | undefined): Promise<void> {
    if (value === undefined) return
    const records = await this.find(kind, key, value)
    if (records.some((record) => record.id !== id)) throw new DuplicateKeyError(key)
  }
}

type RecordRow = { readonly doc: string }

const RECORD_BY_ID = prepareSql<RecordRow>(
  sql`SELECT doc FROM daybook$records WHERE kind = ${param('kind')} AND id = ${param('id')}`,
)
const RECORD_BY_KEY = prepareSql<RecordRow>(sql`SELECT record.doc FROM daybook$record_keys AS own
  JOIN daybook$records AS record ON record.kind = own.kind AND record.id = own.id
  WHERE own.kind = ${param('kind')} AND own.field = ${param('key')} AND own.value = ${param('value')} ORDER BY own.id`)
const RECORDS_OF_KIND = prepareSql<RecordRow>(
  sql`SELECT doc FROM daybook$records WHERE kind = ${param('kind')} AND id > ${param('after')}
    ORDER BY id LIMIT ${param('limit')}`,
)
const COUNT_OF_KIND = prepareSql<{ readonly count: number }>(
  sql`SELECT count(*) AS count FROM daybook$records WHERE kind = ${param('kind')}`,
)
const PUT = preparePut('daybook$records')
const DROP = prepareSql(sql`DELETE FROM daybook$records WHERE kind = ${param('kind')} AND id = ${param('id')}`)
const ADD_KEY = prepareInsert('daybook$record_keys')
const DROP_KEYS = prepareSql(sql`DELETE FROM daybook$record_keys WHERE kind = ${param('kind')} AND id = ${param('id')}`)
const DROP_KEYS_OVER = prepareSql(sql`DELETE FROM daybook$record_keys WHERE EXISTS (
  SELECT 1 FROM daybook$records AS record WHERE record.kind = daybook$record_keys.kind
    AND record.id = daybook$record_keys.id AND record.until < ${param('before')})`)
const DROP_OVER = prepareSql(sql`DELETE FROM daybook$records WHERE until < ${param('before')}`)

const KIND = 'session changes'
const ID = 'count'
/** The topic of announcements between nodes. */
const TOPIC = 'session-changes'
/** A number below every stored count. */
const BEFORE_ALL = -1

const readCount = async (reader: RecordReader): Promise<number> => Number((await reader.get(KIND, ID))?.count ?? 0)

/** Counts a session change in its transaction. Returns the new count. */
async function countSessionChange(writer: RecordWriter): Promise<number> {
  const count = (await readCount(writer)) + 1
  await writer.put(KIND, { id: ID, count })
  return count
}

/** Notifies listeners on all nodes that sessions may have changed, by announcements and by polling a stored count, since announcements may be lost or unavailable. */
export class SessionChanges {
  readonly #announcements: () => Announcements | undefined
  readonly #watch: GrowthWatch

  constructor(reader: RecordReader, announcements: () => Announcements | undefined) {
    this.#announcements = announcements
    this.#watch = new GrowthWatch(() => readCount(reader))
  }

  /** Calls `listener` after each change, and once at the start, since a change may have come shortly before. The returned function unsubscribes. */
  listen(listener: () => void): () => void {
    const stopPolling = this.#watch.listen(() => listener(), BEFORE_ALL)
    const stopListening = this.#announcements()?.listen(TOPIC, (text) => this.#watch.hint(Number(text)))
    return () => {
      stopPolling()
      stopListening?.()
    }
  }

  /** Reports a committed count. */
  announce(count: number): void {
    this.#watch.hint(count)
    this.#announcements()?.send(TOPIC, String(count))
  }

  close(): void {
    this.#watch.close()
  }
}
