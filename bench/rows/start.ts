import { type Bench, startDaybook, WrongResponseError } from '../bench.ts'
import { median } from '../load/race.ts'
import { type ReportLine, roundFigure } from '../report.ts'
import type { BenchStore } from '../stores/stores.ts'

const STARTS = 5

/** Measures the time from starting the process to the first response, from the sources. */
export async function measureStart({ stores, store, say }: Bench): Promise<readonly ReportLine[]> {
  say('start …')
  return [
    { work: 'start with an empty store', ms: await measureStarts(() => stores.makeEmpty()) },
    { work: 'start with the seeded store', ms: await measureStarts(async () => store) },
  ]
}

async function measureStarts(openStore: () => Promise<BenchStore>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < STARTS; n += 1) {
    const store = await openStore()
    const startedAt = performance.now()
    await using server = await startDaybook(store, { place: 'anywhere' })
    const { status } = await fetch(`${server.url}/api/health`)
    if (status !== 200) throw new WrongResponseError(`/api/health responded ${status}`)
    times.push(performance.now() - startedAt)
  }
  return roundFigure(median(times))
}
