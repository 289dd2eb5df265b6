// npm run bench: Daybook beside its floor.
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import config from '../examples/blog/daybook.config.ts'
import { compileModel } from '../packages/daybook/src/model/compile.ts'
import type { Bench } from './bench.ts'
import type { Databases, Ground } from './databases/databases.ts'
import { PostgresDatabases } from './databases/postgres-databases.ts'
import { SqliteDatabases } from './databases/sqlite-databases.ts'
import { Child, here } from './load/child.ts'
import { KINDS } from './load/kinds.ts'
import { WrongAnswer } from './load/measure.ts'
import { printed } from './print.ts'
import { type Report, thisMachine } from './report.ts'
import { compareWithFloors } from './sections/comparisons/against-floor.ts'
import { compareCheckouts } from './sections/comparisons/by-checkout.ts'
import { compareFiles } from './sections/comparisons/by-file.ts'
import { compareLogs } from './sections/comparisons/by-log.ts'
import { compareNodes } from './sections/comparisons/by-nodes.ts'
import { comparePlugins } from './sections/comparisons/by-plugins.ts'
import { compareReaders } from './sections/comparisons/by-readers.ts'
import { compareRequests } from './sections/comparisons/by-request.ts'
import { compareRules } from './sections/comparisons/by-rule.ts'
import { compareSessions } from './sections/comparisons/by-session.ts'
import { compareSizes } from './sections/comparisons/by-size.ts'
import { timeAggregates } from './sections/costs/aggregate-time.ts'
import { measureCatchUp, measureEvents } from './sections/costs/events.ts'
import { measureExport } from './sections/costs/export-cost.ts'
import { measureImport } from './sections/costs/import-cost.ts'
import { measureMany } from './sections/costs/many-cost.ts'
import { measureMemory } from './sections/costs/memory-cost.ts'
import { timeDocuments } from './sections/costs/openapi-time.ts'
import { measureOverload } from './sections/costs/overload.ts'
import { measureRestore } from './sections/costs/restore-cost.ts'
import { timeSearches } from './sections/costs/search-time.ts'
import { timeStarts } from './sections/costs/start-time.ts'
import { measureUploads } from './sections/costs/upload-cost.ts'

const NAMES = KINDS.map(({ name }) => name)

const HELP = `npm run bench -- [options]

  --entries N       posts in the seeded store (default: 1000)
  --seconds S       length of one measurement (default: 5)
  --rounds R        measurements of each side (default: 3)
  --database NAME   what keeps the content: sqlite (default) or postgres
  --against DIR     also compare the search with that of another checkout, on a copy of the same store
  --import DIR      also import this folder of Markdown files
  --only NAME       one kind of work, "select", "offset", "log", "sessions", "plugins", "readers", "rules", "nodes", "start", "memory",
                    "openapi", "aggregate", "import", "export", "restore", "many", "events", "catch-up", "serve", "upload" or
                    "overload"; may stand more than once: ${NAMES.join(', ')}
  --compare-sizes   also compare with a store of 1,000 (always so from 100,000 entries on)
  --data DIR        where seeded stores are kept for other runs (default: daybook-bench in the folder for temporary files)
  --json FILE       write the figures, too, and the table beside them (.txt)
  --profile DIR     write processor profiles of Daybook's side
`

const { values: given } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    database: { type: 'string', default: 'sqlite' },
    only: { type: 'string', multiple: true },
    'compare-sizes': { type: 'boolean', default: false },
    data: { type: 'string', default: join(tmpdir(), 'daybook-bench') },
    against: { type: 'string' },
    import: { type: 'string' },
    json: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

/** From so many entries on, sizes are compared unasked. */
const LARGE_STORE = 100_000

/** Posts of the seeded store where none are asked for. */
const SMALL_STORE = 1000

const entries = Number(given.entries)
const effort = { seconds: Number(given.seconds), rounds: Number(given.rounds) }
const root = resolve(given.data)
const say = (line: string): void => void process.stderr.write(`${line}\n`)

function openDatabases(ground: Ground): Databases | Promise<Databases> {
  if (given.database === 'postgres') return PostgresDatabases.start(ground)
  if (given.database === 'sqlite') return new SqliteDatabases(ground)
  throw new Error(`--database takes sqlite or postgres, not "${given.database}".`)
}

async function measureAll(bench: Bench): Promise<Report> {
  const { version: database } = bench.databases
  return {
    machine: thisMachine(),
    database,
    entries,
    ...effort,
    comparisons: [...(await compareWithFloors(bench)), ...(await compareFiles(bench))],
    growth: entries >= LARGE_STORE || given['compare-sizes'] ? await compareSizes(bench) : [],
    pairs: [
      { title: 'in another way', rows: await compareRequests(bench) },
      { title: 'another checkout', rows: await compareCheckouts(bench, given.against) },
      { title: 'with a log', rows: await compareLogs(bench) },
      { title: 'with a session', rows: await compareSessions(bench) },
      { title: 'with a plugin', rows: await comparePlugins(bench) },
      { title: 'with readers', rows: await compareReaders(bench) },
    ],
    rules: await compareRules(bench),
    nodes: await compareNodes(bench),
    latencies: await timeSearches(bench),
    starts: await timeStarts(bench),
    amounts: await measureMemory(bench),
    documents: await timeDocuments(bench),
    aggregates: await timeAggregates(bench),
    imports: await measureImport(bench, given.import),
    exports: await measureExport(bench),
    restores: await measureRestore(bench),
    many: await measureMany(bench),
    live: await measureEvents(bench),
    catchUps: await measureCatchUp(bench),
    uploads: await measureUploads(bench),
    overloads: await measureOverload(bench),
  }
}

async function save(file: string, report: Report): Promise<void> {
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
  await writeFile(file.replace(/(\.json)?$/, '.txt'), `${printed(report)}\n`)
}

async function runBench(scratch: string): Promise<void> {
  const model = compileModel(config)
  await using databases = await openDatabases({ root, scratch, model, say })
  // Aggregates have a store of their own.
  const isAggregate = given.only?.every((name) => name === 'aggregate') ?? false
  const store = await databases.seeded(isAggregate ? SMALL_STORE : entries)
  await using generator = new Child('load', [here('load.ts')])
  const report = await measureAll({
    model,
    databases,
    store,
    entries,
    effort,
    generator,
    scratch,
    profiling: given.profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(given.profile)}`] : [],
    isAsked: (name) => given.only?.includes(name) ?? true,
    say,
  })
  process.stdout.write(`${printed(report)}\n`)
  if (given.json) await save(given.json, report)
}

async function runInScratch(): Promise<void> {
  await mkdir(root, { recursive: true })
  const scratch = await mkdtemp(join(root, 'run-'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      rmSync(scratch, { recursive: true, force: true })
      process.exit(1)
    })
  }
  try {
    await runBench(scratch)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

if (given.help) process.stdout.write(HELP)
else {
  try {
    await runInScratch()
  } catch (error) {
    if (!(error instanceof WrongAnswer)) throw error
    say(error.message)
    process.exitCode = 1
  }
}
