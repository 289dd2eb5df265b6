import { type Bench, startDaybook } from '../bench.ts'
import { Child, programPath } from '../load/child.ts'
import type { LoadResult } from '../load/load.ts'
import { requireStatus, WARM_UP_SECONDS } from '../load/race.ts'
import { type ReportLine, roundFigure } from '../report.ts'
import { findAddresses } from '../stores/addresses.ts'
import { SEARCH } from './requests.ts'

/** Searches a second, while entries are read. */
const SEARCH_RATE = 10
/** Reads a second during the searches. */
const READ_RATE = 300

/** Measures the times of searches at a fixed rate, while entries are read. The service shares all cores with the load. */
export async function measureSearch({ store, seconds, rounds, say }: Bench): Promise<readonly ReportLine[]> {
  say('search …')
  await using server = await startDaybook(store, { isCached: false, place: 'anywhere' })
  await using searching = new Child('anywhere', [programPath('load.ts')])
  await using reading = new Child('anywhere', [programPath('load.ts')])
  const { url } = server
  const { entries, search } = await findAddresses(url)
  const run = (duration: number): Promise<readonly [LoadResult, LoadResult]> =>
    Promise.all([
      searching.request<LoadResult>({ url, seconds: duration, connections: 1, paths: [search], rate: SEARCH_RATE }),
      reading.request<LoadResult>({ url, seconds: duration, connections: 4, paths: entries, rate: READ_RATE }),
    ])
  await run(WARM_UP_SECONDS)
  const [searches, reads] = await run(seconds * rounds)
  return [
    describe(`${SEARCH.title}, ${SEARCH_RATE} a second`, searches),
    describe('entry by slug during these searches', reads),
  ]
}

function describe(work: string, result: LoadResult): ReportLine {
  const { p50, p99 } = requireStatus(work, result, 200)
  return { work, 'p50 ms': roundFigure(p50), 'p99 ms': roundFigure(p99) }
}
