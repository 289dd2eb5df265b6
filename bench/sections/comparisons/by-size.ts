import { type Bench, startDaybook } from '../../bench.ts'
import type { BenchStore } from '../../databases/databases.ts'
import { ask } from '../../load/check.ts'
import type { Server } from '../../load/child.ts'
import { KINDS, type Kind, SEARCH } from '../../load/kinds.ts'
import { race, type Side, TOKEN } from '../../load/measure.ts'
import { makePlan } from '../../load/plan.ts'
import { type Growth, growth } from '../../report.ts'

const SMALL = 1000
/** The most addresses that are asked once before. */
const ASKED = 100

/** The first request of a filter counts its total; on a store with other writes, each measurement would include that count. */
async function askEachOnce(kind: Kind, { servers: [server], targeting }: Side): Promise<void> {
  const { paths = [] } = kind.load(targeting, TOKEN, 0)
  for (const path of [...new Set(paths)].slice(0, ASKED)) await ask(`${server?.url}${path}`)
}

/** The reads of a run on a small store and on the seeded one, with nothing kept; a search finds more in a larger one. */
export async function compareSizes(bench: Bench): Promise<readonly Growth[]> {
  const { databases, generator, effort, say } = bench
  const kinds = KINDS.filter((kind) => bench.isAsked(kind.name) && !kind.writes && kind !== SEARCH)
  if (kinds.length === 0) return []
  const smallStore = await databases.seeded(SMALL)
  const sideOf = async (name: string, store: BenchStore, server: Server): Promise<Side> => {
    const { targeting } = await makePlan(store, bench.model)
    return { name, servers: [server], database: databases, targeting }
  }
  await using smallServer = await startDaybook(bench, smallStore, { keeping: 'nothing kept' })
  await using largeServer = await startDaybook(bench, bench.store, { keeping: 'nothing kept' })
  const small = await sideOf('small store', smallStore, smallServer)
  const large = await sideOf('large store', bench.store, largeServer)
  const found: Growth[] = []
  for (const kind of kinds) {
    say(`${kind.title}, by size …`)
    for (const side of [small, large]) await askEachOnce(kind, side)
    const [one, other] = await race(generator, kind, [small, large], effort)
    found.push(growth(kind, one, other))
  }
  return found
}
