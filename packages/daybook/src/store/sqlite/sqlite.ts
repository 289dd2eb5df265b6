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

/** The most writes that share one commit. */
const MAX_GROUP = 64
/** A commit waits for so many turns of the event loop in which no other write came. */
const WRITER_QUIET_TURNS = 2
/** Pages that the reading connection keeps, in KiB: what is read again and again; the system's own cache has the others. */
const READ_CACHE_KIB = 16_000
/** After so many commits, the log is looked at. */
const LOG_LOOK_COMMITS = 16
/** From so many pages of 4 KiB on, what the log holds is carried over into the file: once for all commits that changed a page. */
const CHECKPOINT_PAGES = 4096
/** A log of so many pages of 4 KiB is carried over by the write that finds it, should the thread not keep up. */
const MAX_LOG_PAGES = 16_384
/** The same where there is no thread. */
const UNSERVED_LOG_PAGES = 4096
const CHECKPOINT: Statement = rawStatement('PRAGMA wal_checkpoint(PASSIVE)')
/** How many pages the log has, and how many of them are carried over. */
const LOG: Statement<{ readonly log: number; readonly checkpointed: number }> =
  rawStatement('PRAGMA wal_checkpoint(NOOP)')

/**
 * Opens (and where needed makes) a database file for durable use: a commit is on the disk when it is acknowledged.
 * Several processes of one machine may open the same file; a network file system may not hold it.
 *
 * @throws {StartupError} when SQLite is too old, a setting does not hold, or the file cannot be used
 */
export function openSqlite(file: string, options: StoreOptions = {}): SqliteDatabase {
  makeDataFolder(dirname(file))
  try {
    return new SqliteDatabase(file, options)
  } catch (error) {
    throw toFileError(file, error)
  }
}

/** An embedded database: one connection writes, one reads what is committed. */
export class SqliteDatabase implements Database {
  readonly dialect: Dialect = SQLITE
  readonly reader: SqliteConnection
  readonly background: SqliteThread
  readonly #file: string
  readonly #writer: SqliteWriter
  /** Carries the log over while others go on: it has two syncs of its own, for which no write should wait. */
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

  /** Every write holds the one lock of the file, and changes of its tables are part of the transaction. */
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

  /** Runs DDL and the like, outside any transaction. */
  exec(text: string): void {
    this.#writer.native.exec(text)
  }

  /** Writes that wait are committed together: one sync of the disk serves them all. */
  async #drain(): Promise<void> {
    this.#draining = true
    for (await this.#gather(); this.#queue.length > 0; await this.#gather()) {
      await this.#commitGroup(this.#next())
    }
    this.#draining = false
  }

  /** The next writes that share a commit; some have their own. */
  #next(): readonly QueuedWrite[] {
    const alone = this.#queue.findIndex(({ exclusive }) => exclusive)
    return this.#queue.splice(0, alone === -1 ? MAX_GROUP : Math.max(1, Math.min(alone, MAX_GROUP)))
  }

  /** A commit blocks the process, so what became ready meanwhile is let in first, and what that let in, too. */
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
      for (const settle of outcomes) settle()
      const { lastRecord: last } = this.#writer.batch
      if (last) this.#watch.hint(last.seq)
      await this.#lookAtLog()
    } catch (error) {
      if (native.inTransaction) native.exec('ROLLBACK')
      const failure = this.#failed(error)
      // Queued writes would wait for the same lock, and fail in the same way.
      const refused = isBusy(error) ? [...group, ...this.#queue.splice(0)] : group
      for (const { reject } of refused) reject(failure)
    }
  }

  /**
   * Runs jobs in one transaction, and commits it.
   *
   * @returns what tells each job how it ended; `undefined`: nothing is stored, as one failed half-way and there are no savepoints,
   * which cost each write more than it costs to begin again after such a failure
   */
  async #run(
    group: readonly QueuedWrite[],
    { hasSavepoints = false }: { readonly hasSavepoints?: boolean } = {},
  ): Promise<readonly (() => void)[] | undefined> {
    await this.#begin()
    this.#writer.beginBatch()
    const outcomes: (() => void)[] = []
    for (const job of group) {
      const outcome = hasSavepoints ? await this.#attempt(job) : await this.#tryOut(job, group.length > 1)
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

  async #lookAtLog(): Promise<void> {
    this.#commits += 1
    if (!this.#checkpointer || this.#commits % LOG_LOOK_COMMITS !== 0) return
    const { log, checkpointed } = (await this.#writer.get(LOG)) ?? { log: 0, checkpointed: 0 }
    // When it fails or is busy, the next one carries over what this one would have.
    if (log - checkpointed >= CHECKPOINT_PAGES) this.#checkpointer.get(CHECKPOINT).catch(() => {})
  }

  /** Runs one job, which learns how it ended after the commit; `undefined`: it failed and left something behind, beside others. */
  async #tryOut({ work, resolve, reject }: QueuedWrite, isShared: boolean): Promise<(() => void) | undefined> {
    const { savepoint } = this.#writer.batch
    this.#writer.hasChanged = false
    try {
      const value = await work(this.#writer)
      return () => resolve(value)
    } catch (error) {
      // A full disk or the like has undone the whole transaction already: no write of the group is left.
      if (!isShared || !this.#writer.native.inTransaction) throw error
      if (this.#writer.hasChanged) return undefined
      this.#writer.batch.rollbackTo(savepoint)
      return () => reject(error)
    }
  }

  /** The same with a savepoint: what the job did is undone on its own. */
  async #attempt({ work, resolve, reject }: QueuedWrite): Promise<() => void> {
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

  /** Waits for other processes without blocking this one. */
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

  /** After a failed sync it is unknown what is on the disk: writing stops until a restart has recovered. */
  #failed(error: unknown): unknown {
    const code = getSqliteCode(error)
    if (code.startsWith('SQLITE_IOERR') || code === 'SQLITE_CORRUPT') this.#broken = error
    return translateSqliteError(error)
  }
}

/** Where a connection that only reads stands: SQLite counts the commits of others that it finds. */
class FileVersion {
  #native: NativeDatabase | undefined
  #statement: NativeStatement | undefined
  #seen: unknown
  #version = 0

  /** @param native may be another one than before: its count begins anew, too */
  now(native: NativeDatabase): number {
    if (native !== this.#native) {
      this.#native = native
      this.#statement = native.prepare('PRAGMA data_version').pluck()
      this.#seen = undefined
    }
    const seen = this.#statement?.get()
    if (seen !== this.#seen) this.#version += 1
    this.#seen = seen
    return this.#version
  }
}

interface QueuedWrite {
  readonly work: (writer: WriteConnection) => Promise<unknown>
  /** Whether it has a commit of its own. */
  readonly exclusive: boolean
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** The connection that writes. */
export class SqliteWriter extends SqliteConnection implements WriteConnection {
  batch: CommitBatch = new CommitBatch(this)

  async insert(statement: Statement<{ readonly pk: number }>, values: StatementValues): Promise<number> {
    return this.execute(statement, (prepared) => prepared.run(...statement.bind(values)).lastInsertRowid)
  }

  /** What follows a failed write must not run: it may have undone the transaction, and would be stored by itself. */
  async pipeline(steps: readonly WriteStep[]): Promise<void> {
    for (const step of steps) await step()
  }

  /** Begins with nothing gathered. */
  beginBatch(): void {
    this.batch = new CommitBatch(this)
  }

  /** Runs a statement that begins or ends something. */
  control(sql: string): void {
    this.statements.get(sql).run()
  }
}
