import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import NativeDatabase, { type NativeStatement } from 'better-sqlite3'
import { DaybookError, StartupError } from '../errors.ts'
import type { Statement, Values } from './compile.ts'
import { type Connection, type Database, UniqueViolation, type WriteConnection } from './database.ts'
import type { Dialect } from './dialect.ts'
import { type Follower, JournalWatch } from './journal-watch.ts'
import { HEAD, Ledger } from './ledger.ts'
import { SQLITE } from './sqlite-dialect.ts'
import { SqliteThread } from './sqlite-thread.ts'

/** How long a write waits for another process to finish its own, in milliseconds. */
const LOCK_PATIENCE_MS = 5000
/** The most writes that share one commit. */
const MAX_GROUP = 64
/** A commit waits for so many turns of the event loop in which no other write came. */
const QUIET_TURNS = 2
/** Pages that the reading connection keeps, in KiB; SQLite's usual 2 MiB hold no more than some hundred entries. */
const READ_CACHE_KIB = 128_000
/** After so many commits, what the log holds is carried over into the file. */
const CHECKPOINT_COMMITS = 32
/** A log of so many pages of 4 KiB is carried over at once, should the thread not keep up. */
const MAX_LOG_PAGES = 16_384
const CHECKPOINT: Statement = { sql: 'PRAGMA wal_checkpoint(PASSIVE)', bind: () => [] }
/** The most prepared statements kept on one connection. */
const MAX_STATEMENTS = 500

/**
 * Whether a SQLite version is free of the WAL-reset bug, which loses committed writes when two
 * connections write and checkpoint at once: fixed in 3.51.3, and carried back to 3.50.7 and 3.44.6.
 */
export function isSafeSqlite(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (major !== 3) return major > 3
  if (minor === 44) return patch >= 6
  if (minor === 50) return patch >= 7
  return minor > 51 || (minor === 51 && patch >= 3)
}

/**
 * Opens (and where needed makes) a database file for durable use: a commit is on the disk when it is acknowledged.
 * Several processes of one machine may open the same file; a network file system may not hold it.
 *
 * @throws {StartupError} when SQLite is too old or a setting does not hold
 */
export function openSqlite(file: string): SqliteStore {
  mkdirSync(dirname(file), { recursive: true })
  return new SqliteStore(file)
}

/** Copies a database file as it stands, while others may write to it; does nothing where there is none. */
export function copySqlite(from: string, to: string): void {
  if (!existsSync(from)) return
  const native = new NativeDatabase(from, { timeout: LOCK_PATIENCE_MS })
  try {
    native.prepare('VACUUM INTO ?').run(to)
  } finally {
    native.close()
  }
}

/** An embedded database: one connection writes, one reads what is committed. */
export class SqliteStore implements Database {
  readonly dialect: Dialect = SQLITE
  readonly reader: SqliteConnection
  readonly slow: SqliteThread
  readonly #writer: SqliteWriter
  /** Carries the log over while others go on: it has two syncs of its own, for which no write should wait. */
  readonly #checkpointer: SqliteThread
  readonly #watch: JournalWatch = new JournalWatch(async () => (await this.reader.get(HEAD))?.seq ?? 0)
  #commits = 0
  readonly #queue: Job[] = []
  #draining = false
  #broken: unknown

  constructor(file: string) {
    this.#writer = new SqliteWriter(open(file))
    this.reader = new SqliteConnection(open(file))
    this.reader.native.pragma('query_only = ON')
    this.reader.native.pragma(`cache_size = -${READ_CACHE_KIB}`)
    this.slow = new SqliteThread(file, translate)
    this.#checkpointer = new SqliteThread(file, translate, { waiting: 1 })
    this.#writer.native.exec(`PRAGMA wal_autocheckpoint = ${MAX_LOG_PAGES}`)
  }

  get executed(): number {
    return this.reader.executed + this.#writer.executed
  }

