import { spawnSync } from 'node:child_process'
import { chmod, copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGE = join(ROOT, 'packages/daybook')

/** Where the package that npm gets is built. */
export const DIST: string = join(PACKAGE, 'dist')

/** What the sources' manifest says that matters here. */
interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
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
  const commands = Object.entries(bin).map(([name, source]) => [name, `${built(source).slice(2)}.js`])
  return {
    ...rest,
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
    bin: Object.fromEntries(commands),
  }
}

function compile(): void {
  const args = ['-p', join(PACKAGE, 'tsconfig.build.json')]
  const { status } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), args, { stdio: 'inherit' })
  if (status !== 0) throw new Error('tsc found faults; the package is not built')
}

/** Builds the package from scratch, as it is published. */
export async function buildPackage(): Promise<void> {
  await rm(DIST, { recursive: true, force: true })
  compile()
  const manifest: Manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'))
  await writeFile(join(DIST, 'package.json'), `${JSON.stringify(toPublished(manifest), null, 2)}\n`)
  await copyFile(join(PACKAGE, 'README.md'), join(DIST, 'README.md'))
  await copyFile(join(ROOT, 'LICENSE'), join(DIST, 'LICENSE'))
  for (const source of Object.values(manifest.bin)) await chmod(join(DIST, `${built(source)}.js`), 0o755)
}

if (import.meta.main) {
  await buildPackage()
  process.stdout.write('built packages/daybook/dist\n')
}
