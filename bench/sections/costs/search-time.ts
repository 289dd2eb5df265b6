import { type Bench, keepingArgs } from '../../bench.ts'
import type { BenchStore } from '../../databases/databases.ts'
import { Child, here, Server } from '../../load/child.ts'
import type { Load, Loaded } from '../../load/load.ts'
import { WrongAnswer } from '../../load/measure.ts'
import { makePlan, type Targeting } from '../../load/plan.ts'
import { type Latency, type SearchTimes, searchResult } from '../../report.ts'

/** Reads by slug beside a search, a second. */
const READS_BESIDE_SEARCH = 300
/** Searches, a second. */
const SEARCHES = 10

/** Searches for the commonest word, while entries are read by slug. No core is kept for anyone. */
export async function timeSearches(bench: Bench): Promise<readonly Latency[]> {
  if (!bench.isAsked('search')) return []
  const { databases, store, model, effort, say } = bench
  say('searches, and reads beside them …')
  const { targeting } = await makePlan(store, model)
  databases.unpin()
  return searchResult(await searchTimes(store, targeting, effort.seconds * effort.rounds))
}

async function searchTimes(store: BenchStore, targeting: Targeting, seconds: number): Promise<SearchTimes> {
  await using server = await Server.start(keepingArgs(store, 'nothing kept'), store.env, { place: 'anywhere' })
  await using searching = new Child('anywhere', [here('load.ts')])
  await using reading = new Child('anywhere', [here('load.ts')])
  const run = async (duration: number): Promise<readonly [Loaded, Loaded]> => {
    const common = { urls: [server.url], seconds: duration }
    const search: Load = { ...common, connections: 1, paths: [targeting.search], rate: SEARCHES }
    const reads: Load = { ...common, connections: 4, paths: targeting.entries, rate: READS_BESIDE_SEARCH }
    return Promise.all([searching.ask<Loaded>(search), reading.ask<Loaded>(reads)])
  }
  await run(3)
  const [search, reads] = await run(seconds)
  for (const { statuses, failures } of [search, reads]) {
    const isWrong = failures > 0 || Object.keys(statuses).some((status) => status !== '200')
    if (isWrong) throw new WrongAnswer(`search: answers by status ${JSON.stringify(statuses)}, ${failures} failed`)
  }
  return { search, reads }
}
