import { glob, readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { posix, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { init, parse } from 'es-module-lexer'

/** From the bottom of the house to its top: each part may import itself, the parts before it, and the leaves. */
const LINE: readonly string[] = [
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

/** Parts beside the line, each with the parts that it may import besides itself and the leaves. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  auth: [],
  metrics: upTo('store'),
  assets: [],
  'index.ts': [...upTo('service.ts'), 'auth', 'assets'],
  plugins: ['index.ts'],
  testing: [...upTo('service.ts'), 'auth', 'assets'],
}

/** What is wired together in the composition root besides the line. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
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

/** Libraries that one part, or a file besides, hides from the others. */
const OWNERS: Readonly<Record<string, string | readonly string[]>> = {
  ajv: 'model',
  'ajv-formats': 'model',
  commander: 'cli/command.ts',
  // The operators of filters have their SQL beside their evaluation in JavaScript.
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

/** Parts of the Studio's program that every page stands on, from the bottom up. */
const STUDIO_LINE: readonly string[] = ['ui', 'messages', 'api', 'model', 'session', 'shell']
/** What several pages use of the editor and of the files. */
const STUDIO_SHARED: readonly string[] = [
  'editor/fields',
  'editor/saving',
  'assets/media',
  'assets/uploads',
  'assets/picker',
  'preview',
]
/** Pages: none imports another one. */
const STUDIO_PAGES: readonly string[] = ['editor', 'lists', 'overview', 'assets', 'accounts', 'webhooks']

/** Folders of `content/` whose public names, for the rest of the service, are those of their `index.ts`. */
const INDEXED: readonly string[] = ['content/reads', 'content/writes', 'content/drafts', 'content/transfer']

/** One import that does not fit, and what to do about it. */
interface BoundaryFault {
  readonly file: string
  readonly message: string
}

/** Imports by file, both as paths below the source folder; libraries by name. */
type Imports = ReadonlyMap<string, readonly string[]>

function upTo(part: string): readonly string[] {
  return LINE.slice(0, LINE.indexOf(part) + 1)
}

const isLeaf = (file: string): boolean => LEAVES.includes(file)

const partOf = (file: string): string => file.split('/')[0] ?? file

function allowedFor(part: string): readonly string[] | undefined {
  const place = LINE.indexOf(part)
  if (place >= 0) return [...LINE.slice(0, place + 1), ...(ALSO[part] ?? [])]
  const beside = BESIDE[part]
  return beside && [part, ...beside]
}

/** Reads what each file of a source folder imports. */
async function readImports(
  source: string,
  specifiersOf: (code: string, file: string) => readonly string[],
): Promise<Imports> {
  const imports = new Map<string, readonly string[]>()
  for await (const path of glob('**/*.{ts,tsx}', { cwd: source })) {
    const file = path.replaceAll('\\', '/')
    if (file.endsWith('.d.ts')) continue
    const specifiers = specifiersOf(await readFile(resolve(source, path), 'utf8'), file)
    imports.set(
      file,
      [...new Set(specifiers)].map((specifier) => target(file, specifier)),
    )
  }
  return new Map([...imports].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What a file imports when it runs; types count for nothing. */
function valuesOf(code: string, file: string): readonly string[] {
  // What strips types knows no JSX.
  if (file.endsWith('.tsx')) return declaredBy(code.replace(/^(?:import|export) type /gm, '// ')).concat(loadedBy(code))
  const [imports] = parse(stripTypeScriptTypes(code), file)
  return imports.flatMap((one) => (typeof one.specifier === 'string' ? [one.specifier] : []))
}

/** What a file imports once it is needed. */
const loadedBy = (code: string): readonly string[] =>
  [...code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)].map(([, from = '']) => from)

/** What a file imports at its top, types as well. */
function declaredBy(code: string): readonly string[] {
  return [...code.matchAll(/^(?:import|export)\s[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]/gm)].map(([, from = '']) => from)
}

function target(file: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier
}

const libraryOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

function libraryFault(file: string, specifier: string): string | undefined {
  const owners = [OWNERS[libraryOf(specifier)] ?? []].flat()
  if (owners.length === 0 || owners.some((owner) => file === owner || file.startsWith(`${owner}/`))) return undefined
  return `imports ${libraryOf(specifier)}, which only ${owners.join(' and ')} may. Put what you need there, and import that.`
}

function directionFault(file: string, to: string): string | undefined {
  if (isLeaf(to)) return undefined
  if (isLeaf(file)) return `imports ${to}, but is a leaf that all may import. Move what it needs into it.`
  const allowed = allowedFor(partOf(file))
  if (!allowed) return `is in no part of the layout. Add "${partOf(file)}" to the table in scripts/check-boundaries.ts.`
  if (allowed.includes(partOf(to))) return undefined
  const others = allowed.filter((part) => part !== partOf(file))
  const advice = others.length > 0 ? `may import: ${others.join(', ')}` : 'imports nothing but the leaves'
  return `imports ${to}, against the layout. ${partOf(file)} ${advice}. Move the code, or pass the value in.`
}

function indexFault(file: string, to: string): string | undefined {
  const folder = INDEXED.find((indexed) => to.startsWith(`${indexed}/`))
  const index = `${folder}/index.ts`
  if (folder === undefined || to === index || partOf(file) === partOf(to)) return undefined
  return `imports ${to} past ${index}. Export what you need there, and import that.`
}

/** Imports against the layout: of files, also for types alone; of libraries, only where they are loaded. */
function importFaults(values: Imports, declared: Imports): readonly BoundaryFault[] {
  return [...values].flatMap(([file, loaded]) => {
    const all = new Set([...loaded, ...(declared.get(file) ?? [])])
    return [...all].flatMap((to) => {
      const isLoadedLibrary = !values.has(to) && loaded.includes(to)
      const message = values.has(to)
        ? (directionFault(file, to) ?? indexFault(file, to))
        : isLoadedLibrary && libraryFault(file, to)
      return message ? [{ file, message }] : []
    })
  })
}

/** Every cycle that a depth-first walk closes, once. Files that need each other's types are one file in two. */
function cycleFaults(imports: Imports): readonly BoundaryFault[] {
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

/** What is no part of the package itself: types of others may be imported, nothing that runs. */
function foreignFaults(imports: Imports): readonly BoundaryFault[] {
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
const studioPartOf = (file: string): string =>
  STUDIO_SHARED.find((part) => file === part || file.startsWith(`${part}/`)) ?? file.split('/')[0] ?? file

function allowedInStudio(part: string): readonly string[] | undefined {
  const place = STUDIO_LINE.indexOf(part)
  if (place >= 0) return STUDIO_LINE.slice(0, place + 1)
  if (STUDIO_SHARED.includes(part)) return [...STUDIO_LINE, ...STUDIO_SHARED]
  if (STUDIO_PAGES.includes(part)) return [...STUDIO_LINE, ...STUDIO_SHARED, part]
  if (part === 'routes.tsx') return [...STUDIO_LINE, ...STUDIO_SHARED, ...STUDIO_PAGES]
  return part === 'main.tsx' ? [...STUDIO_LINE, 'routes.tsx'] : undefined
}

/** Imports of the Studio's program against its layout. */
function studioFaults(imports: Imports): readonly BoundaryFault[] {
  return [...imports].flatMap(([file, targets]) => {
    const part = studioPartOf(file)
    const allowed = allowedInStudio(part)
    if (!allowed) {
      return [
        { file, message: `is in no part of the layout. Add "${part}" to the table in scripts/check-boundaries.ts.` },
      ]
    }
    return targets
      .filter((to) => imports.has(to) && !allowed.includes(studioPartOf(to)))
      .map((to) => ({
        file,
        message: `imports ${to}, against the layout. ${part} may import: ${allowed.join(', ')}. Move the code, or pass the value in.`,
      }))
  })
}

/** The packages, each with the rule that its imports follow. */
const RULES: Readonly<Record<string, (values: Imports, declared: Imports) => readonly BoundaryFault[]>> = {
  daybook: importFaults,
  client: foreignFaults,
  studio: studioFaults,
}

/** What in a source folder breaks the layout of a package: imports that it may not have, cycles, full folders. */
async function findFaults(source: string, name: string): Promise<readonly BoundaryFault[]> {
  await init()
  const imports = await readImports(source, valuesOf)
  const declared = await readImports(source, declaredBy)
  const shown = relative(process.cwd(), source).replaceAll('\\', '/')
  const faults = [...(RULES[name]?.(imports, declared) ?? []), ...cycleFaults(declared)]
  return faults.map(({ file, message }) => ({ file: posix.join(shown, file), message }))
}

/** Sources that are not the `src` of the package of their name. */
const SOURCE_FOLDERS: Readonly<Record<string, string>> = { studio: 'studio/src/app' }

const sourceOf = (name: string): string =>
  fileURLToPath(new URL(`../packages/${SOURCE_FOLDERS[name] ?? `${name}/src`}`, import.meta.url))

const [, , given, name = 'daybook'] = process.argv
const sources =
  given === undefined
    ? Object.keys(RULES).map((one) => [sourceOf(one), one] as const)
    : [[resolve(given), name] as const]
const boundaryFaults = (await Promise.all(sources.map(([source, one]) => findFaults(source, one)))).flat()
for (const { file, message } of boundaryFaults) process.stderr.write(`${file} ${message}\n`)
process.stdout.write(
  boundaryFaults.length === 0 ? 'boundaries: ok\n' : `boundaries: ${boundaryFaults.length} to mend\n`,
)
process.exitCode = boundaryFaults.length === 0 ? 0 : 1
