import { spawnSync } from 'node:child_process'
import { chmod, copyFile, cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The folders of `packages/` that npm gets. */
export const PACKAGES = ['daybook', 'create-daybook'] as const

/** What the sources' manifest says that matters here. */
interface Manifest {
  readonly exports?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  /** Folders that the package has besides what is compiled. */
  readonly files?: readonly string[]
  readonly private?: boolean
  readonly scripts?: object
  readonly devDependencies?: object
  readonly [key: string]: unknown
}

/** `./src/node/index.ts` is built as `./node/index` with two endings. */
const built = (source: string): string => source.replace(/^\.\/src\//, './').replace(/\.ts$/, '')

/** The manifest of the built package: the sources' own, with every source replaced by what is made of it. */
function toPublished(manifest: Manifest): object {
  const { private: _private, scripts: _scripts, devDependencies: _development, files: _files, ...kept } = manifest
  const { exports = {}, bin = {}, ...rest } = kept
  const entries = Object.entries(exports).map(([subpath, source]) => {
    return [subpath, { types: `${built(source)}.d.ts`, default: `${built(source)}.js` }]
  })
  const commands = Object.entries(bin).map(([name, source]) => [name, `${built(source).slice(2)}.js`])
  return {
    ...rest,
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
    ...(commands.length > 0 ? { bin: Object.fromEntries(commands) } : {}),
  }
}

function compile(home: string, target: string): void {
  const args = ['-p', join(home, 'tsconfig.build.json'), '--outDir', target]
  const { status } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`tsc found faults; ${home} is not built`)
}

/**
 * Builds a package from scratch, as it is published.
 *
 * @param name its folder in `packages/`
 * @param target a folder for it, whose contents go
 */
export async function buildPackage(name: string, target: string): Promise<void> {
  const home = join(ROOT, 'packages', name)
  const manifest: Manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
  await rm(target, { recursive: true, force: true })
  compile(home, target)
  await writeFile(join(target, 'package.json'), `${JSON.stringify(toPublished(manifest), null, 2)}\n`)
  await copyFile(join(home, 'README.md'), join(target, 'README.md'))
  await copyFile(join(ROOT, 'LICENSE'), join(target, 'LICENSE'))
  for (const folder of manifest.files ?? []) await cp(join(home, folder), join(target, folder), { recursive: true })
  for (const source of Object.values(manifest.bin ?? {})) await chmod(join(target, `${built(source)}.js`), 0o755)
}

if (import.meta.main) {
  for (const name of PACKAGES) {
    await buildPackage(name, join(ROOT, 'packages', name, 'dist'))
    process.stdout.write(`built packages/${name}/dist\n`)
  }
}
