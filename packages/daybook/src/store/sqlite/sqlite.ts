import { dirname } from 'node:path'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type NativeDatabase from 'better-sqlite3'
import type { NativeStatement } from 'better-sqlite3'
import type { WriteStep } from '../connection.ts'
import type { Database, Snapshot, StoreOptions, TransactionOptions, WriteConnection } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { type GrowthListener, GrowthWatch } from '../growth-watch.ts'
import type { ServingProcess } from '../serving-process.ts'
import { rawStatement, type Statement, type StatementValues } from '../statement.ts'
import { CommitBatch, JOURNAL_HEAD } from '../writes/commit-batch.ts'
import { makeDataFolder } from './data-folder.ts'
import { listServices, ServiceFile } from './service-files.ts'
import { SqliteConnection, translateSqliteError } from './sqlite-connection.ts'
import { SQLITE } from './sqlite-dialect.ts'
import {
  getSqliteCode,
  isBusy,
  LOCK_TIMEOUT_MS,
  openDurableFile,
  openReadOnlyFile,
  toFileError,
} from './sqlite-file.ts'
import { snapshotSqlite } from './sqlite-snapshot.ts'
import { SqliteThread } from './sqlite-thread.ts'

/** The maximum number of writes that share a commit. */
const MAX_GROUP = 64
/** The number of turns of the event loop without a new write that a commit waits for. */
const WRITER_QUIET_TURNS = 2
/** The size of the reading connection's page cache, in KiB, for frequently read pages. The operating system caches the rest. */
const READ_CACHE_KIB = 16_000
/** The number of commits between checks of the write-ahead log. */
const LOG_CHECK_COMMITS = 16
/** The size of the log, in pages of 4 KiB, from which on the thread checkpoints it. A page that several commits changed is copied once. */
const CHECKPOINT_PAGES = 4096
/** The size of the log, in pages of 4 KiB, from which on a write checkpoints it itself, if the thread does not keep up. */
const MAX_LOG_PAGES = 16_384
/** The size of the log, in pages of 4 KiB, from which on a write checkpoints it, if there is no thread. */
const UNSERVED_LOG_PAGES = 4096
const CHECKPOINT: Statement = rawStatement('PRAGMA wal_checkpoint(PASSIVE)')
/** Reads the size of the log and its checkpointed part, in pages. */
const LOG: Statement<{ readonly log: number; readonly checkpointed: number }> =
  rawStatement('PRAGMA wal_checkpoint(NOOP)')

/**
 * Opens a database file for durable use, and creates it if needed: a commit is on the disk when it is acknowledged.
 * Several processes of one machine can open the same file. It must not be on a network file system.
 *
 * @throws {StartupError} if SQLite is too old, a setting has no effect, or the file cannot be used
 */
export function openSqlite(file: string, options: StoreOptions = {}): SqliteDatabase {
  makeDataFolder(dirname(file))
  try {
    return new SqliteDatabase(file, options)
  } catch (error) {
    throw toFileError(file, error)
  }
}

/** An embedded database: one connection writes, and one reads committed data. */
export class SqliteDatabase implements Database {
  readonly dialect: Dialect = SQLITE
  readonly reader: SqliteConnection
  readonly background: SqliteThread
  readonly #file: string
  readonly #writer: SqliteWriter
  /** Checkpoints the log in a thread, since no write should wait for its two syncs. */
  readonly #checkpointer: SqliteThread | undefined
  readonly #serviceFile: ServiceFile | undefined
  readonly #watch: GrowthWatch = new GrowthWatch(async () => (await this.reader.get(JOURNAL_HEAD))?.seq ?? 0)
  readonly #version = new FileVersion()
  #commits = 0
  readonly #queue: QueuedWrite[] = []
  #draining = false
  #broken: unknown

  constructor(file: string, { isServing = true, service }: StoreOptions = {}) {
    this.#file = file
    this.#writer = new SqliteWriter(openDurableFile(file))
    const openReader = (): NativeDatabase => openReadOnlyFile(file, READ_CACHE_KIB)
    this.reader = new SqliteConnection(openReader(), openReader)
    this.background = new SqliteThread(file)
    this.#checkpointer = isServing ? new SqliteThread(file, { waiting: 1 }) : undefined
    this.#writer.native.exec(`PRAGMA wal_autocheckpoint = ${isServing ? MAX_LOG_PAGES : UNSERVED_LOG_PAGES}`)
    this.#serviceFile = service && ServiceFile.create(file, service)
  }

