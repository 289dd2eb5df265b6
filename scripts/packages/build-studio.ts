import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'
import { findPackage } from './bundled-package.ts'
import { computeDigest } from './sources-digest.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const STUDIO = join(ROOT, 'packages/studio')
/** The built files of the checkout, which the plugin serves. */
const CHECKOUT = join(STUDIO, 'dist/app')
/** The file with the digest of the sources that were built. */
const DIGEST_FILE = '.vite/sources'

/** The patterns of the sources, below the checkout. */
const SOURCES = [
  'packages/studio/src/app/**/*.{ts,tsx,css}',
  'packages/studio/{package.json,vite.config.ts}',
  'packages/client/src/**/*.ts',
  'packages/daybook/src/{fold,show-if,slugs}.ts',
  'scripts/packages/build-studio.ts',
]

/**
 * Builds the Studio's program for browsers, with compressed copies of each file.
 *
 * @param target a folder whose contents are replaced
 * @returns the folders of the bundled packages, below the checkout
 */
export async function buildStudio(target: string): Promise<readonly string[]> {
  const { build } = await import('vite')
  const folders = new Set<string>()
  const notePackages: Plugin = {
    name: 'note-packages',
    generateBundle: (_options, files) => {
      const chunks = Object.values(files).filter((file) => file.type === 'chunk')
      for (const id of chunks.flatMap(({ moduleIds }) => moduleIds))
        for (const folder of findPackage(id)) folders.add(folder)
    },
  }
  const { NODE_ENV: before } = process.env
  // Also in tests, so that they run the published program.
  process.env.NODE_ENV = 'production'
  await build({ configFile: join(STUDIO, 'vite.config.ts'), plugins: [notePackages], build: { outDir: target } })
  if (before === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = before
  for await (const file of glob('*.{js,css}', { cwd: target })) await compress(join(target, file))
  return [...folders]
}

/** Builds the program of the checkout, unless the current sources are built. @returns true if it was built */
export async function prepareStudio(): Promise<boolean> {
  const digest = await computeDigest(SOURCES)
  const built = await readFile(join(CHECKOUT, DIGEST_FILE), 'utf8').catch(() => undefined)
  if (built === digest) return false
  await buildStudio(CHECKOUT)
  await writeFile(join(CHECKOUT, DIGEST_FILE), digest)
  return true
}

/** Writes the compressed copies of a file, which the plugin sends to browsers that accept them. */
async function compress(path: string): Promise<void> {
  const content = await readFile(path)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }))
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
}

/** True if the development packages are installed, which a server may lack. */
const canBuild = (): boolean => {
  try {
    return import.meta.resolve('vite') !== ''
  } catch {
    return false
  }
}

if (import.meta.main && canBuild() && (await prepareStudio())) process.stdout.write('built the Studio\n')
