import { existsSync } from 'node:fs'
import NativeDatabase from 'better-sqlite3'
import { DatabaseFileError, DaybookError, StartupError } from '../../errors.ts'
import { DecimalSum } from '../decimal.ts'
import { createPrivateFile } from './data-folder.ts'

/** The time for which a write waits for those of other processes, in milliseconds. */
export const LOCK_TIMEOUT_MS = 5000

/**
 * Returns true if a SQLite version is free of the WAL-reset bug, which loses committed writes when two connections write and checkpoint
 * concurrently. It was fixed in 3.51.3, and backported to 3.50.7 and 3.44.6.
 */
export function isSafeSqlite(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (major !== 3) return major > 3
  if (minor === 44) return patch >= 6
  if (minor === 50) return patch >= 7
  return minor > 51 || (minor === 51 && patch >= 3)
}

/** Copies a database file, while others may write to it. Does nothing if it does not exist. */
export function copySqlite(from: string, to: string): void {
  if (!existsSync(from)) return
  const native = new NativeDatabase(from, { timeout: LOCK_TIMEOUT_MS })
  try {
    createPrivateFile(to)
    native.prepare('VACUUM INTO ?').run(to)
  } finally {
    native.close()
  }
}

/**
 * Locks an existing file, which must not be used for anything else, until the connection is closed.
 *
 * @returns `undefined` if another connection has locked it, or if it does not exist
 * @throws {StartupError} if it cannot be opened
 */
export function lockFile(file: string): NativeDatabase | undefined {
  let native: NativeDatabase | undefined
  try {
    native = new NativeDatabase(file, { timeout: 0, fileMustExist: true })
    // Nothing is written, and a journal in memory creates no other file.
    native.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return native
  } catch (error) {
    native?.close()
    if (isBusy(error) || !existsSync(file)) return undefined
    throw toFileError(file, error)
  }
}

/** Adds the function `exact_sum` to a connection: SQLite's own sums round doubles at every step. */
function addExactSum(native: NativeDatabase): void {
  native.aggregate<DecimalSum | undefined>('exact_sum', {
    start: () => undefined,
    step: (sum, value) => {
      if (typeof value !== 'number') return sum
      const total = sum ?? new DecimalSum()
      total.add(value)
      return total
    },
    result: (sum) => sum?.toString() ?? null,
  })
}

/** Settings of every connection, with the values that reading them back must return. */
const SETTINGS: readonly (readonly [pragma: string, expected: unknown])[] = [
  ['synchronous', 2],
  ['foreign_keys', 1],
  ['busy_timeout', 20],
]

/**
 * Opens a file without changing anything.
 *
 * @throws {StartupError} if it is no database, or SQLite is too old
 */
export function openDatabaseFile(file: string): NativeDatabase {
  const native = openNative(file)
  try {
    requireSafeSqlite(native)
    return native
  } catch (error) {
    native.close()
    throw toFileError(file, error)
  }
}

function openNative(file: string): NativeDatabase {
  try {
    createPrivateFile(file)
    // Other processes may open the same file; they change its mode one after the other.
    return new NativeDatabase(file, { timeout: LOCK_TIMEOUT_MS })
  } catch (error) {
    throw toFileError(file, error)
  }
}

/** Opens a database in memory, which ends with its connection. */
export const openInMemory = (): NativeDatabase => new NativeDatabase(':memory:', { timeout: 0 })

const RESTORE = 'Put a backup in its place, or move it away and restore an export with: daybook import FILE'
const LET_IN = 'Let this user read and write the file and its folder.'

/** Messages for operators about a file that cannot be used, by SQLite's code. */
const FILE_FAULTS: Readonly<Record<string, (file: string) => string>> = {
  SQLITE_NOTADB: (file) => `${file} is damaged, or no database of SQLite. ${RESTORE}`,
  SQLITE_CORRUPT: (file) =>
    `${file} is damaged. ${RESTORE}\nWhat can still be read of it, as SQL: sqlite3 ${file} .recover`,
  SQLITE_CANTOPEN: (file) => `${file} cannot be opened. ${LET_IN}`,
  SQLITE_PERM: (file) => `${file} cannot be opened. ${LET_IN}`,
  SQLITE_READONLY: (file) => `${file} cannot be written. ${LET_IN}`,
}

/** Translates an error that means that the file cannot be used into a message for operators. Returns other errors unchanged. */
export function toFileError(file: string, error: unknown): unknown {
  const cause = error instanceof DaybookError ? error.cause : error
  const [code = ''] = /^SQLITE_[A-Z]+/.exec(getSqliteCode(cause)) ?? []
  const message = Object.hasOwn(FILE_FAULTS, code) ? FILE_FAULTS[code]?.(file) : undefined
  return message === undefined ? error : new DatabaseFileError(message, { cause })
}

function requireSafeSqlite(native: NativeDatabase): void {
  const { version } = native.prepare('SELECT sqlite_version() AS version').get() as { version: string }
  if (isSafeSqlite(version)) return
  throw new StartupError(
    `SQLite ${version} can lose committed writes (the WAL-reset bug, fixed in 3.51.3). Install better-sqlite3 13 or newer.`,
  )
}

/**
 * Opens a file for durable use, and creates it if needed: a commit is on the disk when it is acknowledged.
 *
 * @throws {StartupError} if SQLite is too old or a setting has no effect
 */
export function openDurableFile(file: string): NativeDatabase {
  const native = openDatabaseFile(file)
  addExactSum(native)
  const mode = switchToWal(native)
  if (mode !== 'wal') {
    throw new StartupError(`${file} cannot use write-ahead logging (it says "${mode}"). Put it on a local disk.`)
  }
  native.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF')
  native.exec('PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864')
  // From here on, waiting does not block the process; see SqliteDatabase.
  native.exec('PRAGMA busy_timeout = 20')
  for (const [pragma, expected] of SETTINGS) {
    const value = native.pragma(pragma, { simple: true })
    if (value !== expected) throw new StartupError(`SQLite keeps ${pragma} at ${value}, and ${expected} is needed.`)
  }
  return native
}

/**
 * Switches a file to write-ahead logging, with retries. If several connections do so concurrently, SQLite rejects all but one without
 * waiting, to avoid a deadlock (`sqlite3_busy_handler`).
 */
function switchToWal(native: NativeDatabase): unknown {
  for (const until = Date.now() + LOCK_TIMEOUT_MS; ; Atomics.wait(PAUSE, 0, 0, BUSY_PAUSE_MS)) {
    try {
      return native.pragma('journal_mode = WAL', { simple: true })
    } catch (error) {
      if (!isBusy(error) || Date.now() > until) throw error
    }
  }
}

const BUSY_PAUSE_MS = 5
/** A value that never changes, to sleep on. */
const PAUSE = new Int32Array(new SharedArrayBuffer(4))

/**
 * Opens a read-only connection.
 *
 * @param cacheKib the size of the page cache, in KiB
 * @throws {StartupError} as {@link openDurableFile}
 */
export function openReadOnlyFile(file: string, cacheKib: number): NativeDatabase {
  const native = openDurableFile(file)
  native.pragma('query_only = ON')
  native.pragma(`cache_size = -${cacheKib}`)
  return native
}

/** Returns the code of a SQLite error, such as `SQLITE_BUSY`; the empty text for other errors. */
export function getSqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** True if another connection holds the lock. */
export const isBusy = (error: unknown): boolean => getSqliteCode(error).startsWith('SQLITE_BUSY')
