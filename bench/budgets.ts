// npm run measure -- [NAMES]: costs that depend on the machine or take minutes, so that no test asserts them. Exits with 1 if one
// exceeds its budget.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Compiler } from '../packages/client/test/support/compiler.ts'
import { FreshFolder } from '../scripts/packages/fresh-folder.ts'
import { CHECKOUT, startDaybook } from './bench.ts'
import type { Server } from './load/child.ts'
import { fillService, TOKEN } from './stores/fill.ts'
import { SqliteStores } from './stores/sqlite-stores.ts'

const MIB = 2 ** 20

interface Budget {
  readonly what: string
  readonly value: number
  readonly limit: number
  readonly unit: string
}

/** Counts the type instantiations of a config with every field type, and of a client of 30 collections. */
async function measureTypes(): Promise<readonly Budget[]> {
  await using compiler = await Compiler.make()
  const count = async (source: string, files: Readonly<Record<string, string>> = {}): Promise<number> => {
    const { instantiations, faults } = await compiler.compile(source, files)
    if (faults.length > 0) throw new Error(`The types do not compile: ${JSON.stringify(faults)}`)
    return instantiations
  }
  const showcase = await readFile(join(CHECKOUT, 'packages/daybook/test/types/showcase.ts'), 'utf8')
  const empty = await count("import 'daybook'", { 'showcase.ts': showcase })
  const config = await count("import './showcase.ts'")
  const uses = await count(SHOWCASE_USES)
  const client = await count("import './config.ts'\nimport '@daybook/client'", { 'config.ts': LARGE_CONFIG })
  const oneCollection = await count(clientProgram(['c0']))
  const allCollections = await count(clientProgram(COLLECTION_KEYS))
  const unit = 'instantiations'
  // Three quarters of the first type the functions among the options without annotations, such as validators and defaults.
  return [
    { what: 'types of a config with 44 fields', value: config - empty, limit: 20_000, unit },
    { what: 'types of its entries', value: uses - config, limit: 10_000, unit },
    { what: 'client types, one collection of 30', value: oneCollection - client, limit: 50_000, unit },
    { what: 'client types, all 30 collections', value: allCollections - client, limit: 350_000, unit },
  ]
}

const SHOWCASE_USES = `
  import type { ServiceContent, Entry, EntryCreate, EntryUpdate, GlobalEntry, GlobalUpdate } from 'daybook'
  import type { Showcase } from './showcase.ts'
  export type All = [
    Entry<Showcase, 'things'>, EntryCreate<Showcase, 'things'>, EntryUpdate<Showcase, 'things'>,
    Entry<Showcase, 'pages'>, EntryCreate<Showcase, 'pages'>, EntryUpdate<Showcase, 'pages'>,
    GlobalEntry<Showcase, 'site'>, GlobalUpdate<Showcase, 'site'>,
  ]
  export const use = async (content: ServiceContent<Showcase>) => {
    const [first] = (await content.list('things')).items
    return first?.parts.map((part) => part._type)
  }
  export const read = (all: All) => all[0].group`

const COLLECTION_KEYS = Array.from({ length: 30 }, (_, index) => `c${index}`)
const keyAt = (index: number): string => COLLECTION_KEYS[index % COLLECTION_KEYS.length] ?? ''

/** A config of 30 collections with a dozen fields each, four of which are relations. */
const LARGE_CONFIG = `import { defineCollection, defineConfig, f } from 'daybook'
${COLLECTION_KEYS.map(
  (key, index) => `const ${key} = defineCollection({ fields: {
  title: f.text({ required: true }), slug: f.slug({ from: 'title' }), status: f.status(), body: f.markdown(),
  words: f.integer(), day: f.date(), kind: f.select({ options: ['a', 'b'] }), kinds: f.select({ options: ['a', 'b'], many: true }),
  first: f.relation('${keyAt(index + 1)}'), related: f.relation('${keyAt(index + 7)}', { many: true }), parent: f.relation('${key}'),
  meta: f.group({ label: f.text(), editor: f.relation('${keyAt(index + 13)}') }),
} })`,
).join('\n')}
export const config = defineConfig({ collections: { ${COLLECTION_KEYS.join(', ')} } })
export type Config = typeof config
`

