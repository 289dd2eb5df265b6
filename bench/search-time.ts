import { Child, here, Server } from './child.ts'
import type { Load, Loaded } from './load.ts'
import { WrongAnswer } from './measure.ts'
import type { Targeting } from './plan.ts'

/** Reads by slug beside a search, a second. */
const READS = 300
/** Searches, a second. */
const SEARCHES = 10

/** How long searches took, and reads by slug beside them. In milliseconds. */
export interface SearchTimes {
  readonly search: Pick<Loaded, 'p50' | 'p99' | 'requests'>
  readonly reads: Pick<Loaded, 'p50' | 'p99' | 'requests'>
}

/** Searches for the commonest word, while entries are read by slug. No core is kept for anyone. */
export async function searchTimes(
  args: readonly string[],
  targeting: Targeting,
  seconds: number,
): Promise<SearchTimes> {
  await using server = await Server.start(args, {}, false)
  await using searching = new Child('load', [here('load.ts')], {}, false)
  await using reading = new Child('load', [here('load.ts')], {}, false)
  const run = async (duration: number): Promise<readonly [Loaded, Loaded]> => {
    const common = { url: server.url, seconds: duration }
    const search: Load = { ...common, connections: 1, paths: [targeting.search], rate: SEARCHES }
    const reads: Load = { ...common, connections: 4, paths: targeting.entries, rate: READS }
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