  get statementCount(): number {
    return this.reader.statementCount + this.#writer.statementCount
  }

  get version(): number {
    return this.#version.now(this.reader.native)
  }

  transaction<T>(
    work: (writer: WriteConnection) => Promise<T>,
    { exclusive = false, isLong = false }: TransactionOptions = {},
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, exclusive: exclusive || isLong, resolve: resolve as QueuedWrite['resolve'], reject })
      if (!this.#draining) void this.#drain()
    })
  }

  /** Runs a normal transaction: each holds the lock of the file, and changes of tables are transactional. */
  alter<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    return this.transaction(work)
  }

  onGrowth(listener: GrowthListener, after?: number): () => void {
    return this.#watch.listen(listener, after)
  }

  async listServices(): Promise<readonly ServingProcess[]> {
    return listServices(dirname(this.#file))
  }

  async snapshot(): Promise<Snapshot> {
    return snapshotSqlite(this.#file)
  }

  async close(): Promise<void> {
    while (this.#draining) await sleep(5)
    this.#watch.close()
    await this.#checkpointer?.close()
    await this.background.close()
    this.reader.native.close()
    this.#writer.native.close()
    this.#serviceFile?.release()
  }

  /** Runs SQL such as DDL outside any transaction. */
  exec(text: string): void {
    this.#writer.native.exec(text)
  }

  /** Commits queued writes together, with one sync of the disk. */
  async #drain(): Promise<void> {
    this.#draining = true
    for (await this.#gather(); this.#queue.length > 0; await this.#gather()) {
      await this.#commitGroup(this.#next())
    }
    this.#draining = false
  }

  /** Takes the next writes that share a commit. Exclusive ones get their own. */
  #next(): readonly QueuedWrite[] {
    const alone = this.#queue.findIndex(({ exclusive }) => exclusive)
    return this.#queue.splice(0, alone === -1 ? MAX_GROUP : Math.max(1, Math.min(alone, MAX_GROUP)))
  }

  /** Waits for writes that are about to come, since a commit blocks the process. */
  async #gather(): Promise<void> {
    for (let quiet = 0; quiet < WRITER_QUIET_TURNS && this.#queue.length < MAX_GROUP; ) {
      const { length } = this.#queue
      await turn()
      quiet = this.#queue.length > length ? 0 : quiet + 1
    }
  }

  async #commitGroup(group: readonly QueuedWrite[]): Promise<void> {
    const { native } = this.#writer
    try {
      if (this.#broken) throw this.#broken
      const outcomes = (await this.#run(group)) ?? (await this.#run(group, { hasSavepoints: true })) ?? []
      for (const report of outcomes) report()
      const { lastRecord } = this.#writer.batch
      if (lastRecord) this.#watch.hint(lastRecord.seq)
      await this.#checkLog()
    } catch (error) {
      if (native.inTransaction) native.exec('ROLLBACK')
      const failure = this.#failed(error)
      // Queued writes would wait for the same lock and fail in the same way.
      const refused = isBusy(error) ? [...group, ...this.#queue.splice(0)] : group
      for (const { reject } of refused) reject(failure)
    }
  }

  /**
   * Runs jobs in one transaction, and commits it.
   *
   * @returns functions that report to each job; `undefined` if nothing is stored, because a job failed half-way and there are no
   * savepoints. Savepoints would cost each write more than a repetition after such a failure
   */
  async #run(
    group: readonly QueuedWrite[],
    { hasSavepoints = false }: { readonly hasSavepoints?: boolean } = {},
  ): Promise<readonly (() => void)[] | undefined> {
    await this.#begin()
    this.#writer.beginBatch()
    const outcomes: (() => void)[] = []
    for (const job of group) {
      const outcome = hasSavepoints
        ? await this.#runInSavepoint(job)
        : await this.#runUnprotected(job, group.length > 1)
      if (outcome) outcomes.push(outcome)
      else return this.#undo()
    }
    await this.#writer.batch.flush()
    this.#writer.control('COMMIT')
    return outcomes
  }

  #undo(): undefined {
    this.#writer.native.exec('ROLLBACK')
  }

  async #checkLog(): Promise<void> {
    this.#commits += 1
    if (!this.#checkpointer || this.#commits % LOG_CHECK_COMMITS !== 0) return
    const { log, checkpointed } = (await this.#writer.get(LOG)) ?? { log: 0, checkpointed: 0 }
    // If it fails or is busy, the next one checkpoints the same pages.
    if (log - checkpointed >= CHECKPOINT_PAGES) this.#checkpointer.get(CHECKPOINT).catch(() => {})
  }

  /** Runs a job without a savepoint. Returns a function that reports to it after the commit; `undefined` if it failed after changes, and others share the transaction. */
  async #runUnprotected({ work, resolve, reject }: QueuedWrite, isShared: boolean): Promise<(() => void) | undefined> {
    const { savepoint } = this.#writer.batch
    this.#writer.hasChanged = false
    try {
      const value = await work(this.#writer)
      return () => resolve(value)
    } catch (error) {
      // An error such as a full disk has already rolled back the whole transaction.
      if (!isShared || !this.#writer.native.inTransaction) throw error
      if (this.#writer.hasChanged) return undefined
      this.#writer.batch.rollbackTo(savepoint)
      return () => reject(error)
    }
  }

  /** Runs a job with a savepoint, so that a failed one is rolled back alone. */
  async #runInSavepoint({ work, resolve, reject }: QueuedWrite): Promise<() => void> {
    const { native } = this.#writer
    this.#writer.control('SAVEPOINT job')
    const { savepoint } = this.#writer.batch
    try {
      const value = await work(this.#writer)
      this.#writer.control('RELEASE job')
      return () => resolve(value)
    } catch (error) {
      if (!native.inTransaction) throw error
      native.exec('ROLLBACK TO job; RELEASE job')
      this.#writer.batch.rollbackTo(savepoint)
      return () => reject(error)
    }
  }

  /** Begins a transaction. Waits for other processes without blocking this one. */
  async #begin(): Promise<void> {
    const deadline = Date.now() + LOCK_TIMEOUT_MS
    for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
      try {
        this.#writer.control('BEGIN IMMEDIATE')
        return
      } catch (error) {
        if (!isBusy(error) || Date.now() > deadline) throw error
      }
      await sleep(wait)
    }
  }

  /** Translates an error. After a failed sync, the state of the disk is unknown, so writing stops until a restart has recovered it. */
  #failed(error: unknown): unknown {
    const code = getSqliteCode(error)
    if (code.startsWith('SQLITE_IOERR') || code === 'SQLITE_CORRUPT') this.#broken = error
    return translateSqliteError(error)
  }
}

