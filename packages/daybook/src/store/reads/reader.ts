import type { Connection, StoreReadContext } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { Journal } from '../journal.ts'
import { ScheduleReader } from '../records/schedules.ts'
import type { GlobalRow } from '../rows.ts'
import { build, param, prepare, StatementCache } from '../statement.ts'
import { CountersReader, type Versioned } from './counters-reader.ts'
import { DraftReader } from './draft-reader.ts'
import { EntryReader } from './entry-reader.ts'
import { FeedReader } from './feed-reader.ts'
import { HistoryReader } from './history-reader.ts'
import { ListReader } from './list-reader.ts'
import { OrderReader } from './order-reader.ts'
import { ReferenceReader } from './reference-reader.ts'
import { ReverseReader } from './reverse-reader.ts'
import { SystemReader } from './system-reader.ts'

/** The maximum number of cached statements of reads, which clients can vary without limit. */
const MAX_READER_STATEMENTS = 250

export class Reader {
  readonly dialect: Dialect
  readonly entries: EntryReader
  readonly lists: ListReader
  readonly drafts: DraftReader
  readonly counters: CountersReader
  readonly feed: FeedReader
  readonly globals: GlobalReader
  readonly order: OrderReader
  readonly references: ReferenceReader
  readonly reverses: ReverseReader
  readonly journal: Journal
  readonly history: HistoryReader
  readonly system: SystemReader
  readonly schedules: ScheduleReader
  readonly #statements: StatementCache

  /**
   * @param background runs statements that may take long
   * @param database knows if something was stored; absent in a transaction and on a snapshot
   */
  constructor(
    dialect: Dialect,
    connection: Connection,
    background: Connection = connection,
    database: Versioned = {},
    statements: StatementCache = new StatementCache(MAX_READER_STATEMENTS),
  ) {
    const source: StoreReadContext = { dialect, connection, background, statements }
    this.dialect = dialect
    this.entries = new EntryReader(source)
    this.lists = new ListReader(source)
    this.drafts = new DraftReader(source)
    this.counters = new CountersReader(connection, database)
    this.feed = new FeedReader(source)
    this.globals = new GlobalReader(source)
    this.order = new OrderReader(source)
    this.references = new ReferenceReader(source)
    this.reverses = new ReverseReader(source)
    this.journal = new Journal(source)
    this.history = new HistoryReader(source)
    this.system = new SystemReader(source)
    this.schedules = new ScheduleReader(source)
    this.#statements = statements
  }

  /** Returns the same readers on another connection, such as that of a transaction. */
  on(connection: Connection): Reader {
    return new Reader(this.dialect, connection, connection, undefined, this.#statements)
  }
}

class GlobalReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /** Returns the global with this key; `undefined` if it was never written. */
  byKey(key: string): Promise<GlobalRow | undefined> {
    return this.#source.connection.get(GLOBAL_BY_KEY, { key })
  }
}

const GLOBAL_BY_KEY = prepare(build.selectFrom('daybook$globals').selectAll().where('key', '=', param<string>('key')))