const clientProgram = (keys: readonly string[]): string => `import { type Client } from '@daybook/client'
import type { Config } from './config.ts'
export async function use(client: Client<Config>, seen: unknown[]): Promise<void> {${keys
  .map(
    (key) => `
  {
    const { items } = await client.collections.${key}.findMany({
      where: { title: { startsWith: 'A' }, 'first.words': { gt: 5 }, or: [{ kind: { eq: 'a' } }] },
      sort: ['-day', 'meta.label'], include: ['first', 'related.parent'], select: ['title', 'first.title'],
    })
    const deep = await client.collections.${key}.findBySlug('a', { depth: 3 })
    const created = await client.collections.${key}.create({ title: 'A' })
    await client.collections.${key}.update(created, { words: 5 })
    seen.push(items[0]?.first?.title, deep?.first?.first?.parent?.title)
  }`,
  )
  .join('')}
}
`

/** Adds up the gzipped files that a browser loads for a page of the Studio, as `npm run prepare` builds them. */
async function measureStudio(): Promise<readonly Budget[]> {
  const folder = join(CHECKOUT, 'packages/studio/dist/app')
  const chunks: Readonly<
    Record<string, { readonly file: string; readonly css?: readonly string[]; readonly imports?: readonly string[] }>
  > = JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8'))
  const findFiles = (sources: readonly string[]): ReadonlySet<string> => {
    const needed = new Set(sources)
    // The loop also visits sources that it adds.
    for (const key of needed) for (const imported of chunks[key]?.imports ?? []) needed.add(imported)
    return new Set([...needed].flatMap((key) => [chunks[key]?.file ?? `no ${key}`, ...(chunks[key]?.css ?? [])]))
  }
  const addSizes = async (files: ReadonlySet<string>, loaded: ReadonlySet<string> = new Set()): Promise<number> => {
    const added = [...files].filter((file) => !loaded.has(file))
    const sizes = await Promise.all(added.map(async (file) => (await readFile(join(folder, `${file}.gz`))).length))
    return sizes.reduce((sum, size) => sum + size, 0) / 1024
  }
  const start = ['src/app/main.tsx', 'src/app/messages/en.ts']
  const editor = 'src/app/editor/entry-page.tsx'
  const listFiles = findFiles([...start, 'src/app/lists/list-page.tsx'])
  const markdownFiles = findFiles(['src/app/editor/fields/markdown/markdown-view.ts'])
  const unit = 'KiB'
  return [
    { what: 'Studio: first list page', value: await addSizes(listFiles), limit: 230, unit },
    { what: 'Studio: editor, after a list', value: await addSizes(findFiles([editor]), listFiles), limit: 60, unit },
    {
      what: 'Studio: Markdown editor, when it is shown',
      value: await addSizes(markdownFiles, findFiles([...start, editor])),
      limit: 150,
      unit,
    },
  ]
}

/** Measures the memory that a service holds after requests, beside the configured bytes of responses in memory. */
async function measureResponses(): Promise<readonly Budget[]> {
  const program = join(import.meta.dirname, 'response-memory.ts')
  const measure = async (what: string, scenario: string, cacheMib: number): Promise<Budget> => {
    const args = ['--expose-gc', program, scenario, String(cacheMib * MIB)]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    // Statements, parsed requests and compiled code take up to 24 MiB.
    return { what: `memory after ${what}`, value: Number(stdout) / MIB, limit: cacheMib + 24, unit: 'MiB' }
  }
  return [
    await measure('4,000 different lists, cache of 4 MiB', 'once', 4),
    await measure('3,000 lists twice each, cache of 4 MiB', 'twice', 4),
    await measure('lists of 10 MB, too large for a cache of 16 MiB', 'large', 16),
    await measure('lists of 10 MB, cache of 88 MiB', 'large', 88),
  ]
}

const BODY_LIMIT = 16 * MIB
/** The number of exports of a thousand posts, which have 60 MiB together. */
const EXPORTS = 40