  transaction<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      if (!this.#draining) void this.#drain()
    })
  }

  /** Every write holds the one lock of the file, and changes of its tables are part of the transaction. */
  alter<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    return this.transaction(work)
  }

  follow(follower: Follower): () => void {
    return this.#watch.follow(follower)
  }

  async close(): Promise<void> {
    while (this.#draining) await sleep(5)
    this.#watch.close()
    await this.#checkpointer.close()
    await this.slow.close()
    this.reader.native.close()
    this.#writer.native.close()
  }

  /** Runs DDL and the like, outside any transaction. */
  exec(text: string): void {
    this.#writer.native.exec(text)
  }

  /** Writes that wait are committed together: one sync of the disk serves them all. */
  async #drain(): Promise<void> {
    this.#draining = true
    for (await this.#gather(); this.#queue.length > 0; await this.#gather()) {
      await this.#commitGroup(this.#queue.splice(0, MAX_GROUP))
    }
    this.#draining = false
  }

  /** A commit blocks the process, so what became ready meanwhile is let in first, and what that let in, too. */
  async #gather(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS && this.#queue.length < MAX_GROUP; ) {
      const { length } = this.#queue
      await turn()
      quiet = this.#queue.length > length ? 0 : quiet + 1
    }
  }

  async #commitGroup(group: readonly Job[]): Promise<void> {
    const { native } = this.#writer
    try {
      if (this.#broken) throw this.#broken
      await this.#begin()
      this.#writer.open()
      const outcomes: (() => void)[] = []
      for (const job of group) outcomes.push(await this.#attempt(job, group.length > 1))
      await this.#writer.ledger.settle()
      this.#writer.control('COMMIT')
      for (const settle of outcomes) settle()
      const { last } = this.#writer.ledger
      if (last) this.#watch.hint(last.seq)
      this.#commits += 1
      if (this.#commits % CHECKPOINT_COMMITS === 0) this.#checkpoint()
    } catch (error) {
      if (native.inTransaction) native.exec('ROLLBACK')
      const failure = this.#failed(error)
      for (const { reject } of group) reject(failure)
    }
  }

  /** When it fails or is busy, the next one carries over what this one would have. */
  #checkpoint(): void {
    this.#checkpointer.get(CHECKPOINT).catch(() => {})
  }

  /** Runs one job; what it did stays or is undone on its own, and it learns of it after the commit. */
  async #attempt({ work, resolve, reject }: Job, shared: boolean): Promise<() => void> {
    const { native } = this.#writer
    if (!shared) {
      const value = await work(this.#writer)
      return () => resolve(value)
    }
    this.#writer.control('SAVEPOINT job')
    const { mark } = this.#writer.ledger
    try {
      const value = await work(this.#writer)
      this.#writer.control('RELEASE job')
      return () => resolve(value)
    } catch (error) {
      // A full disk or the like has undone the whole transaction already: nobody's work is left.
      if (!native.inTransaction) throw error
      native.exec('ROLLBACK TO job; RELEASE job')
      this.#writer.ledger.back(mark)
      return () => reject(error)
    }
  }

  /** Waits for other processes without blocking this one. */
  async #begin(): Promise<void> {
    const deadline = Date.now() + LOCK_PATIENCE_MS
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

  /** After a failed sync nobody knows what is on the disk: writing stops until a restart has recovered. */
  #failed(error: unknown): unknown {
    const code = sqliteCode(error)
    if (code.startsWith('SQLITE_IOERR') || code === 'SQLITE_CORRUPT') this.#broken = error
    return translate(error)
  }
}

interface Job {
  readonly work: (writer: WriteConnection) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** One connection with its prepared statements. */
export class SqliteConnection implements Connection {
  readonly native: NativeDatabase
  readonly #statements = new Map<string, NativeStatement>()
  /** How many statements have run. */
  executed = 0

  constructor(native: NativeDatabase) {
    this.native = native
  }

  async all<Row>(statement: Statement<Row>, values: Values = {}): Promise<readonly Row[]> {
    try {
      return this.#prepared(statement).all(...statement.bind(values)) as Row[]
    } catch (error) {
      throw translate(error)
    }
  }

  async get<Row>(statement: Statement<Row>, values: Values = {}): Promise<Row | undefined> {
    try {
      return this.#prepared(statement).get(...statement.bind(values)) as Row | undefined
    } catch (error) {
      throw translate(error)
    }
  }

