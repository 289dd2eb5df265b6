import { type Bench, startDaybook } from '../../bench.ts'
import { requireSameAnswers } from '../../load/check.ts'
import { here, Server } from '../../load/child.ts'
import { FOR_NODES as KIND } from '../../load/kinds.ts'
import { race, type Side } from '../../load/measure.ts'
import { makePlan } from '../../load/plan.ts'
import { type Nodes, nodesResult } from '../../report.ts'

/** One node, three nodes, and three nodes behind a proxy, all on the same store; only where nodes share a server. */
export async function compareNodes(bench: Bench): Promise<Nodes | undefined> {
  const { databases: database, store, model, generator, effort, say } = bench
  if (database.engine !== 'postgres' || !bench.isAsked('nodes')) return undefined
  say('three nodes, straight and by proxy …')
  const { targeting } = await makePlan(store, model)
  await using first = await startDaybook(bench, store, { place: 'nodes' })
  await using second = await startDaybook(bench, store, { place: 'nodes' })
  await using third = await startDaybook(bench, store, { place: 'nodes' })
  const servers = [first, second, third]
  await using proxy = await Server.start([here('proxy.ts'), ...servers.map(({ url }) => url)], {}, { place: 'proxy' })
  const one: Side = { name: 'one node', servers: [first], database, targeting }
  const straight: Side = { name: 'three nodes', servers, database, targeting }
  const proxied: Side = { name: 'three nodes by proxy', servers, proxy, database, targeting }
  await requireSameAnswers(KIND, one, proxied)
  return nodesResult(KIND, await race(generator, KIND, [one, straight, proxied], effort))
}
