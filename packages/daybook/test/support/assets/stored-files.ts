import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Every file below the folder of a service's files, those that are staged as well; in order. */
export async function storedFiles(data: string): Promise<readonly string[]> {
  const folder = join(data, 'uploads')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((one) => one.isFile()).map((one) => relative(folder, join(one.parentPath, one.name)))
  return files.sort()
}
