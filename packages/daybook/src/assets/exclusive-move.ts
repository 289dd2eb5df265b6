import { link, open, rename, unlink } from 'node:fs/promises'
import { codeOf } from './disk-faults.ts'

/** Answers of file systems that have no hard links. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Something has that name already: a file, or a file in the place of a folder. */
const isTaken = (error: unknown): boolean => ['EEXIST', 'ENOTDIR'].includes(codeOf(error))

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
    if (NO_LINKS.includes(codeOf(error))) return await claimAndMove(from, to)
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
