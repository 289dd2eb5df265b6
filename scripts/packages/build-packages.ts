import { spawnSync } from 'node:child_process'
import { chmod, copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDocsPage } from './build-docs-page.ts'
import { buildStudio } from './build-studio.ts'
import { bundlePackage } from './bundle-package.ts'
import { NOTICES_FILE, noticesWithDocsPage, thirdPartyNotices } from './third-party-notices.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The folders of `packages/` that npm gets, each after those whose types it uses. */
export const PACKAGES = ['daybook', 'client', 'studio', 'create-daybook'] as const
/** One of them. */
export type PackageName = (typeof PACKAGES)[number]

/**
 * What a published package runs on. It stands here and not beside the sources: in the checkout, npm would hold it against the Node
 * that npm runs on.
 */
export const ENGINES = { node: '>=22.18' } as const

/** How a package is bundled. */
interface Bundled {
  /** Dependencies whose code is not in the bundle: native code, and what is many packages itself. */
  readonly external: readonly string[]
  /** Dependencies whose code is in it, and whose types Daybook's own name. */
  readonly types: readonly string[]
}

/** The packages that are bundled. Dependencies that are not named here are a part of the bundle, and npm installs none of them. */
export const BUNDLED: { readonly [Name in PackageName]?: Bundled } = {
  daybook: { external: ['better-auth', 'better-sqlite3', 'jose'], types: ['kysely', 'lru-cache', 'prom-client'] },
}

/** What the sources' manifest says that matters here. */
interface Manifest {
  readonly exports?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  /** Folders that the package has besides what is compiled. */
  readonly files?: readonly string[]
  readonly private?: boolean
  readonly scripts?: object
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: object
  readonly devDependencies?: object
  readonly [key: string]: unknown
}

/** `./src/node/index.ts` is built as `./node/index` with two endings. */
const built = (source: string): string => source.replace(/^\.\/src\//, './').replace(/\.ts$/, '')

/**
 * The manifest of the built package: the sources' own, with every source replaced by what is made of it.
 *
 * @param bundled `undefined`: all its dependencies are installed beside it
 */
function toPublished(manifest: Manifest, bundled: Bundled | undefined): object {
  const { private: _private, scripts: _scripts, devDependencies: _development, files: _files, ...kept } = manifest
  const { exports = {}, bin = {}, dependencies = {}, ...rest } = kept
  const beside = Object.entries(dependencies).filter(
    ([name]) => !bundled || [...bundled.external, ...bundled.types].includes(name),
  )
  const entries = Object.entries(exports).map(([subpath, source]) => {
    return [subpath, { types: `${built(source)}.d.ts`, default: `${built(source)}.js` }]
  })
  const commands = Object.entries(bin).map(([name, source]) => [name, `${built(source).slice(2)}.js`])
  return {
    ...rest,
    engines: ENGINES,
    ...(beside.length > 0 ? { dependencies: Object.fromEntries(beside) } : {}),
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
    ...(commands.length > 0 ? { bin: Object.fromEntries(commands) } : {}),
  }
}

/** Compiles the sources of a package, or their types alone; where it uses types of Daybook, against those that were built. */
async function compile(home: string, target: string, daybook: string, emitDeclarationOnly: boolean): Promise<void> {
  const project = join(target, 'tsconfig.json')
  const sources = join(home, 'src')
  const paths = { daybook: [join(daybook, 'index.d.ts')] }
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const own = {
    compilerOptions: { rootDir: sources, outDir: target, emitDeclarationOnly, paths, typeRoots },
    include: [sources],
  }
  await mkdir(target, { recursive: true })
  await writeFile(project, JSON.stringify({ extends: join(home, 'tsconfig.build.json'), ...own }))
  const { status } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project], { stdio: 'inherit' })
  await rm(project)
  if (status !== 0) throw new Error(`tsc found faults; ${home} is not built`)
}

/** Bundles a package, and writes the notices of all whose code it then holds. */
async function bundle(home: string, target: string, manifest: Manifest, own: readonly string[]): Promise<void> {
  const { exports = {}, bin = {}, peerDependencies = {} } = manifest
  const entries = [...Object.values(exports), ...Object.values(bin)]
  const external = [...own, ...Object.keys(peerDependencies)]
  const folders = await bundlePackage({ home, target, entries, external })
  await writeFile(join(target, NOTICES_FILE), await noticesWithDocsPage(folders))
}

/** Builds what runs of a package: its code, the files that it serves, and its manifest. */
export async function buildProgram(name: PackageName, target: string): Promise<void> {
  const home = join(ROOT, 'packages', name)
  const manifest = await manifestOf(name)
  const bundled = BUNDLED[name]
  await mkdir(target, { recursive: true })
  if (bundled) await bundle(home, target, manifest, bundled.external)
  await writeFile(join(target, 'package.json'), `${JSON.stringify(toPublished(manifest, bundled), null, 2)}\n`)
  for (const folder of manifest.files ?? []) await cp(join(home, folder), join(target, folder), { recursive: true })
  if (name === 'daybook') await buildDocsPage(join(target, 'http/docs/files'))
  if (name === 'studio') {
    const folders = await buildStudio(join(target, 'app'))
    await writeFile(join(target, NOTICES_FILE), await thirdPartyNotices(folders, 'in its files (app)'))
  }
  for (const source of Object.values(manifest.bin ?? {})) await chmod(join(target, `${built(source)}.js`), 0o755)
}

const manifestOf = async (name: PackageName): Promise<Manifest> =>
  JSON.parse(await readFile(join(ROOT, 'packages', name, 'package.json'), 'utf8'))

async function buildPackage(name: PackageName, target: string, daybook: string): Promise<void> {
  const home = join(ROOT, 'packages', name)
  await rm(target, { recursive: true, force: true })
  await compile(home, target, daybook, BUNDLED[name] !== undefined)
  await buildProgram(name, target)
  await copyFile(join(home, 'README.md'), join(target, 'README.md'))
  await copyFile(join(ROOT, 'LICENSE'), join(target, 'LICENSE'))
}

/**
 * Builds every package from scratch, as it is published.
 *
 * @param targetOf a folder for each, whose contents go
 * @returns the folders, in the order of building
 */
export async function buildPackages(targetOf: (name: PackageName) => string): Promise<readonly string[]> {
  const targets: string[] = []
  for (const name of PACKAGES) {
    await buildPackage(name, targetOf(name), targetOf('daybook'))
    targets.push(targetOf(name))
  }
  return targets
}

if (import.meta.main) {
  for (const target of await buildPackages((name) => join(ROOT, 'packages', name, 'dist'))) {
    process.stdout.write(`built ${relative(ROOT, target)}\n`)
  }
}
