import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Lists every file below the folder of a service's files, staged ones included, in order. */
export async function storedFiles(data: string): Promise<readonly string[]> {
  const folder = join(data, 'uploads')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  return files.sort()
}
