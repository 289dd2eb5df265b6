import { type RawBuilder, sql } from 'kysely'
import type { Connection, StoreReadContext } from './connection.ts'
import type { Database } from './database.ts'
import type { Dialect } from './dialect.ts'
import type { GrowthListener } from './growth-watch.ts'
import { STATE_ACTIONS } from './journal-actions.ts'
import { JOURNAL_FLOOR_NOTE, readNote } from './notes.ts'
import type { JournalRow } from './rows.ts'
import { build, param, prepare, prepareSql, type Statement, StatementCache } from './statement.ts'
import { GLOBALS } from './tables/tables.ts'
import { JOURNAL_HEAD } from './writes/commit-batch.ts'
import { encodeState } from './writes/journal-writer.ts'

/** The most records that are read together. */
const MAX_RECORDS = 128
/** Of so many tables at most, the statement that asks for a state is kept. */
const MAX_TABLES = 1000

/** A document as one change left it. */
export interface DocumentState {
  /** The change. */
  readonly record: JournalRow
  /** JSON, with what the other locales say under `@locales`, and orphaned values under `@orphaned`; `undefined`: the change deleted it, or it was erased since. */
  readonly doc: string | undefined
}

/** Reads the journal: every change, in order, and what documents were after each of them. */
export class Journal {
  readonly #connection: Connection
  readonly #dialect: Dialect
  readonly #statements: StatementCache

  constructor({ connection, statements, dialect }: Pick<StoreReadContext, 'connection' | 'statements' | 'dialect'>) {
    this.#connection = connection
    this.#dialect = dialect
    this.#statements = statements
  }