  async run(statement: Statement, values: Values = {}): Promise<number> {
    try {
      return this.#prepared(statement).run(...statement.bind(values)).changes
    } catch (error) {
      throw translate(error)
    }
  }

  #prepared({ sql }: Statement): NativeStatement {
    this.executed += 1
    return this.kept(sql)
  }

  /** The statement of a text, prepared once. */
  protected kept(sql: string): NativeStatement {
    let found = this.#statements.get(sql)
    if (!found) {
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear()
      found = this.native.prepare(sql)
      this.#statements.set(sql, found)
    }
    return found
  }
}

/**
 * The connection that writes. Search rows wait for the commit: FTS5 writes to its table whenever a savepoint ends
 * after a change of it, so that entries which share a commit would share nothing of that work.
 */
class SqliteWriter extends SqliteConnection implements WriteConnection {
  ledger: Ledger = new Ledger(this)

  /** Begins with nothing gathered. */
  open(): void {
    this.ledger = new Ledger(this)
  }

  /** Runs a statement that begins or ends something. */
  control(sql: string): void {
    this.kept(sql).run()
  }
}

/** Settings that hold for every connection, and the value that reading each back must give. */
const SETTINGS: readonly (readonly [pragma: string, expected: unknown])[] = [
  ['synchronous', 2],
  ['foreign_keys', 1],
  ['busy_timeout', 20],
]

/**
 * Opens a file as it is, and changes nothing about it.
 *
 * @throws {StartupError} when it is no database, or SQLite is too old
 */
export function openFile(file: string): NativeDatabase {
  // Others may start on the same file: changing its mode takes turns.
  const native = new NativeDatabase(file, { timeout: LOCK_PATIENCE_MS })
  try {
    demandSafeSqlite(native)
    return native
  } catch (error) {
    native.close()
    throw sqliteCode(error) === 'SQLITE_NOTADB' ? new StartupError(`${file} is no database of SQLite.`) : error
  }
}

function demandSafeSqlite(native: NativeDatabase): void {
  const { version } = native.prepare('SELECT sqlite_version() AS version').get() as { version: string }
  if (isSafeSqlite(version)) return
  throw new StartupError(
    `SQLite ${version} can lose committed writes (the WAL-reset bug, fixed in 3.51.3). Install better-sqlite3 13 or newer.`,
  )
}

export function open(file: string): NativeDatabase {
  const native = openFile(file)
  const mode = native.pragma('journal_mode = WAL', { simple: true })
  if (mode !== 'wal') {
    throw new StartupError(`${file} cannot use write-ahead logging (it says "${mode}"). Put it on a local disk.`)
  }
  native.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF')
  native.exec('PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864')
  // From here on, waiting is done without blocking the process; see #begin.
  native.exec('PRAGMA busy_timeout = 20')
  for (const [pragma, expected] of SETTINGS) {
    const value = native.pragma(pragma, { simple: true })
    if (value !== expected) throw new StartupError(`SQLite keeps ${pragma} at ${value}, and ${expected} is needed.`)
  }
  return native
}

function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const isBusy = (error: unknown): boolean => sqliteCode(error).startsWith('SQLITE_BUSY')

/** What an error of the engine means to a client; others pass as they are. */
export function translate(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new UniqueViolation(violatedField(error as Error), error)
  }
  if (code === 'SQLITE_FULL') return new DaybookError('INSUFFICIENT_STORAGE', undefined, {}, error)
  const isOut = /^SQLITE_(?:BUSY|LOCKED|IOERR|CORRUPT|READONLY|CANTOPEN|NOTADB)/.test(code)
  return isOut ? new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error) : error
}

/** `UNIQUE constraint failed: posts.slug`, or `… failed: index 'posts$unique$seo.title'`. */
function violatedField({ message }: Error): string {
  return /index '[^']*\$([^'$]+)'/.exec(message)?.[1] ?? /failed: [^,]*\.(\w+)/.exec(message)?.[1] ?? 'id'
}
