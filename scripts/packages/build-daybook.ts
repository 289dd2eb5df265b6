import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildProgram } from './build-packages.ts'
import { computeDigest } from './sources-digest.ts'

/** The built package of the checkout. */
const CHECKOUT = fileURLToPath(new URL('../../packages/daybook/dist', import.meta.url))
/** The file with the digest of the sources that were built. */
const DIGEST_FILE = '.sources'

const SOURCES = [
  'package-lock.json',
  'packages/daybook/package.json',
  'packages/daybook/src/**/*.*',
  'scripts/{build-daybook,build-docs-page,build-packages,bundle-package}.ts',
]

/** Builds Daybook for the tests of the command line, without types, unless the current sources are built. */
export async function prepareDaybook(): Promise<void> {
  const digest = await computeDigest(SOURCES)
  const built = await readFile(join(CHECKOUT, DIGEST_FILE), 'utf8').catch(() => undefined)
  if (built === digest) return
  await rm(CHECKOUT, { recursive: true, force: true })
  await buildProgram('daybook', CHECKOUT)
  await writeFile(join(CHECKOUT, DIGEST_FILE), digest)
}
