import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseFileError } from '../../errors.ts'
import { FOLDER_REASONS } from '../../folder-reasons.ts'

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
    `The folder ${folder} cannot be made: ${FOLDER_REASONS[fault] ?? fault}. ${FOLDER_ADVICE}`,
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