/** The version of a file, by SQLite's count of the commits of others that a reading connection sees. */
class FileVersion {
  #native: NativeDatabase | undefined
  #statement: NativeStatement | undefined
  #lastCount: unknown
  #version = 0

  /** @param native the connection; the count of a new one starts again */
  now(native: NativeDatabase): number {
    if (native !== this.#native) {
      this.#native = native
      this.#statement = native.prepare('PRAGMA data_version').pluck()
      this.#lastCount = undefined
    }
    const count = this.#statement?.get()
    if (count !== this.#lastCount) this.#version += 1
    this.#lastCount = count
    return this.#version
  }
}

interface QueuedWrite {
  readonly work: (writer: WriteConnection) => Promise<unknown>
  /** True if it does not share its commit. */
  readonly exclusive: boolean
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

export class SqliteWriter extends SqliteConnection implements WriteConnection {
  batch: CommitBatch = new CommitBatch(this)

  async insert(statement: Statement<{ readonly pk: number }>, values: StatementValues): Promise<number> {
    return this.execute(statement, (prepared) => prepared.run(...statement.bind(values)).lastInsertRowid)
  }

  /** Stops at the first failure: it may have rolled back the transaction, and later statements would be stored by themselves. */
  async pipeline(steps: readonly WriteStep[]): Promise<void> {
    for (const step of steps) await step()
  }

  beginBatch(): void {
    this.batch = new CommitBatch(this)
  }

  /** Runs a statement such as BEGIN, COMMIT or SAVEPOINT. */
  control(sql: string): void {
    this.statements.get(sql).run()
  }
}
