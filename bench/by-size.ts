import { type Bench, startDaybook } from './bench.ts'
import type { Server } from './child.ts'
import type { BenchStore } from './databases.ts'
import { kindsOn } from './kinds.ts'
import { race, type Side } from './measure.ts'
import { makePlan } from './plan.ts'
import { type Growth, growth } from './report.ts'

const SMALL = 1000

/** The reads of a run on a small store and on the seeded one. */
export async function compareSizes(bench: Bench): Promise<readonly Growth[]> {
  const { databases, generator, effort, say } = bench
  const kinds = kindsOn(databases.engine).filter(({ name, writes }) => bench.isAsked(name) && !writes)
  if (kinds.length === 0) return []
  const smallStore = await databases.seeded(SMALL)
  const sideOf = async (name: string, store: BenchStore, server: Server): Promise<Side> => {
    const { targeting } = await makePlan(store, bench.model)
    return { name, servers: [server], database: databases, targeting }
  }
  await using smallServer = await startDaybook(bench, smallStore)
  await using largeServer = await startDaybook(bench, bench.store)
  const small = await sideOf('small store', smallStore, smallServer)
  const large = await sideOf('large store', bench.store, largeServer)
  const found: Growth[] = []
  for (const kind of kinds) {
    say(`${kind.title}, by size …`)
    const [one, other] = await race(generator, kind, [small, large], effort)
    found.push(growth(kind, one, other))
  }
  return found
}
