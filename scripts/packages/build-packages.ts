import { spawnSync } from 'node:child_process'
import { chmod, copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { ENCODED_ENDINGS, findDocsSources } from '../../packages/daybook/src/http/docs/docs-files.ts'
import { buildStudio } from './build-studio.ts'
import { bundlePackage } from './bundle-package.ts'
import { NOTICES_FILE, noticesWithDocsPage, thirdPartyNotices } from './third-party-notices.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The published folders of `packages/`, each after those whose types it uses. */
export const PACKAGES = ['daybook', 'client', 'studio', 'create-daybook'] as const
export type PackageName = (typeof PACKAGES)[number]

/**
 * The `engines` of published packages. In the manifests of the sources, npm would compare them with the Node that npm itself runs on.
 */
export const ENGINES = { node: '>=22.18' } as const

interface Bundled {
  /** Dependencies that stay outside the bundle: native code, and code of many packages. */
  readonly external: readonly string[]
  /** Dependencies inside the bundle whose types are part of Daybook's types. */
  readonly types: readonly string[]
}

/** The bundled packages. Dependencies that are not named here are part of the bundle and not installed. */
export const BUNDLED: { readonly [Name in PackageName]?: Bundled } = {
  daybook: { external: ['better-auth', 'better-sqlite3', 'jose'], types: ['kysely', 'lru-cache', 'prom-client'] },
}

/** The part of a source manifest that the build uses. */
interface Manifest {
  readonly exports?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  /** Folders that the package contains besides compiled code. */
  readonly files?: readonly string[]
  readonly private?: boolean
  readonly scripts?: object
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: object
  readonly devDependencies?: object
  readonly [key: string]: unknown
}

/** The built path of a source without extension: `./src/node/index.ts` becomes `./node/index`. */
const toBuiltPath = (source: string): string => source.replace(/^\.\/src\//, './').replace(/\.ts$/, '')

/**
 * Converts the manifest of the sources to that of the built package.
 *
 * @param bundled `undefined`: all dependencies are installed
 */
function toPublished(manifest: Manifest, bundled: Bundled | undefined): object {
  const { private: _private, scripts: _scripts, devDependencies: _development, files: _files, ...published } = manifest
  const { exports = {}, bin = {}, dependencies = {}, ...rest } = published
  const installed = Object.entries(dependencies).filter(
    ([name]) => !bundled || [...bundled.external, ...bundled.types].includes(name),
  )
  const entries = Object.entries(exports).map(([subpath, source]) => {
    return [subpath, { types: `${toBuiltPath(source)}.d.ts`, default: `${toBuiltPath(source)}.js` }]
  })
  const commands = Object.entries(bin).map(([name, source]) => [name, `${toBuiltPath(source).slice(2)}.js`])
  return {
    ...rest,
    engines: ENGINES,
    ...(installed.length > 0 ? { dependencies: Object.fromEntries(installed) } : {}),
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
    ...(commands.length > 0 ? { bin: Object.fromEntries(commands) } : {}),
  }
}

/** Compiles the sources of a package, or only their types, against the built types of Daybook. */
async function compile(home: string, target: string, daybook: string, emitDeclarationOnly: boolean): Promise<void> {
  const project = join(target, 'tsconfig.json')
  const sources = join(home, 'src')
  const paths = { daybook: [join(daybook, 'index.d.ts')] }
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const config = {
    compilerOptions: { rootDir: sources, outDir: target, emitDeclarationOnly, paths, typeRoots },
    include: [sources],
  }
  await mkdir(target, { recursive: true })
  await writeFile(project, JSON.stringify({ extends: join(home, 'tsconfig.build.json'), ...config }))
  const { status } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project], { stdio: 'inherit' })
  await rm(project)
  if (status !== 0) throw new Error(`tsc failed, so ${home} is not built`)
}

async function bundle(home: string, target: string, manifest: Manifest, unbundled: readonly string[]): Promise<void> {
  const { exports = {}, bin = {}, peerDependencies = {} } = manifest
  const entries = [...Object.values(exports), ...Object.values(bin)]
  const external = [...unbundled, ...Object.keys(peerDependencies)]
  const folders = await bundlePackage({ home, target, entries, external })
  await writeFile(join(target, NOTICES_FILE), await noticesWithDocsPage(folders))
}

/** Builds a package without types: its code, the files that it serves, and its manifest. */
export async function buildProgram(name: PackageName, target: string): Promise<void> {
  const home = join(ROOT, 'packages', name)
  const manifest = await readManifest(name)
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
  for (const source of Object.values(manifest.bin ?? {})) await chmod(join(target, `${toBuiltPath(source)}.js`), 0o755)
}

const readManifest = async (name: PackageName): Promise<Manifest> =>
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
 * Builds every package from scratch in its published form.
 *
 * @param getTarget the folder for a package, whose contents are replaced
 * @returns the folders, in the order of building
 */
export async function buildPackages(getTarget: (name: PackageName) => string): Promise<readonly string[]> {
  const targets: string[] = []
  for (const name of PACKAGES) {
    await buildPackage(name, getTarget(name), getTarget('daybook'))
    targets.push(getTarget(name))
  }
  return targets
}

if (import.meta.main) {
  for (const target of await buildPackages((name) => join(ROOT, 'packages', name, 'dist'))) {
    process.stdout.write(`built ${relative(ROOT, target)}\n`)
  }
}

/** The highest quality, 11, takes twice as long and saves 1 to 2 percent. */
const BROTLI_QUALITY = 10

/** The encodings of the docs page's files in the published package. */
const COMPRESS: Readonly<Record<keyof typeof ENCODED_ENDINGS, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
}

/** The reference of a script to its source map, which is not served. */
const SOURCE_MAP = /\n\/\/# sourceMappingURL=.*\s*$/

/** Writes the files of the docs page to a folder of the built package, compressed. */
async function buildDocsPage(target: string): Promise<void> {
  for (const [name, path] of await findDocsSources()) {
    const content = Buffer.from((await readFile(path, 'utf8')).replace(SOURCE_MAP, '\n'))
    await mkdir(dirname(join(target, name)), { recursive: true })
    const encodings = Object.keys(ENCODED_ENDINGS) as readonly (keyof typeof ENCODED_ENDINGS)[]
    await Promise.all(
      encodings.map(async (encoding) =>
        writeFile(join(target, `${name}${ENCODED_ENDINGS[encoding]}`), await COMPRESS[encoding](content)),
      ),
    )
  }
}
