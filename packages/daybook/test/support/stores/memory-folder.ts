import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** Where Linux keeps files in memory, and how much has to be free there, in bytes. */
const MEMORY = '/dev/shm'
const MEMORY_BYTES = 1024 ** 3

/** The folder for temporary files in memory; the usual one where there is none, or a small one as in some containers. */
export async function memoryFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > MEMORY_BYTES ? MEMORY : tmpdir()
}
