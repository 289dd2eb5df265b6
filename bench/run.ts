// npm run bench: Daybook beside its floor.
import { constants, rmSync } from 'node:fs'
import { access, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import config from '../examples/blog/daybook.config.ts'
import { compileModel } from '../packages/daybook/src/model/compile.ts'
import { databaseFile } from '../packages/daybook/src/service.ts'
import { demandSameAnswers } from './check.ts'
import { Child, here, Server } from './child.ts'
import { KINDS, type Kind } from './kinds.ts'
import { race, type Side, TOKEN, WrongAnswer } from './measure.ts'
import { makePlan, type Targeting } from './plan.ts'
import {
  type Comparison,
  compare,
  type Growth,
  growth,
  type Latency,
  printed,
  type Report,
  type Start,
  searchResult,
  startResult,
  thisMachine,
} from './report.ts'
import { searchTimes } from './search-time.ts'
import { seededStore } from './seed.ts'
import { startTime } from './start-time.ts'

const HELP = `npm run bench -- [options]

  --entries N       posts in the seeded store (default: 1000)
  --seconds S       length of one measurement (default: 5)
  --rounds R        measurements of each side (default: 3)
  --only NAME       one kind of work, "search" or "start"; may stand more than once: ${KINDS.map(({ name }) => name).join(', ')}
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
    only: { type: 'string', multiple: true },
    'compare-sizes': { type: 'boolean', default: false },
    data: { type: 'string', default: join(tmpdir(), 'daybook-bench') },
    json: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const SMALL = 1000
/** From so many entries on, sizes are compared unasked. */
const LARGE = 100_000
const CLI = here('../packages/daybook/src/cli/bin.ts')
const BUILT_CLI = here('../packages/daybook/dist/cli/bin.js')
const CONFIG = here('../examples/blog/daybook.config.ts')

const entries = Number(given.entries)
const effort = { seconds: Number(given.seconds), rounds: Number(given.rounds) }
const root = resolve(given.data)
const model = compileModel(config)
const profiling = given.profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(given.profile)}`] : []

const say = (line: string): void => void process.stderr.write(`${line}\n`)
const isAsked = (name: string): boolean => given.only?.includes(name) ?? true

const daybookArgs = (data: string, cli = CLI): readonly string[] => [
  cli,
  'start',
  '--port',
  '0',
  '--log',
  'silent',
  '--config',
  CONFIG,
  '--data',
  data,
]

const startDaybook = (data: string): Promise<Server> =>
  Server.start([...profiling, ...daybookArgs(data)], { DAYBOOK_SERVICE_TOKEN: TOKEN })

/** A copy of a store that may be written to. */
async function copyOf(folder: string, scratch: string): Promise<string> {
  const copy = await mkdtemp(join(scratch, 'copy-'))
  await copyFile(databaseFile(folder), databaseFile(copy), constants.COPYFILE_FICLONE)
  return copy
}

/** Everything that a run starts and later ends. */
interface Bench {
  readonly generator: Child
  readonly scratch: string
  readonly folder: string
}

async function compareWithFloor({ generator, scratch, folder }: Bench): Promise<readonly Comparison[]> {
  const kinds = KINDS.filter(({ name }) => isAsked(name))
  if (kinds.length === 0) return []
  const { plan, targeting } = await makePlan(folder, join(scratch, 'floor.db'), model)
  const planFile = join(scratch, 'plan.json')
  await writeFile(planFile, JSON.stringify(plan))
  await using server = await Server.start([here('floor.ts'), planFile])
  const floor: Side = { name: 'floor', server, targeting }
  const reads = await compareKinds(
    generator,
    kinds.filter(({ writes }) => !writes),
    floor,
    folder,
  )
  const writing = kinds.filter(({ writes }) => writes)
  const writes = await compareKinds(generator, writing, floor, writing.length > 0 ? await copyOf(folder, scratch) : '')
  return [...reads, ...writes]
}

