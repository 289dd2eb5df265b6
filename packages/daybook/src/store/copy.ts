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

/** A copy of a whole store on its way. What has arrived stays, so that another run can go on with it. */
export class Copy {
  /** In the order of copying. */
  readonly tables: readonly CopyTable[]
  readonly #source: Snapshot
  readonly #target: Database
  #note: CopyNote

  /** @param note as it lies in the target */
  constructor(source: Snapshot, target: Database, tables: readonly CopyTable[], note: CopyNote) {
    this.#source = source
    this.#target = target
    this.tables = tables
    this.#note = note
  }

  /** How many rows have arrived. */
  get rows(): number {
    return Object.values(this.#note.tables).reduce((sum, { rows }) => sum + rows, 0)
  }

  /**
   * Copies what has not arrived yet.
   *
   * @param onRows told of each batch that arrived
   */
  async run(onRows: (count: number) => void): Promise<void> {
    for (const table of this.tables) await this.#copyTable(table, onRows)
  }

  /** Takes back what arrived of some tables; the next run begins them anew. */
  async renew(names: readonly string[], origin: CopyOrigin = this.#note.origin): Promise<void> {
    // A payload cannot stay without its record.
    const all = names.includes(JOURNAL) ? [...names, PAYLOAD] : names
    const others = Object.entries(this.#note.tables).filter(([name]) => !all.includes(name))
    // Records are never changed, so those that arrived stay; there may be more of them now.
    const tables = Object.fromEntries(
      others.map(([name, note]) => [name, name === JOURNAL ? { ...note, isDone: false } : note]),
    )
    await this.#change({ origin, tables }, (connection) =>
      clearTables(
        connection,
        this.tables.filter(({ name }) => all.includes(name)),
      ),
    )
  }

  async #copyTable(table: CopyTable, onRows: (count: number) => void): Promise<void> {
    const begun = this.#note.tables[table.name] ?? UNTOUCHED
    if (begun.isDone) return
    let { rows, after } = begun
    let page = await readCopyPage(this.#source, table, after)
    while (page.after) {
      rows += page.rows.length
      after = page.after
      // One side reads while the other one writes.
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

  /** Does something and notes it down, both or neither. */
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

/** A copy that was begun now or goes on. */
export interface BegunCopy {
  readonly copy: Copy
  /** Tables that begin anew, as the source has changed since an earlier run. */
  readonly renewed: readonly string[]
}

/**
 * Begins a copy, or goes on with the one that the target holds.
 *
 * @param collections keys of the stored collections of the source
 * @param shown the target's name, for errors
 * @throws {StartupError} when the target holds anything else
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
  const then = await readCopyOrigin(source, collections, note.origin.head)
  if (then.digest !== note.origin.digest) {
    throw new StartupError(`${shown} holds an unfinished copy of another store. ${ELSEWHERE}`)
  }
  const copy = new Copy(source, target, tables, note)
  const changed = origin.head === note.origin.head ? undefined : await readChangedCollections(source, note.origin.head)
  const renewed = Object.keys(note.tables).filter((name) => isAffected(name, changed))
  await copy.renew(renewed, origin)
  return { copy, renewed: changed ? renewed : [] }
}

const ELSEWHERE = 'Copy into an empty database (or an empty schema, or a new folder).'

/** Whether a table may differ after changes of some collections. Most of Daybook's own hold rows of any of them. */
function isAffected(name: string, changed: ReadonlySet<string> | undefined): boolean {
  // Old answers go without a record of the journal.
  if (!changed || name === 'daybook$idempotency') return name === 'daybook$idempotency'
  if (name === 'daybook$globals') return changed.has(GLOBALS)
  return name.startsWith('daybook$') ? name !== JOURNAL : changed.has(name)
}

/** Makes the tables that rows are copied to, and nothing that can be made faster once they are there. */
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

/** The most tables of others that are named. */
const MAX_NAMED_TABLES = 5

const DROP_NOTE = rawStatement(`DELETE FROM daybook$meta WHERE key = '${COPY_NOTE}'`)

/** Makes all that is made of the rows that arrived, and takes the note away that keeps services out. */
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

/** The origin of a copy, and its time: the last number of its journal, and a digest that tells that record from others. */
interface CopyOrigin {
  readonly head: number
  readonly digest: string
}

/** How far the copy of a table has come. */
interface TableNote {
  readonly rows: number
  /** The key of the last row. */
  readonly after?: RawRow | undefined
  readonly isDone: boolean
}

/** How far a copy has come. It lies in the target and is changed together with what it tells of. */
interface CopyNote {
  readonly origin: CopyOrigin
  /** By the names of tables; those that are missing have not begun. */
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

/** The origin of a copy of this store, as it was at a number of its journal. */
async function readCopyOrigin(source: Connection, collections: readonly string[], head?: number): Promise<CopyOrigin> {
  const seq = head ?? (await source.get(JOURNAL_HEAD))?.seq ?? 0
  const record = await source.get(COPIED_RECORD, { seq })
  const digest = createHash('sha256')
    .update(JSON.stringify([record ?? null, collections]))
    .digest('base64url')
  return { head: seq, digest }
}

/** The collections, and `globals`, that have changed since a number of the journal. */
async function readChangedCollections(source: Connection, seq: number): Promise<ReadonlySet<string>> {
  return new Set((await source.all(CHANGED, { seq })).map(({ key }) => key))
}

/** Changes the note, unless another process did. */
async function advanceCopyNote(target: Connection, before: CopyNote, next: CopyNote): Promise<void> {
  const values = { before: JSON.stringify(before), next: JSON.stringify(next) }
  if ((await target.run(MOVE_COPY_NOTE, values)) === 1) return
  throw new StartupError('Another daybook copy writes into the same target. Let it end.')
}
