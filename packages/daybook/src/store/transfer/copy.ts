import { StartupError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import { bare } from '../compile.ts'
import type { Connection } from '../connection.ts'
import type { Database, Snapshot } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { COPY_NOTE, readNote, writeNote } from '../notes.ts'
import { isBlankDatabase } from '../tables/layout.ts'
import { prepareSchema, type SchemaCheck } from '../tables/schema.ts'
import { createEntryTable, createSystemTables } from '../tables/table-ddl.ts'
import { GLOBALS } from '../tables/tables.ts'
import { type CopyNote, changedSince, copyOrigin, moveNote, type Origin, type TableNote } from './copy-note.ts'
import { type CopyTable, clearTables, copyTables, insertRows, readCopyPage } from './copy-tables.ts'

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
  async renew(names: readonly string[], origin: Origin = this.#note.origin): Promise<void> {
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
        await moveNote(connection, this.#note, next)
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
  const origin = await copyOrigin(source, collections)
  if (await isBlankDatabase(target.reader, target.dialect)) {
    const note = { origin, tables: {} }
    await makeTables(target, collections, note, shown)
    return { copy: new Copy(source, target, tables, note), renewed: [] }
  }
  const text = await readNote(target.reader, COPY_NOTE)
  if (text === undefined)
    throw new StartupError(`${shown} holds a store already. ${ELSEWHERE} To compare the two, add --verify-only.`)
  const note = JSON.parse(text) as CopyNote
  const then = await copyOrigin(source, collections, note.origin.head)
  if (then.digest !== note.origin.digest) {
    throw new StartupError(`${shown} holds an unfinished copy of another store. ${ELSEWHERE}`)
  }
  const copy = new Copy(source, target, tables, note)
  const changed = origin.head === note.origin.head ? undefined : await changedSince(source, note.origin.head)
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
    const occupants = await connection.all(bare<{ name: string }>(schema.occupants))
    if (occupants.length > 0) {
      const named = occupants.slice(0, MAX_NAMED_TABLES).map(({ name }) => name)
      throw new StartupError(`${shown} holds tables already: ${named.join(', ')}. ${ELSEWHERE}`)
    }
    const entryTables = collections.map((key) => createEntryTable(schema, key))
    for (const text of [...createSystemTables(schema), ...entryTables]) await connection.run(bare(text))
    await clearTables(connection, copyTables(collections))
    await writeNote(connection, COPY_NOTE, JSON.stringify(note))
  })
}

/** The most tables of others that are named. */
const MAX_NAMED_TABLES = 5

const DROP_NOTE = bare(`DELETE FROM daybook$meta WHERE key = '${COPY_NOTE}'`)

/** Makes all that is made of the rows that arrived, and takes the note away that keeps services out. */
export async function endCopy(
  connection: Connection,
  dialect: Dialect,
  model: Model,
  content: Pick<SchemaCheck, 'fillLocaleTables' | 'alignDocuments'>,
): Promise<void> {
  await connection.run(DROP_NOTE)
  await prepareSchema(connection, dialect, model, { ...content, makesOutsideTransaction: false, isFinal: true })
  for (const collection of model.collections.values()) {
    for (const { table } of [collection, ...collection.byLocale.values()]) {
      for (const text of dialect.schema.afterCopy(table)) await connection.run(bare(text))
    }
  }
}