async function compareKinds(
  generator: Child,
  kinds: readonly Kind[],
  floor: Side,
  data: string,
): Promise<readonly Comparison[]> {
  const found: Comparison[] = []
  if (kinds.length === 0) return found
  await using server = await startDaybook(data)
  const daybook: Side = { name: 'daybook', server, targeting: floor.targeting }
  for (const kind of kinds) {
    say(`${kind.title} …`)
    await demandSameAnswers(kind, floor, daybook)
    const [bare, ours] = await race(generator, kind, [floor, daybook], effort)
    found.push(compare(kind, bare, ours))
  }
  return found
}

async function compareSizes({ generator, folder, scratch }: Bench): Promise<readonly Growth[]> {
  const kinds = KINDS.filter(({ name, writes }) => isAsked(name) && !writes)
  if (kinds.length === 0 || (entries < LARGE && !given['compare-sizes'])) return []
  const smallFolder = await seededStore(root, SMALL, model, say)
  const targetingOf = async (one: string): Promise<Targeting> =>
    (await makePlan(one, join(scratch, 'unused.db'), model)).targeting
  await using smallServer = await startDaybook(smallFolder)
  await using largeServer = await startDaybook(folder)
  const small: Side = { name: 'small store', server: smallServer, targeting: await targetingOf(smallFolder) }
  const large: Side = { name: 'large store', server: largeServer, targeting: await targetingOf(folder) }
  const found: Growth[] = []
  for (const kind of kinds) {
    say(`${kind.title}, by size …`)
    const [one, other] = await race(generator, kind, [small, large], effort)
    found.push(growth(kind, one, other))
  }
  return found
}

async function timeStarts({ scratch, folder }: Bench): Promise<readonly Start[]> {
  if (!isAsked('start')) return []
  say('start to first answer …')
  const isBuilt = await access(BUILT_CLI).then(
    () => true,
    () => false,
  )
  const found: Start[] = []
  for (const [cli, how] of isBuilt
    ? ([
        [CLI, 'sources'],
        [BUILT_CLI, 'built'],
      ] as const)
    : ([[CLI, 'sources']] as const)) {
    const argsFor = (data: string): readonly string[] => daybookArgs(data, cli)
    found.push(startResult(`${how}, new store`, await startTime(argsFor, scratch)))
    found.push(
      startResult(`${how}, ${entries.toLocaleString('en')} entries`, await startTime(argsFor, scratch, folder)),
    )
  }
  return found
}

async function timeSearches({ scratch, folder }: Bench): Promise<readonly Latency[]> {
  if (!isAsked('search')) return []
  say('searches, and reads beside them …')
  const { targeting } = await makePlan(folder, join(scratch, 'unused.db'), model)
  return searchResult(await searchTimes(daybookArgs(folder), targeting, effort.seconds * effort.rounds))
}

async function save(file: string, report: Report): Promise<void> {
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
  await writeFile(file.replace(/(\.json)?$/, '.txt'), `${printed(report)}\n`)
}

async function bench(): Promise<void> {
  await mkdir(root, { recursive: true })
  const folder = await seededStore(root, entries, model, say)
  const scratch = await mkdtemp(join(root, 'run-'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      rmSync(scratch, { recursive: true, force: true })
      process.exit(1)
    })
  }
  try {
    const machine = thisMachine()
    await using generator = new Child('load', [here('load.ts')])
    const parts: Bench = { generator, scratch, folder }
    const comparisons = await compareWithFloor(parts)
    const sizes = await compareSizes(parts)
    const latencies = await timeSearches(parts)
    const starts = await timeStarts(parts)
    const report = { machine, entries, ...effort, comparisons, growth: sizes, latencies, starts }
    process.stdout.write(`${printed(report)}\n`)
    if (given.json) await save(given.json, report)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

if (given.help) process.stdout.write(HELP)
else {
  try {
    await bench()
  } catch (error) {
    if (!(error instanceof WrongAnswer)) throw error
    say(error.message)
    process.exitCode = 1
  }
}
