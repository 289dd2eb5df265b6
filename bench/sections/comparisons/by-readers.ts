import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, CONFIG, startArgs } from '../../bench.ts'
import { Child, here, Server } from '../../load/child.ts'
import { KINDS } from '../../load/kinds.ts'
import { race, type Side, TOKEN } from '../../load/measure.ts'
import { makePlan } from '../../load/plan.ts'
import { type Pair, pairOf } from '../../report.ts'

const WORK = ['create', 'create-alone']
/** The least of what a service without readers of its journal writes. */
const MIN_WITH_READERS = 0.85
/** How often it is asked whether everything is delivered, in milliseconds. */
const LOOK_MS = 100

/** Writes in a service without readers of the journal, and in one with two webhooks. */
export async function compareReaders(bench: Bench): Promise<readonly Pair[]> {
  if (!bench.isAsked('readers')) return []
  bench.say('writes with and without webhooks …')
  const { targeting } = await makePlan(bench.store, bench.model)
  await using servers = new AsyncDisposableStack()
  const receiver = servers.use(new Child('load', [here('hook-receiver.ts')]))
  const env = { DAYBOOK_SERVICE_TOKEN: TOKEN, BENCH_RECEIVER: await receiver.listening() }
  const open = async (name: string, config: string): Promise<Side & { readonly url: string }> => {
    const store = await bench.databases.copyOf(bench.store)
    const args = [...bench.profiling, ...startArgs(store, { config })]
    const server = servers.use(await Server.start(args, { ...store.env, ...env }))
    return { name, servers: [server], database: bench.databases, targeting, url: server.url }
  }
  const without = await open('none', CONFIG)
  const own = await open('two webhooks', here('../databases/readers.config.ts'))
  const sides = [without, { ...own, settle: () => untilDelivered(own.url) }] as const
  const costs: Pair[] = []
  for (const kind of KINDS.filter(({ name }) => WORK.includes(name))) {
    const [plain, read] = await race(bench.generator, kind, sides, bench.effort)
    costs.push(pairOf(kind, own.name, MIN_WITH_READERS, plain, read))
  }
  return costs
}

/** What is still delivered would slow the other side down, with which it shares a core. */
async function untilDelivered(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/api/cms/webhooks`, { headers: { authorization: `Bearer ${TOKEN}` } })
    const { items } = (await response.json()) as { readonly items: readonly { seq: number; head: number }[] }
    if (items.every(({ seq, head }) => seq === head)) return
    await sleep(LOOK_MS)
  }
}
