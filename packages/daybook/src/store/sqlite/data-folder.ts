import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseFileError } from '../../errors.ts'
import { FOLDER_ERROR_REASONS } from '../../fs-errors.ts'

const FOLDER_ADVICE = 'Name another folder with --data, DAYBOOK_DATA or the option data of createService.'

/**
 * Makes the folder of the database, and those around it. Node's own `recursive` never returns where a file system refuses
 * new folders with ENOENT, as `/proc` does.
 *
 * @throws {DatabaseFileError} when it cannot be made
 */
export function makeDataFolder(folder: string): void {
  const fault = make(folder)
  if (fault === undefined && isFolder(folder)) return
  if (fault === undefined)
    throw new DatabaseFileError(`${folder} is a file, and the database needs a folder. ${FOLDER_ADVICE}`)
  throw new DatabaseFileError(
    `The folder ${folder} cannot be made: ${FOLDER_ERROR_REASONS[fault] ?? fault}. ${FOLDER_ADVICE}`,
  )
}

/** Makes one folder, and where that fails for want of the one around it, that one first. */
function make(folder: string): string | undefined {
  const fault = makeOne(folder)
  if (fault !== 'ENOENT' || dirname(folder) === folder) return fault
  return make(dirname(folder)) ?? makeOne(folder)
}

/** @returns the code of what was in the way; none where the folder, or a file, is there */
function makeOne(folder: string): string | undefined {
  try {
    // Drafts, sessions and password hashes are readable for the owner alone.
    mkdirSync(folder, { mode: 0o700 })
    return undefined
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error)
    return code === 'EEXIST' ? undefined : code
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

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
