import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, SOURCES, startArgs } from '../../bench.ts'
import { ask } from '../../load/check.ts'
import { type Child, Server } from '../../load/child.ts'
import { KINDS } from '../../load/kinds.ts'
import type { Load, Loaded } from '../../load/load.ts'
import { TOKEN, WrongAnswer } from '../../load/measure.ts'
import { makePlan, type Targeting } from '../../load/plan.ts'
import { type Amount, amountOf } from '../../report.ts'

const MIB = 2 ** 20
const MAX_AFTER_START = 90
/** How long a service is left alone after its start, in milliseconds. */
const SETTLED_MS = 3000
const MAX_PEAK = 200
/** Large lists that are asked for besides, so that kept answers reach their bound. */
const FILLING_LISTS = 600

/** What Daybook holds after its start, and at most when everything that the bench reads has been asked for. */
export async function measureMemory(bench: Bench): Promise<readonly Amount[]> {
  if (!bench.isAsked('memory')) return []
  bench.say('memory …')
  return memoryOf(bench, 'sources', startArgs(bench.store, { cli: SOURCES }))
}

/** The same of any Daybook. @param args what Node runs to serve the store */
export async function memoryOf(
  { store, model, generator, effort }: Pick<Bench, 'store' | 'model' | 'generator' | 'effort'>,
  how: string,
  args: readonly string[],
): Promise<readonly Amount[]> {
  const { targeting } = await makePlan(store, model)
  await using server = await Server.start(args, store.env)
  await ask(`${server.url}/api/health`)
  // Once it has nothing to do, a service gives back what its start took.
  await sleep(SETTLED_MS)
  const afterStart = await server.memory()
  for (const load of loadsOf(targeting, effort.seconds)) await run(generator, server, load)
  return [
    amountOf(`${how}: memory after start`, afterStart / MIB, 'MiB', MAX_AFTER_START),
    amountOf(`${how}: peak, after every read`, (await server.peak()) / MIB, 'MiB', MAX_PEAK),
  ]
}

type ReadLoad = Omit<Load, 'urls'>

/** Every read of the bench, then more large lists than can be kept; all of it again by clients that take it compressed. */
function loadsOf(targeting: Targeting, seconds: number): readonly ReadLoad[] {
  const reads = KINDS.filter(({ writes }) => !writes)
  const lists = Array.from({ length: FILLING_LISTS }, (_, n) => `${targeting.list}?limit=100&offset=${n}`)
  const loads = [
    ...reads.map((kind) => kind.load(targeting, TOKEN, 0)),
    { paths: [targeting.half, targeting.deep.byOffset] },
    { paths: lists },
  ]
  return [{}, { 'accept-encoding': 'br' }].flatMap((headers) =>
    loads.map((load) => ({ ...load, headers, connections: 10, seconds })),
  )
}

async function run(generator: Child, { url }: Server, load: ReadLoad): Promise<void> {
  const { statuses, failures } = await generator.ask<Loaded>({ ...load, urls: [url] })
  const isWrong = failures > 0 || Object.keys(statuses).some((status) => status !== '200' && status !== '304')
  if (isWrong) throw new WrongAnswer(`memory: answers by status ${JSON.stringify(statuses)}, ${failures} failed`)
}
