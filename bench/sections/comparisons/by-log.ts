import { type Bench, startArgs } from '../../bench.ts'
import { Server } from '../../load/child.ts'
import { KINDS } from '../../load/kinds.ts'
import { race, type Side } from '../../load/measure.ts'
import { makePlan } from '../../load/plan.ts'
import { type Pair, pairOf } from '../../report.ts'

const WORK = ['entry', 'list']
const LEVELS = ['silent', 'info'] as const
/** The least of what a silent service does. */
const MIN_WITH_LOG = 0.95

/** Reads of a service that logs each request to a reader, as by default, beside those of a silent one. */
export async function compareLogs(bench: Bench): Promise<readonly Pair[]> {
  if (!bench.isAsked('log')) return []
  bench.say('with and without a log …')
  const { targeting } = await makePlan(bench.store, bench.model)
  await using servers = new AsyncDisposableStack()
  const sides: Side[] = []
  for (const log of LEVELS) {
    const args = [...bench.profiling, ...startArgs(bench.store, { log })]
    const server = servers.use(await Server.start(args, bench.store.env, { isLogDropped: log === 'info' }))
    sides.push({ name: log, servers: [server], database: bench.databases, targeting })
  }
  const found: Pair[] = []
  for (const kind of KINDS.filter(({ name }) => WORK.includes(name))) {
    const [silent, logging] = await race(bench.generator, kind, sides, bench.effort)
    if (silent && logging) found.push(pairOf(kind, 'a line for each request', MIN_WITH_LOG, silent, logging))
  }
  return found
}
