import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseFileError } from '../../errors.ts'
import { FOLDER_ERROR_REASONS } from '../../fs-errors.ts'

const FOLDER_ADVICE = 'Name another folder with --data, DAYBOOK_DATA or the option data of createService.'

/**
 * Creates the folder of the database, and its parents. Node's `recursive` option never returns if a file system rejects new folders with
 * ENOENT, as `/proc` does.
 *
 * @throws {DatabaseFileError} if it cannot be created
 */
export function makeDataFolder(folder: string): void {
  const fault = make(folder)
  if (fault === undefined && isFolder(folder)) return
  if (fault === undefined)
    throw new DatabaseFileError(`${folder} is a file, and the database needs a folder. ${FOLDER_ADVICE}`)
  throw new DatabaseFileError(
    `The folder ${folder} cannot be created: ${FOLDER_ERROR_REASONS[fault] ?? fault}. ${FOLDER_ADVICE}`,
  )
}

/** Creates a folder. If its parent is missing, creates that first. Returns the code of an error. */
function make(folder: string): string | undefined {
  const fault = makeSingle(folder)
  if (fault !== 'ENOENT' || dirname(folder) === folder) return fault
  return make(dirname(folder)) ?? makeSingle(folder)
}

/** Creates a folder. Returns the code of an error; none if a folder or a file exists there. */
function makeSingle(folder: string): string | undefined {
  try {
    // Only the owner may read drafts, sessions and password hashes.
    mkdirSync(folder, { mode: 0o700 })
    return undefined
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error)
    return code === 'EEXIST' ? undefined : code
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Read and execute permission of other users. */
const OTHER_USERS = 0o005

/**
 * Creates an empty file that only its owner can read, unless it exists. SQLite creates the files of its log with the same mode.
 *
 * An existing file is not opened: closing it would release the locks that this process holds on it.
 */
export function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // SQLite opens the file next, and reports why it cannot be used.
  }
}

/**
 * Returns a warning if other users of the machine can read the data folder.
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
  ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHER_USERS) !== 0

/** Quotes a path for a shell. */
const quote = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
