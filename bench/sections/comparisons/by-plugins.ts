import { type Bench, CONFIG, startArgs } from '../../bench.ts'
import { here, Server } from '../../load/child.ts'
import { KINDS } from '../../load/kinds.ts'
import { race, type Side } from '../../load/measure.ts'
import { makePlan } from '../../load/plan.ts'
import { type Pair, pairOf } from '../../report.ts'

const WORK = ['entry', 'list', 'not-modified']
const CONFIGS = [CONFIG, here('../databases/plugins.config.ts')]
/** The least of what a service without plugins does. */
const MIN_WITH_PLUGINS = 0.95

/** Routes of Daybook, in a service without plugins and in one with fifty routes of a plugin. */
export async function comparePlugins(bench: Bench): Promise<readonly Pair[]> {
  if (!bench.isAsked('plugins')) return []
  bench.say('with and without 50 routes of a plugin …')
  const { targeting } = await makePlan(bench.store, bench.model)
  await using servers = new AsyncDisposableStack()
  const sides: Side[] = []
  for (const config of CONFIGS) {
    const args = [...bench.profiling, ...startArgs(bench.store, { config })]
    const server = servers.use(await Server.start(args, bench.store.env))
    sides.push({ name: config, servers: [server], database: bench.databases, targeting })
  }
  const costs: Pair[] = []
  for (const kind of KINDS.filter(({ name }) => WORK.includes(name))) {
    const [without, own] = await race(bench.generator, kind, sides, bench.effort)
    if (without && own) costs.push(pairOf(kind, '50 routes', MIN_WITH_PLUGINS, without, own))
  }
  return costs
}