/** Measures how the memory of a service grows with a body that is too large, and with exports. */
async function measurePeaks(): Promise<readonly Budget[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'daybook-budgets-'))
  try {
    const stores = new SqliteStores({ root: scratch, scratch, fill: async () => {} })
    const env = { BENCH_LIMITS: JSON.stringify({ bodyBytes: BODY_LIMIT }), ENABLE_CMS_EXPORT: 'true' }
    await using server = await startDaybook(await stores.makeEmpty(), { env, place: 'anywhere' })
    await fillService(server.url, 1000, () => {})
    const body = await measureGrowth(server, () => pourBody(server.url), 1)
    const exported = await measureGrowth(server, () => exportAll(server.url), EXPORTS)
    return [
      { what: 'peak of a body of 128 MiB, limit 16 MiB', value: body, limit: (3 * BODY_LIMIT) / MIB, unit: 'MiB' },
      { what: 'peak of 40 exports', value: exported, limit: 64, unit: 'MiB' },
    ]
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Measures by how many MiB work raises the peak of a process. The first run of the work does not count. */
async function measureGrowth(server: Server, work: () => Promise<void>, times: number): Promise<number> {
  await work()
  const before = await server.peakMemory()
  for (let time = 0; time < times; time += 1) await work()
  return ((await server.peakMemory()) - before) / MIB
}

async function exportAll(url: string): Promise<void> {
  const response = await fetch(`${url}/api/export`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const text = await response.text()
  if (!response.ok || text.length < MIB) throw new Error(`The export responded ${response.status}: ${text}`)
}

/** Sends a body without its length until the service refuses it. */
async function pourBody(url: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    'transfer-encoding': 'chunked',
  }
  const sending = request(`${url}/api/tags`, { method: 'POST', headers })
  // The service may close the connection without reading the rest.
  sending.on('error', () => {})
  const responded = once(sending, 'response') as Promise<[IncomingMessage]>
  let isAnswered = false
  void responded.then(() => {
    isAnswered = true
  })
  const chunk = Buffer.alloc(64 * 1024, ' ')
  for (let sent = 0; sent < 8 * BODY_LIMIT && !isAnswered; sent += chunk.length) {
    if (!sending.write(chunk)) await Promise.race([once(sending, 'drain'), responded])
  }
  const [{ statusCode }] = await responded
  sending.destroy()
  if (statusCode !== 413) throw new Error(`A body over the limit responded ${statusCode}.`)
}

/** Measures the time from nothing to the first response, with npm's cache of this machine. */
async function measureSetUp(): Promise<readonly Budget[]> {
  await using fresh = await FreshFolder.make()
  const startedAt = performance.now()
  const { status, stderr } = await fresh.run('.', 'npm', 'create', 'daybook', 'my-content')
  if (status !== 0) throw new Error(`npm create daybook failed:\n${stderr}`)
  await using service = await fresh.serve('my-content', 'npm', 'start', '--', '--port', '0', '--log', 'error')
  const response = await fetch(`${service.url}/api/posts?include=author`)
  if (!response.ok) throw new Error(`GET /api/posts responded ${response.status}`)
  const value = (performance.now() - startedAt) / 1000
  return [{ what: 'npm create daybook, npm start, first response', value, limit: 15, unit: 's' }]
}

const MEASURES: Readonly<Record<string, () => Promise<readonly Budget[]>>> = {
  types: measureTypes,
  studio: measureStudio,
  responses: measureResponses,
  peaks: measurePeaks,
  'set-up': measureSetUp,
}

const [, , ...chosen] = process.argv
for (const name of chosen.length > 0 ? chosen : Object.keys(MEASURES)) {
  const measure = MEASURES[name]
  if (!measure) throw new Error(`There is no measure "${name}", only ${Object.keys(MEASURES).join(', ')}.`)
  for (const { what, value, limit, unit } of await measure()) {
    const isExceeded = !(value <= limit)
    const figure = value.toLocaleString('en', { maximumFractionDigits: 1 })
    const verdict = isExceeded ? 'EXCEEDED' : 'ok'
    process.stdout.write(`${verdict.padEnd(8)}  ${what}: ${figure} of ${limit.toLocaleString('en')} ${unit}\n`)
    if (isExceeded) process.exitCode = 1
  }
}
