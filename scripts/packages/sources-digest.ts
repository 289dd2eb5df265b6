import { createHash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Computes a digest of source files, to detect changes. @param patterns the paths below the checkout */
export async function computeDigest(patterns: readonly string[]): Promise<string> {
  const files: string[] = []
  for await (const file of glob(patterns, { cwd: ROOT })) files.push(file)
  const digest = createHash('sha256')
  for (const file of files.sort()) digest.update(`${file}\n`).update(await readFile(join(ROOT, file)))
  return digest.digest('hex')
}
