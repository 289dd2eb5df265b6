import { type Bench, startArgs } from '../../bench.ts'
import { RULES } from '../../databases/rules.ts'
import { here, Server } from '../../load/child.ts'
import type { Kind } from '../../load/kinds.ts'
import { race, type Side } from '../../load/measure.ts'
import { makePlan, type Targeting } from '../../load/plan.ts'
import { type RuleCost, ruleResult } from '../../report.ts'

const SORTED = '/api/posts?sort=-publishedOn&limit=10'
const LATER = `${SORTED}&offset=50`

const kind = (title: string, load: Kind['load']): Kind => ({
  name: 'rules',
  title,
  status: 200,
  connections: 10,
  writes: false,
  load,
})

const RULE_KINDS: readonly Kind[] = [
  kind('list of 10 by publishedOn, with total', () => ({ paths: [SORTED] })),
  kind('page of 10 by publishedOn, after a cursor', ({ list }) => ({ paths: [list] })),
  kind('search for the commonest word', ({ search }) => ({ paths: [`${search}&limit=10`] })),
]

/** Lists by a public reader, without a read rule and with some that answer a where. */
export async function compareRules(bench: Bench): Promise<readonly RuleCost[]> {
  if (!bench.isAsked('rules')) return []
  bench.say('lists with and without a read rule …')
  const { targeting } = await makePlan(bench.store, bench.model)
  await using servers = new AsyncDisposableStack()
  const sides: Side[] = []
  for (const { name } of [{ name: 'none' }, ...RULES]) {
    const args = [...bench.profiling, ...startArgs(bench.store, { config: here('../databases/rules.config.ts') })]
    const server = servers.use(await Server.start(args, { ...bench.store.env, BENCH_RULE: name }))
    const own: Targeting = { ...targeting, list: await pageOf(server) }
    sides.push({ name, servers: [server], database: bench.databases, targeting: own })
  }
  const costs: RuleCost[] = []
  for (const one of RULE_KINDS) {
    const [without, ...samples] = await race(bench.generator, one, sides, bench.effort)
    for (const [place, rule] of RULES.entries()) {
      const sample = samples[place]
      if (without && sample) costs.push(ruleResult(one, rule, without, sample))
    }
  }
  return costs
}

/** The address of a page somewhere in the middle. */
async function pageOf({ url }: Server): Promise<string> {
  const { nextCursor } = (await (await fetch(url + LATER)).json()) as { nextCursor: string }
  return `${SORTED}&cursor=${nextCursor}`
}
