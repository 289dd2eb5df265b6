import { existsSync } from 'node:fs'
import NativeDatabase from 'better-sqlite3'
import { DatabaseFileError, DaybookError, StartupError } from '../../errors.ts'
import { createPrivateFile } from './data-folder.ts'
import { addExactSum } from './exact-sum.ts'

/** How long a write waits for another process to finish its own, in milliseconds. */
export const LOCK_TIMEOUT_MS = 5000

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

/** Copies a database file as it stands, while others may write to it; does nothing where there is none. */
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
 * Locks an existing file, which is to be used for nothing else, until the connection is closed.
 *
 * @returns `undefined` when another connection has locked it, and when there is no such file
 * @throws {StartupError} when it cannot be opened
 */
export function lockFile(file: string): NativeDatabase | undefined {
  let native: NativeDatabase | undefined
  try {
    native = new NativeDatabase(file, { timeout: 0, fileMustExist: true })
    // Nothing is written, and without a journal no other file comes of it.
    native.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return native
  } catch (error) {
    native?.close()
    if (isBusy(error) || !existsSync(file)) return undefined
    throw toFileError(file, error)
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
    // Others may start on the same file: changing its mode takes turns.
    return new NativeDatabase(file, { timeout: LOCK_TIMEOUT_MS })
  } catch (error) {
    throw toFileError(file, error)
  }
}

/** Opens a database in memory, which ends with its connection. */
export const openInMemory = (): NativeDatabase => new NativeDatabase(':memory:', { timeout: 0 })

const RESTORE = 'Put a backup in its place, or move it away and restore an export with: daybook import FILE'
const LET_IN = 'Let this user read and write the file and its folder.'

/** The messages about a file that cannot be used, by SQLite's code, in an operator's words. */
const FILE_FAULTS: Readonly<Record<string, (file: string) => string>> = {
  SQLITE_NOTADB: (file) => `${file} is damaged, or no database of SQLite. ${RESTORE}`,
  SQLITE_CORRUPT: (file) =>
    `${file} is damaged. ${RESTORE}\nWhat can still be read of it, as SQL: sqlite3 ${file} .recover`,
  SQLITE_CANTOPEN: (file) => `${file} cannot be opened. ${LET_IN}`,
  SQLITE_PERM: (file) => `${file} cannot be opened. ${LET_IN}`,
  SQLITE_READONLY: (file) => `${file} cannot be written. ${LET_IN}`,
}

/** An error in words of an operator, where it says that the file cannot be used; others as they are. */
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
 * Opens (and where needed makes) a file for durable use: a commit is on the disk when it is acknowledged.
 *
 * @throws {StartupError} when SQLite is too old or a setting does not hold
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
  // From here on, waiting is done without blocking the process; see SqliteStore.
  native.exec('PRAGMA busy_timeout = 20')
  for (const [pragma, expected] of SETTINGS) {
    const value = native.pragma(pragma, { simple: true })
    if (value !== expected) throw new StartupError(`SQLite keeps ${pragma} at ${value}, and ${expected} is needed.`)
  }
  return native
}

/**
 * Of those that change the mode of a new file at the same time, SQLite refuses all but one at once, without waiting: two that wait for each
 * other would do so for ever (`sqlite3_busy_handler`).
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
/** Nothing wakes who waits for it. */
const PAUSE = new Int32Array(new SharedArrayBuffer(4))

/**
 * Opens a file for a connection that only reads.
 *
 * @param cacheKib how many KiB of the file's pages it keeps
 * @throws {StartupError} as {@link openDurableFile}
 */
export function openReadOnlyFile(file: string, cacheKib: number): NativeDatabase {
  const native = openDurableFile(file)
  native.pragma('query_only = ON')
  native.pragma(`cache_size = -${cacheKib}`)
  return native
}

/** The code of an error of SQLite, such as `SQLITE_BUSY`; of any other error, the empty text. */
export function getSqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Whether another connection holds the lock. */
export const isBusy = (error: unknown): boolean => getSqliteCode(error).startsWith('SQLITE_BUSY')
