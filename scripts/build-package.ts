import { spawnSync } from 'node:child_process'
import { chmod, copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Folders of the packages that npm gets, each after those whose types it uses. */
export const PACKAGES = ['daybook', 'client'] as const
export type PackageFolder = (typeof PACKAGES)[number]

/** Where a package is built. */
export const distOf = (folder: PackageFolder): string => join(ROOT, 'packages', folder, 'dist')

/** What the sources' manifest says that matters here. */
interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly private?: boolean
  readonly [key: string]: unknown
}

/** `./src/node/index.ts` is built as `./node/index` with two endings. */
const built = (source: string): string => source.replace(/^\.\/src\//, './').replace(/\.ts$/, '')

/** The manifest of the built package: the sources' own, with every source replaced by what is made of it. */
function toPublished({ private: _private, exports, bin, ...rest }: Manifest): object {
  const entries = Object.entries(exports).map(([subpath, source]) => {
    return [subpath, { types: `${built(source)}.d.ts`, default: `${built(source)}.js` }]
  })
  const commands = Object.entries(bin ?? {}).map(([name, source]) => [name, `${built(source).slice(2)}.js`])
  return {
    ...rest,
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
    ...(bin ? { bin: Object.fromEntries(commands) } : {}),
  }
}

function compile(home: string): void {
  const args = ['-p', join(home, 'tsconfig.build.json')]
  const { status } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), args, { stdio: 'inherit' })
  if (status !== 0) throw new Error('tsc found faults; the package is not built')
}

async function buildPackage(folder: PackageFolder): Promise<void> {
  const home = join(ROOT, 'packages', folder)
  const dist = distOf(folder)
  await rm(dist, { recursive: true, force: true })
  compile(home)
  const manifest: Manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
  await writeFile(join(dist, 'package.json'), `${JSON.stringify(toPublished(manifest), null, 2)}\n`)
  await copyFile(join(home, 'README.md'), join(dist, 'README.md'))
  await copyFile(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'))
  for (const source of Object.values(manifest.bin ?? {})) await chmod(join(dist, `${built(source)}.js`), 0o755)
}

/** Builds every package from scratch, as it is published. */
export async function buildPackages(): Promise<void> {
  for (const folder of PACKAGES) await buildPackage(folder)
}

if (import.meta.main) {
  await buildPackages()
  process.stdout.write(`built ${PACKAGES.map((folder) => `packages/${folder}/dist`).join(' and ')}\n`)
}
