import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { StartupError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Connection } from './connection.ts'
import { type CopyTable, clearTables, copyTables, insertRows, type RawRow, readCopyPage } from './copy-tables.ts'
import type { Database, Snapshot } from './database.ts'
import type { Dialect } from './dialect.ts'
import { COPY_NOTE, readNote, writeNote } from './notes.ts'
import { param, prepareSql, rawStatement } from './statement.ts'
import { isBlankDatabase } from './tables/layout.ts'
import { prepareSchema, type SchemaOptions } from './tables/schema.ts'
import { createEntryTable, createSystemTables } from './tables/table-ddl.ts'
import { GLOBALS } from './tables/tables.ts'
import { JOURNAL_HEAD, type JournalRecord } from './writes/commit-batch.ts'

const UNTOUCHED: TableNote = { rows: 0, isDone: false }

/** A copy of a whole store in progress. Copied rows stay, so that another run can continue. */
export class Copy {
  /** The tables in the order of copying. */
  readonly tables: readonly CopyTable[]
  readonly #source: Snapshot
  readonly #target: Database
  #note: CopyNote

  /** @param note the note that the target stores */
  constructor(source: Snapshot, target: Database, tables: readonly CopyTable[], note: CopyNote) {
    this.#source = source
    this.#target = target
    this.tables = tables
    this.#note = note
  }

