import { link, lstat, mkdir, open, realpath, rename, rmdir, unlink } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { StartupError } from '../errors.ts'
import { FOLDER_ERROR_REASONS, getErrorCode, ignoreErrors } from '../fs-errors.ts'
import { STAGING_SEGMENT } from './blob-store.ts'

const ADVICE = 'Name another folder in disk({ folder }).'

const REASONS: Readonly<Record<string, string>> = { ...FOLDER_ERROR_REASONS, EEXIST: 'there is a file of that name' }

/** The answers of a file system about a path that leads to nothing. */
export const ABSENT_CODES: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP']

/**
 * Makes the folder of a store, and that of its staged blobs, for their owner alone. A folder that is there keeps its mode.
 *
 * @returns its path, with links resolved
 * @throws {StartupError} when it cannot be made, or would lead to the data folder
 */
export async function makeBlobFolder(folder: string, data: string): Promise<string> {
  if (!relative(resolve(folder), resolve(data)).startsWith('..')) {
    throw new StartupError(`The folder of files, ${folder}, must not hold the data folder ${data}. ${ADVICE}`)
  }
  try {
    await makeAll(folder)
    const real = await realpath(folder)
    await makeAll(join(real, STAGING_SEGMENT))
    if (!(await isFolder(join(real, STAGING_SEGMENT))))
      throw new StartupError(`${join(real, STAGING_SEGMENT)} must be a folder.`)
    return real
  } catch (error) {
    if (error instanceof StartupError) throw error
    const code = getErrorCode(error)
    throw new StartupError(`The folder ${folder} cannot be made: ${REASONS[code] ?? code}. ${ADVICE}`, { cause: error })
  }
}

/** Makes a folder, and those around it. Node's own `recursive` never returns where a file system refuses new ones with ENOENT. */
async function makeAll(folder: string): Promise<void> {
  try {
    await makeFolder(folder, 0o700)
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error
    await makeAll(dirname(folder))
    await makeFolder(folder, 0o700)
  }
}

async function makeFolder(folder: string, mode: number): Promise<void> {
  await ignoreErrors(['EEXIST'], mkdir(folder, { mode }))
}

/** Whether a path is a folder, and no link to one. */
export async function isFolder(path: string): Promise<boolean> {
  return (await ignoreErrors(ABSENT_CODES, lstat(path)))?.isDirectory() === true
}

/** The folders between a root and the file of a key, outermost first. */
export function listFolders(root: string, key: string): readonly string[] {
  const names = key.split('/').slice(0, -1)
  return names.map((_, index) => join(root, ...names.slice(0, index + 1)))
}

/**
 * Makes folders, each in the one before.
 *
 * @param mode of those that are new, less what the process's umask takes away
 * @returns whether all of them are folders now, none of them a link
 * @throws ENOENT when one is taken away again meanwhile
 */
export async function makeFolders(folders: readonly string[], mode: number): Promise<boolean> {
  for (const folder of folders) {
    await makeFolder(folder, mode)
    if (!(await lstat(folder)).isDirectory()) return false
  }
  return true
}

/** Removes folders, innermost first, as long as they are empty: the file system refuses others. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) {
    try {
      await rmdir(folder)
    } catch {
      return
    }
  }
}

/** Makes sure that names of files in a folder outlast a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Answers of file systems that have no hard links. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Something has that name already: a file, or a file in the place of a folder. */
const isTaken = (error: unknown): boolean => ['EEXIST', 'ENOTDIR'].includes(getErrorCode(error))

/**
 * Gives a file another name in the same file system, all at once. Of any number of processes that want the name, one gets it.
 *
 * @returns whether it got the name; if not, the file stays
 */
export async function moveExclusively(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
  } catch (error) {
    if (isTaken(error)) return false
    if (NO_LINKS.includes(getErrorCode(error))) return await claimAndMove(from, to)
    throw error
  }
  await unlink(from)
  return true
}

/** The same without hard links: an empty file claims the name, and is replaced. Readers may see the empty file for a moment. */
export async function claimAndMove(from: string, to: string): Promise<boolean> {
  try {
    await (await open(to, 'wx', 0o600)).close()
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
  try {
    await rename(from, to)
  } catch (error) {
    await unlink(to)
    throw error
  }
  return true
}
