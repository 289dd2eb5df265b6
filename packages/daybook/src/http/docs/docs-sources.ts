import { glob } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The script that the page names; it imports all others. */
export const START_SCRIPT = 'start.js'
/** The entry of Scalar, which names its parts by their digests. */
export const SCALAR_ENTRY = 'standalone.esm.js'

/**
 * The scripts of the docs page where they are made, as paths by name: Daybook's own, and what Scalar builds for browsers.
 * The published package has compressed copies instead.
 */
export async function docsSources(): Promise<ReadonlyMap<string, string>> {
  const manifest = findPackageJSON('@scalar/api-reference', import.meta.url)
  if (manifest === undefined) throw new Error('The docs page is made of @scalar/api-reference. Run: npm ci')
  const scalar = join(dirname(manifest), 'dist/browser')
  const sources = new Map([[START_SCRIPT, fileURLToPath(new URL(START_SCRIPT, import.meta.url))]])
  for await (const name of glob([SCALAR_ENTRY, 'chunks/*.js'], { cwd: scalar })) {
    sources.set(name.replaceAll('\\', '/'), join(scalar, name))
  }
  return sources
}
