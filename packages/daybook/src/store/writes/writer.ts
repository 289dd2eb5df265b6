import type { StoreWriteContext, WriteConnection } from '../database.ts'
import type { Reader } from '../reads/reader.ts'
import { AuthRecordWriter } from '../records/auth-records.ts'
import { FileClaims } from '../records/file-claims.ts'
import { LeaseRecords } from '../records/lease-records.ts'
import { MigrationRecords } from '../records/migration-records.ts'
import { RateLimits } from '../records/rate-limits.ts'
import { ScheduleWriter } from '../records/schedules.ts'
import type { FieldReference, GlobalRow } from '../rows.ts'
import { preparePut, type StatementCache } from '../statement.ts'
import { GLOBALS } from '../tables/tables.ts'
import { BulkCollector, BulkUpdate } from './bulk-update.ts'
import type { JournalRecord } from './commit-batch.ts'
import { DraftWriter } from './draft-writer.ts'
import { supportsBulk } from './entry-rows.ts'
import { EntryWriter, ReferenceWriter } from './entry-writer.ts'
import { HistoryWriter } from './history-writer.ts'
import { HookTransaction } from './hook-transaction.ts'
import { encodeState, JournalWriter } from './journal-writer.ts'
import { SystemWriter } from './system-writer.ts'

export class Writer {
  readonly read: Reader
  readonly entries: EntryWriter
  readonly drafts: DraftWriter
  readonly globals: GlobalWriter
  readonly references: ReferenceWriter
  readonly journal: JournalWriter
  readonly history: HistoryWriter
  readonly schedules: ScheduleWriter
  readonly system: SystemWriter
  readonly migrations: MigrationRecords
  readonly leases: LeaseRecords
  readonly fileClaims: FileClaims
  readonly rateLimits: RateLimits
  readonly #source: StoreWriteContext
  /** The database's clock, in milliseconds since 1970. The clocks of nodes may differ. */
  readonly #now = (): Promise<number> => this.read.schedules.now()

  /** @param collector collects updates and deletions of entries to store them in bulk */
  constructor(connection: WriteConnection, reader: Reader, statements: StatementCache, collector?: BulkCollector) {
    const source: StoreWriteContext = { connection, dialect: reader.dialect, statements }
    this.read = reader.on(connection)
    this.entries = new EntryWriter(source, collector)
    this.drafts = new DraftWriter(source)
    this.globals = new GlobalWriter(source)
    this.references = new ReferenceWriter(source)
    this.journal = new JournalWriter(connection)
    this.history = new HistoryWriter(connection)
    this.schedules = new ScheduleWriter(connection, this.#now)
    this.system = new SystemWriter(source)
    this.migrations = new MigrationRecords(connection)
    this.leases = new LeaseRecords(connection, this.#now)
    this.fileClaims = new FileClaims(connection, this.#now)
    this.rateLimits = new RateLimits(connection, this.#now)
    this.#source = source
  }

  /** The records of auth adapters and others, whose `sessionChanges` counts those of this transaction only. */
  get records(): AuthRecordWriter {
    return new AuthRecordWriter(this.#source.connection, this.#now)
  }

  /** The last change of the transaction; `undefined` if there is none. */
  get lastRecord(): JournalRecord | undefined {
    return this.#source.connection.batch.lastRecord
  }

  /** Starts watching the changes of this transaction. The returned function returns the number of the first one since; `undefined` if there is none. */
  watchFirstSeq(): () => number | undefined {
    return this.#source.connection.batch.watchFirstSeq()
  }

  /** Writes what is deferred to the commit, so that a long transaction does not hold all of it in memory. */
  async flush(): Promise<void> {
    await this.#source.connection.batch.flush()
  }

  /** True if the engine stores many entries at once, see {@link bulk}. */
  get supportsBulk(): boolean {
    return supportsBulk(this.#source)
  }

  /**
   * Runs tasks that change or delete at most one entry each, and that do not read what another task stores. Their changes are stored in
   * bulk. After one that fails, the engine rejects the rest of the transaction.
   */
  async bulk<T>(tasks: readonly ((writer: Writer) => Promise<T>)[]): Promise<readonly PromiseSettledResult<T>[]> {
    const source = this.#source
    if (!supportsBulk(source)) throw new Error('The engine stores entries one by one.')
    const collector = new BulkCollector(new BulkUpdate(source), tasks.length)
    const writer = new Writer(source.connection, this.read, source.statements, collector)
    return Promise.allSettled(tasks.map((task) => task(writer).finally(() => collector.end())))
  }

  lendToHook(): HookTransaction {
    return new HookTransaction(this.#source.dialect, this.#source.connection)
  }
}

class GlobalWriter {
  readonly #source: StoreWriteContext
  readonly #journal: JournalWriter
  readonly #references: ReferenceWriter

  constructor(source: StoreWriteContext) {
    this.#source = source
    this.#journal = new JournalWriter(source.connection)
    this.#references = new ReferenceWriter(source)
  }

  /** @param before `undefined` if the global was never written */
  async write(
    before: GlobalRow | undefined,
    row: Omit<GlobalRow, 'seq'>,
    references: readonly FieldReference[],
    at: string,
    actor: string,
  ): Promise<number> {
    const { connection } = this.#source
    const { key } = row
    const seq = await connection.batch.nextSeq(key, at)
    await connection.pipeline([
      ...this.#journal.steps(
        { seq, at, actor, action: before ? 'update' : 'create', collection: GLOBALS, id: key },
        before ? [{ seq: before.seq, doc: encodeState(before) }] : [],
      ),
      () => connection.run(PUT_GLOBAL, { ...row, seq }),
      ...this.#references.replaceSteps(GLOBALS, key, references),
    ])
    return seq
  }
}

const PUT_GLOBAL = preparePut('daybook$globals')