  /** The last `seq`; 0: nothing was ever stored. */
  async head(): Promise<number> {
    return (await this.#connection.get(JOURNAL_HEAD))?.seq ?? 0
  }

  /** The last number that the journal has been pruned up to; 0: it has every record. */
  async floor(): Promise<number> {
    return Number((await readNote(this.#connection, JOURNAL_FLOOR_NOTE)) ?? 0)
  }

  /** The record with this number. */
  record(seq: number): Promise<JournalRow | undefined> {
    return this.#connection.get(JOURNAL_RECORD, { seq })
  }

  /** The next records after a number, in order; none: there are no others yet. */
  records(after: number, limit: number = MAX_RECORDS): Promise<readonly JournalRow[]> {
    return this.#connection.all(NEXT_RECORDS, { after, limit })
  }

  /** The last record of each of these documents; those about working copies and times count, too. */
  async lastChanges(collection: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const statement = this.#statements.get('last of', () => lastRecords(this.#dialect))
    const found = await this.#connection.all(statement, { collection, ids: JSON.stringify(ids) })
    return new Map(found.map(({ id, seq }) => [id, Number(seq)]))
  }

  /** The text of a state that a document once had, or of a working copy of it; `undefined`: it is not in the journal. */
  async versionText(collection: string, id: string, seq: number): Promise<string | undefined> {
    return (await this.#connection.get(VERSION, { collection, id, seq }))?.doc ?? undefined
  }

  /**
   * A document as it was when the journal had come to a number; `undefined`: it had never been stored.
   *
   * @param collection key of a collection that the store has a table for, or `globals`
   * @param id an entry's id, or a global's key
   */
  async stateAt(collection: string, id: string, seq: number): Promise<DocumentState | undefined> {
    const statement = this.#statements.get(`state ${collection}`, () => stateOf(collection))
    const found = await this.#connection.get(statement, { collection, id, seq })
    return found && toState(found)
  }

  /**
   * Documents as they were when the journal had come to a number, and after each of their changes up to another one: in the order
   * of changes.
   *
   * @param collection see {@link stateAt}
   */
  async statesBetween(
    collection: string,
    ids: readonly string[],
    from: number,
    to: number,
  ): Promise<readonly DocumentState[]> {
    if (ids.length === 0) return []
    const statement = this.#statements.get(`states ${collection}`, () => statesOf(collection, this.#dialect))
    const found = await this.#connection.all(statement, { collection, ids: JSON.stringify(ids), from, to })
    return found.map(toState)
  }
}

/** A journal that grows. */
export class FollowableJournal extends Journal {
  readonly #database: GrowingDatabase

  /** @param database tells of growth, and reads all that is committed */
  constructor(database: GrowingDatabase) {
    super({ connection: database.reader, dialect: database.dialect, statements: new StatementCache(MAX_TABLES) })
    this.#database = database
  }

  /**
   * Calls `listener` soon after the journal has grown, by whatever node; the function that comes back ends that.
   *
   * @param after a number that the journal may have grown beyond by now: that is told, too
   */
  onGrowth(listener: GrowthListener, after?: number): () => void {
    return this.#database.onGrowth(listener, after)
  }

  /**
   * Every record after a number, in order, and each that comes later soon after its commit, by whatever node. Nothing is
   * read ahead of the consumer but one batch.
   *
   * @param signal ends it, also while it waits
   * @throws SERVICE_UNAVAILABLE when the database does not answer; following again from the last record misses nothing
   */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<JournalRow, void> {
    let growth = Promise.withResolvers<void>()
    const wake = (): void => growth.resolve()
    const end = this.#database.onGrowth(wake, after)
    signal.addEventListener('abort', wake)
    try {
      for (let last = after; !signal.aborted; ) {
        // What is told while records are read may be of later ones.
        growth = Promise.withResolvers()
        const records = await this.records(last)
        for (const record of records) {
          if (signal.aborted) return
          yield record
          last = record.seq
        }
        if (records.length < MAX_RECORDS && !signal.aborted) await growth.promise
      }
    } finally {
      signal.removeEventListener('abort', wake)
      end()
    }
  }
}

/** The part of a database that a growing journal needs. */
type GrowingDatabase = Pick<Database, 'reader' | 'dialect' | 'onGrowth'>

/** The parts of {@link encodeState}. */
export interface DecodedState {
  readonly values: Record<string, unknown>
  /** As the columns hold them. */
  readonly locales: string | null
  readonly orphaned: string | null
}

export function decodeState(text: string): DecodedState {
  const { '@locales': locales, '@orphaned': orphaned, ...values } = JSON.parse(text)
  const toText = (part: unknown): string | null => (part === undefined ? null : JSON.stringify(part))
  return { values, locales: toText(locales), orphaned: toText(orphaned) }
}

const JOURNAL_RECORD = prepare(build.selectFrom('daybook$journal').selectAll().where('seq', '=', param<number>('seq')))
const VERSION = prepareSql(sql<{ readonly doc: string | null }>`SELECT payload.doc FROM daybook$journal AS journal
  JOIN daybook$journal_payload AS payload ON payload.seq = journal.seq
  WHERE journal.seq = ${param('seq')} AND journal.collection = ${param('collection')} AND journal.id = ${param('id')}`)
const NEXT_RECORDS = prepare(
  build
    .selectFrom('daybook$journal')
    .selectAll()
    .where('seq', '>', param<number>('after'))
    .orderBy('seq')
    .limit(param<number>('limit')),
)

/** Former states that were erased change no document. */
function lastRecords(dialect: Dialect): Statement<Pick<JournalRow, 'id' | 'seq'>> {
  return prepareSql(sql<Pick<JournalRow, 'id' | 'seq'>>`SELECT id, max(seq) AS seq FROM daybook$journal
    WHERE collection = ${param('collection')} AND ${dialect.isAmong(sql.ref('id'), param('ids'))} AND action <> 'erase' GROUP BY id`)
}

/** A change of a document, its state as the journal has it, and as its table has it. */
type StateRow = JournalRow & {
  readonly payload: string | null
  readonly doc: string | null
  readonly locales: string | null
  readonly orphaned: string | null
}

/** A state stays in its table until the next one takes its place. */
const toState = ({ payload, doc, locales, orphaned, ...record }: StateRow): DocumentState => ({
  record,
  doc: payload ?? (doc === null ? undefined : encodeState({ doc, locales, orphaned })),
})

const ACTIONS = sql.join(STATE_ACTIONS.map((action) => sql.lit(action)))

/** Changes with the states that they left. One statement sees a state wherever it lies at that moment. */
function withStates(collection: string): RawBuilder<unknown> {
  const [table, id] = collection === GLOBALS ? ['daybook$globals', 'key'] : [collection, 'id']
  return sql`SELECT journal.*, payload.doc AS payload, present.doc, present.locales, present.orphaned
    FROM daybook$journal AS journal LEFT JOIN daybook$journal_payload AS payload ON payload.seq = journal.seq
    LEFT JOIN ${sql.table(table)} AS present ON ${sql.ref(`present.${id}`)} = journal.id AND present.seq = journal.seq`
}

/** The last change of a document up to a number. */
function stateOf(collection: string): Statement<StateRow> {
  return prepareSql(sql<StateRow>`${withStates(collection)}
    WHERE journal.collection = ${param('collection')} AND journal.id = ${param('id')} AND journal.seq <= ${param('seq')}
      AND journal.action IN (${ACTIONS})
    ORDER BY journal.seq DESC LIMIT 1`)
}

/** The last change of each document up to a number, and all later ones up to another. */
function statesOf(collection: string, dialect: Dialect): Statement<StateRow> {
  const before = sql`SELECT max(former.seq) FROM daybook$journal AS former WHERE former.collection = journal.collection
    AND former.id = journal.id AND former.seq <= ${param('from')} AND former.action IN (${ACTIONS})`
  return prepareSql(sql<StateRow>`${withStates(collection)}
    WHERE journal.collection = ${param('collection')} AND ${dialect.isAmong(sql.ref('journal.id'), param('ids'))}
      AND journal.seq <= ${param('to')} AND journal.action IN (${ACTIONS})
      AND (journal.seq > ${param('from')} OR journal.seq = (${before}))
    ORDER BY journal.seq`)
}
