import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** The folder that Linux keeps in memory, and the free space that is required there, in bytes. */
const MEMORY = '/dev/shm'
const MEMORY_BYTES = 1024 ** 3

/** Returns the folder for temporary files in memory, or the usual one if that is missing or small, as in some containers. */
export async function memoryFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > MEMORY_BYTES ? MEMORY : tmpdir()
}
