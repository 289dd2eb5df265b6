// npm run bench: measures Daybook beside a bare server, or beside another checkout.
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Bench, startDaybook, WrongResponseError } from './bench.ts'
import { COMPARABLE_ROWS, compareCheckouts } from './compare-checkouts.ts'
import { Child, programPath } from './load/child.ts'
import { describeRun, printLines, type ReportLine, saveRow } from './report.ts'
import { measureBulk } from './rows/bulk.ts'
import { measureFeed } from './rows/feed.ts'
import { measureMemory } from './rows/memory.ts'
import { measureOverload } from './rows/overload.ts'
import { measureRequests, REQUEST_ROWS } from './rows/requests.ts'
import { measureSearch } from './rows/search.ts'
import { measureStart } from './rows/start.ts'
import { measureUpload } from './rows/upload.ts'
import { fillService } from './stores/fill.ts'
import { PostgresStores } from './stores/postgres-stores.ts'
import { SqliteStores } from './stores/sqlite-stores.ts'
import type { BenchStore, Stores } from './stores/stores.ts'

type Lines = readonly ReportLine[]

/** The rows that are not compared with the baseline server. */
const OTHER_ROWS: Readonly<Record<string, (bench: Bench) => Promise<Lines>>> = {
  search: measureSearch,
  bulk: measureBulk,
  start: measureStart,
  memory: measureMemory,
  overload: measureOverload,
  upload: measureUpload,
  feed: measureFeed,
}
const ROWS = [...Object.keys(REQUEST_ROWS), ...Object.keys(OTHER_ROWS)]
const SIZES: Readonly<Record<string, number>> = { '1k': 1000, '10k': 10_000, '100k': 100_000, '1m': 1_000_000 }

const HELP = `npm run bench -- [ROWS] [options]

ROWS are any of ${ROWS.join(', ')}; all by default.

  --store NAME     sqlite (default) or postgres
  --size SIZE      posts in the store: ${Object.keys(SIZES).join(', ')}; 1k by default
  --compare DIR    compare with another checkout instead of the baseline: ${Object.keys(COMPARABLE_ROWS).join(', ')}
  --seconds S      length of one measurement (default: 5)
  --rounds R       measurements of each side (default: 3)
  --data DIR       folder of seeded stores (default: daybook-bench in the folder for temporary files)
  --save           write the rows to bench/results/STORE-SIZE.json
`

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: 'string', default: 'sqlite' },
    size: { type: 'string', default: '1k' },
    compare: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    data: { type: 'string', default: join(tmpdir(), 'daybook-bench') },
    save: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const possibleRows = options.compare ? Object.keys(COMPARABLE_ROWS) : ROWS
const entries = SIZES[options.size] ?? 0
const say = (line: string): void => void process.stderr.write(`${line}\n`)

function requireOption(name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) throw new Error(`${name} is one of ${choices.join(', ')}, not "${value}".`)
}

async function fillStore(store: BenchStore, count: number): Promise<void> {
  await using service = await startDaybook(store, { place: 'anywhere' })
  await fillService(service.url, count, say)
}

async function measureRows(scratch: string): Promise<void> {
  const rows = positionals.length > 0 ? positionals : possibleRows
  const storesOptions = { root: resolve(options.data), scratch, fill: fillStore }
  await using stores: Stores =
    options.store === 'postgres' ? await PostgresStores.start(storesOptions) : new SqliteStores(storesOptions)
  await using generator = new Child('load', [programPath('load.ts')])
  const effort = { seconds: Number(options.seconds), rounds: Number(options.rounds) }
  const common = { stores, entries, ...effort, generator, scratch, say }
  const run = describeRun(`${effort.rounds} rounds of ${effort.seconds} s`)
  process.stdout.write(`${stores.version}, ${options.size} posts; ${Object.values(run).join(', ')}\n`)
  const file = join(import.meta.dirname, 'results', `${options.store}-${options.size}.json`)
  const report = async (row: string, lines: Lines): Promise<void> => {
    process.stdout.write(`\n${row}\n${printLines(lines)}\n`)
    if (options.save) await saveRow(file, { store: stores.version, entries }, row, { ...run, lines })
  }
  if (options.compare) {
    const lines = await compareCheckouts(common, options.compare, rows)
    for (const [row, rowLines] of Object.entries(lines)) await report(row, rowLines)
    return
  }
  const bench: Bench = { ...common, store: await stores.openSeeded(entries) }
  const requestRows = rows.filter((row) => row in REQUEST_ROWS)
  if (requestRows.length > 0) {
    const lines = await measureRequests(bench, requestRows)
    for (const row of requestRows) await report(row, lines[row] ?? [])
  }
  for (const row of rows) {
    const measureRow = OTHER_ROWS[row]
    if (measureRow) await report(row, await measureRow(bench))
  }
}

async function runInScratch(): Promise<void> {
  requireOption('--store', options.store, ['sqlite', 'postgres'])
  requireOption('--size', options.size, Object.keys(SIZES))
  if (options.compare && options.save) throw new Error('--save takes no --compare: results are those of one checkout.')
  for (const row of positionals) requireOption('A row', row, possibleRows)
  const root = resolve(options.data)
  await mkdir(root, { recursive: true })
  const scratch = await mkdtemp(join(root, 'run-'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      rmSync(scratch, { recursive: true, force: true })
      process.exit(1)
    })
  }
  try {
    await measureRows(scratch)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

if (options.help) process.stdout.write(HELP)
else {
  try {
    await runInScratch()
  } catch (error) {
    if (!(error instanceof WrongResponseError)) throw error
    say(error.message)
    process.exitCode = 1
  }
}
