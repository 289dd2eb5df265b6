import { link, lstat, mkdir, open, realpath, rename, rmdir, unlink } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { StartupError } from '../errors.ts'
import { FOLDER_ERROR_REASONS, getErrorCode, ignoreErrors } from '../fs-errors.ts'
import { STAGING_SEGMENT } from './blob-store.ts'

const ADVICE = 'Name another folder in disk({ folder }).'

const REASONS: Readonly<Record<string, string>> = { ...FOLDER_ERROR_REASONS, EEXIST: 'a file has that name' }

/** Codes for a path that does not exist. */
export const ABSENT_CODES: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP']

/**
 * Creates the folders of a store and of its staged blobs, for their owner only. An existing folder keeps its mode.
 *
 * @returns the path, with links resolved
 * @throws {StartupError} if the folder cannot be created, or would contain the data folder
 */
export async function makeBlobFolder(folder: string, data: string): Promise<string> {
  if (!relative(resolve(folder), resolve(data)).startsWith('..')) {
    throw new StartupError(`The folder of files, ${folder}, must not contain the data folder ${data}. ${ADVICE}`)
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
    throw new StartupError(`The folder ${folder} cannot be created: ${REASONS[code] ?? code}. ${ADVICE}`, {
      cause: error,
    })
  }
}

/** Creates a folder and its parents. Node's `recursive` never returns if a file system rejects new folders with ENOENT. */
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

/** Returns true if a path is a folder, and not a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  return (await ignoreErrors(ABSENT_CODES, lstat(path)))?.isDirectory() === true
}

/** Lists the folders between a root and the file of a key, outermost first. */
export function listFolders(root: string, key: string): readonly string[] {
  const names = key.split('/').slice(0, -1)
  return names.map((_, index) => join(root, ...names.slice(0, index + 1)))
}

/**
 * Creates folders, each in the one before.
 *
 * @param mode of new folders, minus the process's umask
 * @returns true if all of them are folders, and none is a link
 * @throws ENOENT if one is removed at the same time
 */
export async function makeFolders(folders: readonly string[], mode: number): Promise<boolean> {
  for (const folder of folders) {
    await makeFolder(folder, mode)
    if (!(await lstat(folder)).isDirectory()) return false
  }
  return true
}

/** Removes folders, innermost first, up to the first that is not empty. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) {
    try {
      await rmdir(folder)
    } catch {
      return
    }
  }
}

/** Makes the names of files in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Codes of file systems without hard links. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Returns true if the name exists, or a parent is a file. */
const isTaken = (error: unknown): boolean => ['EEXIST', 'ENOTDIR'].includes(getErrorCode(error))

/**
 * Renames a file in the same file system atomically. One of several concurrent processes gets the name.
 *
 * @returns true if the file has the name now; otherwise it stays
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

/** Renames a file without hard links, by replacing an empty file that claims the name. Readers may see the empty file for a moment. */
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
