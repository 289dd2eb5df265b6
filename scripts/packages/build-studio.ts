import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'
import { packageOf } from './bundled-package.ts'
import { digestOf } from './sources-digest.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const STUDIO = join(ROOT, 'packages/studio')
/** Where the plugin finds the files in the checkout. */
const CHECKOUT = join(STUDIO, 'dist/app')
/** Says what the files were made from. */
const DIGEST_FILE = '.vite/sources'

/** What the files are made from, below the checkout. */
const SOURCES = [
  'packages/studio/src/app/**/*.{ts,tsx,css}',
  'packages/studio/{package.json,vite.config.ts}',
  'packages/client/src/**/*.ts',
  'packages/daybook/src/{fold,slugs}.ts',
  'scripts/packages/build-studio.ts',
]

/**
 * Builds the Studio's program for browsers, with compressed copies of each file.
 *
 * @param target a folder, whose contents go
 * @returns the folders of the packages whose code it holds, below the checkout
 */
export async function buildStudio(target: string): Promise<readonly string[]> {
  const { build } = await import('vite')
  const folders = new Set<string>()
  const notePackages: Plugin = {
    name: 'note-packages',
    generateBundle: (_options, files) => {
      const chunks = Object.values(files).filter((file) => file.type === 'chunk')
      for (const id of chunks.flatMap(({ moduleIds }) => moduleIds)) for (const one of packageOf(id)) folders.add(one)
    },
  }
  const { NODE_ENV: before } = process.env
  // Also where tests build it: what they try is what is published.
  process.env.NODE_ENV = 'production'
  await build({ configFile: join(STUDIO, 'vite.config.ts'), plugins: [notePackages], build: { outDir: target } })
  if (before === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = before
  for await (const file of glob('*.{js,css}', { cwd: target })) await compress(join(target, file))
  return [...folders]
}

/** Builds it for the checkout, unless it is built from the present sources. @returns whether it was built */
export async function prepareStudio(): Promise<boolean> {
  const digest = await digestOf(SOURCES)
  const built = await readFile(join(CHECKOUT, DIGEST_FILE), 'utf8').catch(() => undefined)
  if (built === digest) return false
  await buildStudio(CHECKOUT)
  await writeFile(join(CHECKOUT, DIGEST_FILE), digest)
  return true
}

/** The plugin sends these to browsers that take them. */
async function compress(path: string): Promise<void> {
  const content = await readFile(path)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }))
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
}

/** Without development packages, as on a server, there is nothing to build with. */
const canBuild = (): boolean => {
  try {
    return import.meta.resolve('vite') !== ''
  } catch {
    return false
  }
}

if (import.meta.main && canBuild() && (await prepareStudio())) process.stdout.write('built the Studio\n')
