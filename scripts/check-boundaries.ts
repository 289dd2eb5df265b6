import { glob, readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { posix, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { init, parse } from 'es-module-lexer'

/** The layers, from the bottom up. Each part may import itself, the parts before it, and the leaves. */
const LAYERS: readonly string[] = [
  'fields',
  'config',
  'model',
  'query',
  'store',
  'content',
  'journal',
  'http',
  'plugin-host',
  'service',
  'service.ts',
  'node',
  'cli',
]

/** Parts outside the layers, each with the parts that it may import in addition to itself and the leaves. */
const SIDE_PARTS: Readonly<Record<string, readonly string[]>> = {
  auth: [],
  metrics: upTo('store'),
  assets: [],
  'index.ts': [...upTo('service.ts'), 'auth', 'assets'],
  plugins: ['index.ts'],
  testing: [...upTo('service.ts'), 'auth', 'assets'],
}

/** Parts outside the layers that a layer may import, too. */
const EXTRA_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  service: ['auth', 'assets', 'metrics'],
  'service.ts': ['auth', 'assets', 'metrics'],
  content: ['assets'],
  http: ['auth', 'assets', 'metrics'],
  node: ['metrics'],
  cli: ['auth', 'assets'],
}

/** Files that every part may import, and that import nothing but each other. */
const LEAVES: readonly string[] = [
  'collation.ts',
  'deep-freeze.ts',
  'entry-path.ts',
  'errors.ts',
  'origins.ts',
  'fold.ts',
  'fs-errors.ts',
  'issues.ts',
  'log.ts',
  'lru-max.ts',
  'nearest.ts',
  'closers.ts',
  'redaction.ts',
  'show-if.ts',
  'single-flight.ts',
  'slugs.ts',
  'version.ts',
  'with-timeout.ts',
  'auth/account-manager.ts',
  'auth/adapter.ts',
  'auth/client-network.ts',
  'auth/cookie-prefix.ts',
  'auth/records.ts',
  'auth/scopes.ts',
  'assets/blob-store.ts',
  'assets/file-body.ts',
  'assets/file-names.ts',
  'threads/messages.ts',
  'threads/thread-pool.ts',
]

/** The part or file that alone may load a library. */
const OWNERS: Readonly<Record<string, string | readonly string[]>> = {
  ajv: 'model',
  'ajv-formats': 'model',
  commander: 'cli/command.ts',
  // An operator of filters has its SQL and its JavaScript in one place.
  kysely: ['store', 'query/operators.ts'],
  'better-sqlite3': 'store/sqlite/sqlite-file.ts',
  leven: 'nearest.ts',
  pg: 'store/postgres/postgres-options.ts',
  rou3: 'http',
  busboy: 'assets',
  '@tus/server': 'plugins/resumable-uploads',
  'file-type': 'assets',
  standardwebhooks: 'plugins/webhooks',
  'request-filtering-agent': 'plugins/webhooks',
  'image-size': 'assets',
  semver: 'config',
  'prom-client': 'metrics',
  '@aws-sdk/client-s3': 'assets/s3',
  jose: 'auth',
  'better-auth': 'auth',
  'sanitize-html': 'content/markdown/html-sanitizer.ts',
  'hast-util-sanitize': 'content/markdown/html-allow-list.ts',
}

/** The layers of the Studio's program below its pages, from the bottom up. */
const STUDIO_LAYERS: readonly string[] = ['ui', 'messages', 'api', 'model', 'session', 'shell']
/** The parts of the editor and of the files that several pages use. */
const STUDIO_SHARED: readonly string[] = [
  'editor/fields',
  'editor/saving',
  'assets/media',
  'assets/uploads',
  'assets/picker',
  'preview',
]
/** The pages, none of which imports another. */
const STUDIO_PAGES: readonly string[] = [
  'editor',
  'lists',
  'overview',
  'assets',
  'accounts',
  'administration',
  'webhooks',
]

/** Folders of `content/` whose public names, for the rest of the service, are those of their `index.ts`. */
const INDEXED: readonly string[] = ['content/reads', 'content/writes', 'content/drafts', 'content/transfer']

interface BoundaryFault {
  readonly file: string
  readonly message: string
}

/** Imports by file, both as paths below the source folder; libraries by name. */
type Imports = ReadonlyMap<string, readonly string[]>

function upTo(part: string): readonly string[] {
  return LAYERS.slice(0, LAYERS.indexOf(part) + 1)
}

const isLeaf = (file: string): boolean => LEAVES.includes(file)

const getPart = (file: string): string => file.split('/')[0] ?? file

function listAllowedParts(part: string): readonly string[] | undefined {
  const layer = LAYERS.indexOf(part)
  if (layer >= 0) return [...LAYERS.slice(0, layer + 1), ...(EXTRA_IMPORTS[part] ?? [])]
  const sideParts = SIDE_PARTS[part]
  return sideParts && [part, ...sideParts]
}

async function readImports(
  source: string,
  findSpecifiers: (code: string, file: string) => readonly string[],
): Promise<Imports> {
  const imports = new Map<string, readonly string[]>()
  for await (const path of glob('**/*.{ts,tsx}', { cwd: source })) {
    const file = path.replaceAll('\\', '/')
    if (file.endsWith('.d.ts')) continue
    const specifiers = findSpecifiers(await readFile(resolve(source, path), 'utf8'), file)
    imports.set(
      file,
      [...new Set(specifiers)].map((specifier) => resolveSpecifier(file, specifier)),
    )
  }
  return new Map([...imports].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Finds the modules that a file loads when it runs, which leaves out type imports. */
function findLoaded(code: string, file: string): readonly string[] {
  // Node cannot strip the types of JSX.
  if (file.endsWith('.tsx'))
    return findDeclared(code.replace(/^(?:import|export) type /gm, '// ')).concat(findDynamic(code))
  const [imports] = parse(stripTypeScriptTypes(code), file)
  return imports.flatMap(({ specifier }) => (typeof specifier === 'string' ? [specifier] : []))
}

const findDynamic = (code: string): readonly string[] =>
  [...code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)].map(([, from = '']) => from)

/** Finds the modules of static imports and re-exports, type imports included. */
function findDeclared(code: string): readonly string[] {
  return [...code.matchAll(/^(?:import|export)\s[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]/gm)].map(([, from = '']) => from)
}

function resolveSpecifier(file: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier
}

const getLibrary = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

function findLibraryFault(file: string, specifier: string): string | undefined {
  const owners = [OWNERS[getLibrary(specifier)] ?? []].flat()
  if (owners.length === 0 || owners.some((owner) => file === owner || file.startsWith(`${owner}/`))) return undefined
  return `imports ${getLibrary(specifier)}, which only ${owners.join(' and ')} may. Put what you need there, and import that.`
}

function findDirectionFault(file: string, to: string): string | undefined {
  if (isLeaf(to)) return undefined
  if (isLeaf(file)) return `imports ${to}, but is a leaf that all may import. Move what it needs into it.`
  const allowed = listAllowedParts(getPart(file))
  if (!allowed)
    return `is in no part of the layout. Add "${getPart(file)}" to the table in scripts/check-boundaries.ts.`
  if (allowed.includes(getPart(to))) return undefined
  const imported = allowed.filter((part) => part !== getPart(file))
  const advice = imported.length > 0 ? `may import: ${imported.join(', ')}` : 'imports nothing but the leaves'
  return `imports ${to}, against the layout. ${getPart(file)} ${advice}. Move the code, or pass the value in.`
}

function findIndexFault(file: string, to: string): string | undefined {
  const folder = INDEXED.find((indexed) => to.startsWith(`${indexed}/`))
  const index = `${folder}/index.ts`
  if (folder === undefined || to === index || getPart(file) === getPart(to)) return undefined
  return `imports ${to} past ${index}. Export what you need there, and import that.`
}

/** Finds imports against the layout: of files, type imports included; of libraries, only if they are loaded. */
function findImportFaults(values: Imports, declared: Imports): readonly BoundaryFault[] {
  return [...values].flatMap(([file, loaded]) => {
    const all = new Set([...loaded, ...(declared.get(file) ?? [])])
    return [...all].flatMap((to) => {
      const isLoadedLibrary = !values.has(to) && loaded.includes(to)
      const message = values.has(to)
        ? (findDirectionFault(file, to) ?? findIndexFault(file, to))
        : isLoadedLibrary && findLibraryFault(file, to)
      return message ? [{ file, message }] : []
    })
  })
}

/** Finds every cycle that a depth-first walk closes, once, type imports included. */
function findCycleFaults(imports: Imports): readonly BoundaryFault[] {
  const faults: BoundaryFault[] = []
  const done = new Set<string>()
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) {
      const cycle = [...trail.slice(trail.indexOf(file)), file].join(' -> ')
      faults.push({ file, message: `is part of a cycle: ${cycle}. Move what both need into a file below them.` })
      return
    }
    if (done.has(file)) return
    for (const to of imports.get(file) ?? []) visit(to, [...trail, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  return faults
}

/** Finds modules outside the package that are loaded; their types may be imported. */
function findForeignFaults(imports: Imports): readonly BoundaryFault[] {
  return [...imports].flatMap(([file, targets]) =>
    targets
      .filter((to) => !imports.has(to))
      .map((to) => ({
        file,
        message: `imports ${to}, and browsers have nothing but this package. Import its types alone.`,
      })),
  )
}

/** The part of the Studio's program that a file belongs to, such as `editor/fields`. */
const getStudioPart = (file: string): string =>
  STUDIO_SHARED.find((part) => file === part || file.startsWith(`${part}/`)) ?? file.split('/')[0] ?? file

function listAllowedStudioParts(part: string): readonly string[] | undefined {
  const layer = STUDIO_LAYERS.indexOf(part)
  if (layer >= 0) return STUDIO_LAYERS.slice(0, layer + 1)
  if (STUDIO_SHARED.includes(part)) return [...STUDIO_LAYERS, ...STUDIO_SHARED]
  if (STUDIO_PAGES.includes(part)) return [...STUDIO_LAYERS, ...STUDIO_SHARED, part]
  if (part === 'routes.tsx') return [...STUDIO_LAYERS, ...STUDIO_SHARED, ...STUDIO_PAGES]
  return part === 'main.tsx' ? [...STUDIO_LAYERS, 'routes.tsx'] : undefined
}

function findStudioFaults(imports: Imports): readonly BoundaryFault[] {
  return [...imports].flatMap(([file, targets]) => {
    const part = getStudioPart(file)
    const allowed = listAllowedStudioParts(part)
    if (!allowed) {
      return [
        { file, message: `is in no part of the layout. Add "${part}" to the table in scripts/check-boundaries.ts.` },
      ]
    }
    return targets
      .filter((to) => imports.has(to) && !allowed.includes(getStudioPart(to)))
      .map((to) => ({
        file,
        message: `imports ${to}, against the layout. ${part} may import: ${allowed.join(', ')}. Move the code, or pass the value in.`,
      }))
  })
}

const RULES: Readonly<Record<string, (values: Imports, declared: Imports) => readonly BoundaryFault[]>> = {
  daybook: findImportFaults,
  client: findForeignFaults,
  studio: findStudioFaults,
}

/** Finds the imports and cycles of a source folder that the layout of its package does not allow. */
async function findFaults(source: string, name: string): Promise<readonly BoundaryFault[]> {
  await init()
  const imports = await readImports(source, findLoaded)
  const declared = await readImports(source, findDeclared)
  const shown = relative(process.cwd(), source).replaceAll('\\', '/')
  const faults = [...(RULES[name]?.(imports, declared) ?? []), ...findCycleFaults(declared)]
  return faults.map(({ file, message }) => ({ file: posix.join(shown, file), message }))
}

/** Source folders that are not the `src` of their package. */
const SOURCE_FOLDERS: Readonly<Record<string, string>> = { studio: 'studio/src/app' }

const getSource = (name: string): string =>
  fileURLToPath(new URL(`../packages/${SOURCE_FOLDERS[name] ?? `${name}/src`}`, import.meta.url))

const [, , folder, name = 'daybook'] = process.argv
const sources =
  folder === undefined
    ? Object.keys(RULES).map((rule) => [getSource(rule), rule] as const)
    : [[resolve(folder), name] as const]
const boundaryFaults = (await Promise.all(sources.map(([source, rule]) => findFaults(source, rule)))).flat()
for (const { file, message } of boundaryFaults) process.stderr.write(`${file} ${message}\n`)
process.stdout.write(
  boundaryFaults.length === 0 ? 'boundaries: ok\n' : `boundaries: ${boundaryFaults.length} to mend\n`,
)
process.exitCode = boundaryFaults.length === 0 ? 0 : 1
