import { closeSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Read and execute permission of other users. */
const OTHERS = 0o005

/**
 * Creates an empty file that only its owner can read, unless there is one. SQLite gives the files beside it the same mode.
 *
 * A file that exists is not opened: closing it would release the locks that this process holds on it.
 */
export function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // SQLite opens the file next, and reports why it cannot be used.
  }
}

/**
 * The warning about a database file and its folder that other users of the machine can read.
 *
 * @returns `undefined` when they cannot, and on Windows, whose files have no modes
 */
export function openFilesWarning(file: string): string | undefined {
  const folder = dirname(file)
  if (process.platform === 'win32' || !isOpenToOthers(folder)) return undefined
  const files = [file, `${file}-wal`, `${file}-shm`].filter(isOpenToOthers)
  const commands = [`chmod 700 ${quote(folder)}`, ...files.map((path) => `chmod 600 ${quote(path)}`)]
  return `Other users of this machine can read the data folder, which holds drafts and password hashes. Run: ${commands.join(' && ')}`
}

const isOpenToOthers = (path: string): boolean =>
  ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0

/** A path as a shell takes it. */
const quote = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
