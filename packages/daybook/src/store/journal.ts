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

/** The maximum number of records in a batch. */
const MAX_RECORDS = 128
/** The maximum number of cached statements; there are two for each table. */
const MAX_TABLES = 1000

/** A document after a change. */
export interface DocumentState {
  readonly record: JournalRow
  /** JSON with the values of the other locales under `@locales` and orphaned values under `@orphaned`; `undefined` if the change deleted the document, or the state was erased. */
  readonly doc: string | undefined
}

/** Reads the journal: all changes in order, and the state of documents after each. */
export class Journal {
  readonly #connection: Connection
  readonly #dialect: Dialect
  readonly #statements: StatementCache

  constructor({ connection, statements, dialect }: Pick<StoreReadContext, 'connection' | 'statements' | 'dialect'>) {
    this.#connection = connection
    this.#dialect = dialect
    this.#statements = statements
  }

  /** Returns the last `seq`; 0 if nothing was ever stored. */
  async head(): Promise<number> {
    return (await this.#connection.get(JOURNAL_HEAD))?.seq ?? 0
  }

  /** Returns the number up to which the journal has been pruned; 0 if it is complete. */
  async floor(): Promise<number> {
    return Number((await readNote(this.#connection, JOURNAL_FLOOR_NOTE)) ?? 0)
  }

  record(seq: number): Promise<JournalRow | undefined> {
    return this.#connection.get(JOURNAL_RECORD, { seq })
  }

  /** Returns the next records after a number, in order. */
  records(after: number, limit: number = MAX_RECORDS): Promise<readonly JournalRow[]> {
    return this.#connection.all(NEXT_RECORDS, { after, limit })
  }

  /** Returns the records before a number, the newest first. */
  recordsBefore(before: number, limit: number): Promise<readonly JournalRow[]> {
    return this.#connection.all(FORMER_RECORDS, { before, limit })
  }

  /** Returns the number of the last record of each of these documents, including records of drafts and schedules. */
  async lastChanges(collection: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const statement = this.#statements.get('last of', () => lastRecordsStatement(this.#dialect))
    const result = await this.#connection.all(statement, { collection, ids: JSON.stringify(ids) })
    return new Map(result.map(({ id, seq }) => [id, Number(seq)]))
  }

  /** Returns the text of a former state or draft of a document; `undefined` if the journal does not have it. */
  async versionText(collection: string, id: string, seq: number): Promise<string | undefined> {
    return (await this.#connection.get(VERSION, { collection, id, seq }))?.doc ?? undefined
  }

  /**
   * Returns a document as it was at a number of the journal; `undefined` if it had never been stored.
   *
   * @param collection the key of a collection with a table, or `globals`
   * @param id an entry's id, or a global's key
   */
  async stateAt(collection: string, id: string, seq: number): Promise<DocumentState | undefined> {
    const statement = this.#statements.get(`state ${collection}`, () => stateStatement(collection))
    const result = await this.#connection.get(statement, { collection, id, seq })
    return result && toState(result)
  }

  /**
   * Returns documents as they were at the number `from`, and after each of their changes up to the number `to`, in the order of changes.
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
    const statement = this.#statements.get(`states ${collection}`, () => statesStatement(collection, this.#dialect))
    const result = await this.#connection.all(statement, { collection, ids: JSON.stringify(ids), from, to })
    return result.map(toState)
  }
}

/** A journal that can be followed. */
export class FollowableJournal extends Journal {
  readonly #database: GrowingDatabase

  constructor(database: GrowingDatabase) {
    super({ connection: database.reader, dialect: database.dialect, statements: new StatementCache(MAX_TABLES) })
    this.#database = database
  }

  /**
   * Calls `listener` soon after any node has added to the journal. The returned function unsubscribes.
   *
   * @param after a number that the journal may already have exceeded: that growth is reported, too
   */
  onGrowth(listener: GrowthListener, after?: number): () => void {
    return this.#database.onGrowth(listener, after)
  }

  /**
   * Yields every record after a number, in order, and each later one of any node soon after its commit. At most one batch is read ahead of
   * the consumer.
   *
   * @param signal ends the iteration, also while it waits
   * @throws SERVICE_UNAVAILABLE if the database does not respond; following again from the last record misses nothing
   */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<JournalRow, void> {
    let growth = Promise.withResolvers<void>()
    const wake = (): void => growth.resolve()
    const unsubscribe = this.#database.onGrowth(wake, after)
    signal.addEventListener('abort', wake)
    try {
      for (let last = after; !signal.aborted; ) {
        // Growth during the read may be of later records.
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
      unsubscribe()
    }
  }
}

/** The part of a database that a growing journal needs. */
type GrowingDatabase = Pick<Database, 'reader' | 'dialect' | 'onGrowth'>

/** The parts of {@link encodeState}. */
export interface DecodedState {
  readonly values: Record<string, unknown>
  /** JSON, as the columns hold it. */
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

const FORMER_RECORDS = prepare(
  build
    .selectFrom('daybook$journal')
    .selectAll()
    .where('seq', '<', param<number>('before'))
    .orderBy('seq', 'desc')
    .limit(param<number>('limit')),
)

/** Leaves out erasures, which change no document. */
function lastRecordsStatement(dialect: Dialect): Statement<Pick<JournalRow, 'id' | 'seq'>> {
  return prepareSql(sql<Pick<JournalRow, 'id' | 'seq'>>`SELECT id, max(seq) AS seq FROM daybook$journal
    WHERE collection = ${param('collection')} AND ${dialect.isAmong(sql.ref('id'), param('ids'))} AND action <> 'erase' GROUP BY id`)
}

/** A change of a document, with its state in the journal and in its table. */
type StateRow = JournalRow & {
  readonly payload: string | null
  readonly doc: string | null
  readonly locales: string | null
  readonly orphaned: string | null
}

/** Takes the state from the journal, or from the table, where it stays until the next one replaces it. */
const toState = ({ payload, doc, locales, orphaned, ...record }: StateRow): DocumentState => ({
  record,
  doc: payload ?? (doc === null ? undefined : encodeState({ doc, locales, orphaned })),
})

const ACTIONS = sql.join(STATE_ACTIONS.map((action) => sql.lit(action)))

/** Selects changes with their states. A single statement finds a state wherever it is at that moment. */
function withStates(collection: string): RawBuilder<unknown> {
  const [table, id] = collection === GLOBALS ? ['daybook$globals', 'key'] : [collection, 'id']
  return sql`SELECT journal.*, payload.doc AS payload, present.doc, present.locales, present.orphaned
    FROM daybook$journal AS journal LEFT JOIN daybook$journal_payload AS payload ON payload.seq = journal.seq
    LEFT JOIN ${sql.table(table)} AS present ON ${sql.ref(`present.${id}`)} = journal.id AND present.seq = journal.seq`
}

/** Selects the last change of a document up to a number. */
function stateStatement(collection: string): Statement<StateRow> {
  return prepareSql(sql<StateRow>`${withStates(collection)}
    WHERE journal.collection = ${param('collection')} AND journal.id = ${param('id')} AND journal.seq <= ${param('seq')}
      AND journal.action IN (${ACTIONS})
    ORDER BY journal.seq DESC LIMIT 1`)
}

/** Selects the last change of each document up to the number `from`, and all later ones up to the number `to`. */
function statesStatement(collection: string, dialect: Dialect): Statement<StateRow> {
  const before = sql`SELECT max(former.seq) FROM daybook$journal AS former WHERE former.collection = journal.collection
    AND former.id = journal.id AND former.seq <= ${param('from')} AND former.action IN (${ACTIONS})`
  return prepareSql(sql<StateRow>`${withStates(collection)}
    WHERE journal.collection = ${param('collection')} AND ${dialect.isAmong(sql.ref('journal.id'), param('ids'))}
      AND journal.seq <= ${param('to')} AND journal.action IN (${ACTIONS})
      AND (journal.seq > ${param('from')} OR journal.seq = (${before}))
    ORDER BY journal.seq`)
}