  get rows(): number {
    return Object.values(this.#note.tables).reduce((sum, { rows }) => sum + rows, 0)
  }

  /**
   * Copies the remaining rows.
   *
   * @param onRows called with the number of rows of each batch
   */
  async run(onRows: (count: number) => void): Promise<void> {
    for (const table of this.tables) await this.#copyTable(table, onRows)
  }

  /** Deletes the copied rows of some tables, which the next run copies again. */
  async renew(names: readonly string[], origin: CopyOrigin = this.#note.origin): Promise<void> {
    // Payloads refer to records, so they are deleted with them.
    const cleared = names.includes(JOURNAL) ? [...names, PAYLOAD] : names
    const unchanged = Object.entries(this.#note.tables).filter(([name]) => !cleared.includes(name))
    // Records never change, so copied ones stay; there may be new ones.
    const tables = Object.fromEntries(
      unchanged.map(([name, note]) => [name, name === JOURNAL ? { ...note, isDone: false } : note]),
    )
    await this.#change({ origin, tables }, (connection) =>
      clearTables(
        connection,
        this.tables.filter(({ name }) => cleared.includes(name)),
      ),
    )
  }

  async #copyTable(table: CopyTable, onRows: (count: number) => void): Promise<void> {
    const note = this.#note.tables[table.name] ?? UNTOUCHED
    if (note.isDone) return
    let { rows, after } = note
    let page = await readCopyPage(this.#source, table, after)
    while (page.after) {
      rows += page.rows.length
      after = page.after
      // The source reads while the target writes.
      const [next] = await Promise.all([
        readCopyPage(this.#source, table, after),
        this.#add(table, page.rows, { rows, after, isDone: false }),
      ])
      onRows(page.rows.length)
      page = next
    }
    await this.#add(table, [], { rows, after, isDone: true })
  }

  async #add(table: CopyTable, rows: Parameters<typeof insertRows>[2], note: TableNote): Promise<void> {
    const tables = { ...this.#note.tables, [table.name]: note }
    await this.#change({ ...this.#note, tables }, (connection) => insertRows(connection, table, rows))
  }

  /** Runs `work` and stores the note of it in one transaction. */
  async #change(next: CopyNote, work: (connection: Connection) => Promise<void>): Promise<void> {
    await this.#target.transaction(
      async (connection) => {
        await advanceCopyNote(connection, this.#note, next)
        await work(connection)
      },
      { isLong: true },
    )
    this.#note = next
  }
}

const JOURNAL = 'daybook$journal'
const PAYLOAD = 'daybook$journal_payload'

export interface BegunCopy {
  readonly copy: Copy
  /** Tables that are copied again, since the source has changed after an earlier run. */
  readonly renewed: readonly string[]
}

/**
 * Begins a copy, or continues the one in the target.
 *
 * @param collections the keys of the source's stored collections
 * @param shown the name of the target, for errors
 * @throws {StartupError} if the target holds anything else
 */
export async function beginCopy(
  source: Snapshot,
  target: Database,
  collections: readonly string[],
  shown: string,
): Promise<BegunCopy> {
  const tables = copyTables(collections)
  const origin = await readCopyOrigin(source, collections)
  if (await isBlankDatabase(target.reader, target.dialect)) {
    const note = { origin, tables: {} }
    await makeTables(target, collections, note, shown)
    return { copy: new Copy(source, target, tables, note), renewed: [] }
  }
  const text = await readNote(target.reader, COPY_NOTE)
  if (text === undefined)
    throw new StartupError(`${shown} holds a store already. ${ELSEWHERE} To compare the two, add --verify-only.`)
  const note = JSON.parse(text) as CopyNote
  const previous = await readCopyOrigin(source, collections, note.origin.head)
  if (previous.digest !== note.origin.digest) {
    throw new StartupError(`${shown} holds an unfinished copy of another store. ${ELSEWHERE}`)
  }
  const copy = new Copy(source, target, tables, note)
  const changed = origin.head === note.origin.head ? undefined : await readChangedCollections(source, note.origin.head)
  const renewed = Object.keys(note.tables).filter((name) => isAffected(name, changed))
  await copy.renew(renewed, origin)
  return { copy, renewed: changed ? renewed : [] }
}

const ELSEWHERE = 'Copy into an empty database (or an empty schema, or a new folder).'

/** True if a table may have changed with some collections. Most system tables hold rows of any collection. */
function isAffected(name: string, changed: ReadonlySet<string> | undefined): boolean {
  // Idempotency records expire without a journal record.
  if (!changed || name === 'daybook$idempotency') return name === 'daybook$idempotency'
  if (name === 'daybook$globals') return changed.has(GLOBALS)
  return name.startsWith('daybook$') ? name !== JOURNAL : changed.has(name)
}

/** Creates the tables that rows are copied into. Indexes are created faster after the copy. */
async function makeTables(
  target: Database,
  collections: readonly string[],
  note: CopyNote,
  shown: string,
): Promise<void> {
  const { schema } = target.dialect
  await target.alter(async (connection) => {
    const occupants = await connection.all(rawStatement<{ name: string }>(schema.allTablesQuery))
    if (occupants.length > 0) {
      const named = occupants.slice(0, MAX_NAMED_TABLES).map(({ name }) => name)
      throw new StartupError(`${shown} holds tables already: ${named.join(', ')}. ${ELSEWHERE}`)
    }
    const entryTables = collections.map((key) => createEntryTable(schema, key))
    for (const text of [...createSystemTables(schema), ...entryTables]) await connection.run(rawStatement(text))
    await clearTables(connection, copyTables(collections))
    await writeNote(connection, COPY_NOTE, JSON.stringify(note))
  })
}

/** The maximum number of existing tables that an error names. */
const MAX_NAMED_TABLES = 5

const DROP_NOTE = rawStatement(`DELETE FROM daybook$meta WHERE key = '${COPY_NOTE}'`)

/** Creates everything derived from the copied rows, and deletes the note that keeps services out. */
export async function endCopy(
  connection: Connection,
  dialect: Dialect,
  model: Model,
  content: Pick<SchemaOptions, 'fillLocaleTables' | 'alignDocuments'>,
): Promise<void> {
  await connection.run(DROP_NOTE)
  await prepareSchema(connection, dialect, model, { ...content, canCreateOutsideTransaction: false, isFinal: true })
  for (const collection of model.collections.values()) {
    for (const { table } of [collection, ...collection.byLocale.values()]) {
      for (const text of dialect.schema.afterCopy(table)) await connection.run(rawStatement(text))
    }
  }
}

/** The source of a copy and its time: the head of its journal, and a digest that identifies that record. */
interface CopyOrigin {
  readonly head: number
  readonly digest: string
}

interface TableNote {
  readonly rows: number
  readonly after?: RawRow | undefined
  readonly isDone: boolean
}

/** The progress of a copy, stored in the target and updated in the transactions that copy rows. */
interface CopyNote {
  readonly origin: CopyOrigin
  /** By table name; missing tables have not begun. */
  readonly tables: Readonly<Record<string, TableNote>>
}

const COPIED_RECORD = prepareSql(
  sql<JournalRecord>`SELECT seq, id, at, actor, action, collection FROM daybook$journal WHERE seq = ${param('seq')}`,
)
const CHANGED = prepareSql(
  sql<{ key: string }>`SELECT DISTINCT collection AS key FROM daybook$journal WHERE seq > ${param('seq')}`,
)
const MOVE_COPY_NOTE = prepareSql(
  sql`UPDATE daybook$meta SET value = ${param('next')} WHERE key = ${COPY_NOTE} AND value = ${param('before')}`,
)

/** Reads the origin of a copy of this store, at a number of its journal. @param head the number. @default the current head */
async function readCopyOrigin(source: Connection, collections: readonly string[], head?: number): Promise<CopyOrigin> {
  const seq = head ?? (await source.get(JOURNAL_HEAD))?.seq ?? 0
  const record = await source.get(COPIED_RECORD, { seq })
  const digest = createHash('sha256')
    .update(JSON.stringify([record ?? null, collections]))
    .digest('base64url')
  return { head: seq, digest }
}

/** Returns the collections, and `globals`, that have changed since a number of the journal. */
async function readChangedCollections(source: Connection, seq: number): Promise<ReadonlySet<string>> {
  return new Set((await source.all(CHANGED, { seq })).map(({ key }) => key))
}

/** Updates the note of a copy. @throws {StartupError} if another process has updated it */
async function advanceCopyNote(target: Connection, before: CopyNote, next: CopyNote): Promise<void> {
  const values = { before: JSON.stringify(before), next: JSON.stringify(next) }
  if ((await target.run(MOVE_COPY_NOTE, values)) === 1) return
  throw new StartupError('Another daybook copy writes into the same target. Let it end.')
}
