import type { StatementCache } from '../compile.ts'
import type { WriteConnection, WriteSource } from '../database.ts'
import type { Reader } from '../reads/read.ts'
import { FileClaims } from '../records/file-claims.ts'
import { Leases } from '../records/leases.ts'
import { MigrationRecords } from '../records/migration-records.ts'
import { RateLimits } from '../records/rate-limits.ts'
import { WrittenRecords } from '../records/records.ts'
import { WrittenSchedules } from '../records/schedules.ts'
import { WrittenHistory } from '../records/written-history.ts'
import { BulkCollector, BulkUpdate } from './bulk-update.ts'
import type { JournalRecord } from './commit-batch.ts'
import { DraftWriter } from './draft-writer.ts'
import { isBulk } from './entry-rows.ts'
import { EntryWriter } from './entry-writer.ts'
import { GlobalWriter } from './global-writer.ts'
import { JournalWriter } from './journal-writer.ts'
import { LentTransaction } from './lent-transaction.ts'
import { ReferenceWriter } from './reference-writer.ts'
import { SystemWriter } from './system-writer.ts'

/** The writing half of the store, inside one transaction: a writer for each subject. */
export class Writer {
  readonly read: Reader
  readonly entries: EntryWriter
  readonly drafts: DraftWriter
  readonly globals: GlobalWriter
  readonly references: ReferenceWriter
  readonly journal: JournalWriter
  readonly history: WrittenHistory
  readonly schedules: WrittenSchedules
  readonly system: SystemWriter
  readonly migrations: MigrationRecords
  readonly leases: Leases
  readonly fileClaims: FileClaims
  readonly rateLimits: RateLimits
  readonly #source: WriteSource
  /** The database's clock, in milliseconds since 1970: those of nodes may differ. */
  readonly #now = (): Promise<number> => this.read.schedules.now()

  /** @param collector takes updates and deletions of entries that are stored in bulk */
  constructor(connection: WriteConnection, reader: Reader, statements: StatementCache, collector?: BulkCollector) {
    const source: WriteSource = { connection, dialect: reader.dialect, statements }
    this.read = reader.on(connection)
    this.entries = new EntryWriter(source, collector)
    this.drafts = new DraftWriter(source)
    this.globals = new GlobalWriter(source)
    this.references = new ReferenceWriter(source)
    this.journal = new JournalWriter(connection)
    this.history = new WrittenHistory(connection)
    this.schedules = new WrittenSchedules(connection, this.#now)
    this.system = new SystemWriter(source)
    this.migrations = new MigrationRecords(connection)
    this.leases = new Leases(connection, this.#now)
    this.fileClaims = new FileClaims(connection, this.#now)
    this.rateLimits = new RateLimits(connection, this.#now)
    this.#source = source
  }

  /** Records of auth adapters and others, which note session changes of this transaction alone. */
  get records(): WrittenRecords {
    return new WrittenRecords(this.#source.connection, this.#now)
  }

  /** The last change of the transaction; `undefined`: there is none. */
  get last(): JournalRecord | undefined {
    return this.#source.connection.batch.last
  }

  /** Begins to watch the changes of this transaction. The returned function returns the number of the first one since; `undefined`: there is none. */
  watch(): () => number | undefined {
    return this.#source.connection.batch.watch()
  }

  /** Writes what waits for the commit, so that a long transaction does not hold it all in memory. */
  async flush(): Promise<void> {
    await this.#source.connection.batch.flush()
  }

  /** True if the engine stores many entries at once, see {@link bulk}. */
  get isBulk(): boolean {
    return isBulk(this.#source)
  }

  /**
   * Runs works that change or delete one entry each at most, and that read nothing which another one stores. Their changes are
   * stored together. After one that fails, the engine refuses the rest of the transaction.
   */
  async bulk<T>(works: readonly ((writer: Writer) => Promise<T>)[]): Promise<readonly PromiseSettledResult<T>[]> {
    const source = this.#source
    if (!isBulk(source)) throw new Error('The engine stores entries one by one.')
    const collector = new BulkCollector(new BulkUpdate(source), works.length)
    const writer = new Writer(source.connection, this.read, source.statements, collector)
    return Promise.allSettled(works.map((work) => work(writer).finally(() => collector.end())))
  }

  /** Lends the transaction to a hook. */
  lend(): LentTransaction {
    return new LentTransaction(this.#source.dialect, this.#source.connection)
  }
}
