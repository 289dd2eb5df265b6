import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, startDaybook, WrongResponseError } from '../bench.ts'
import type { LoadResult } from '../load/load.ts'
import { median, requireStatus } from '../load/race.ts'
import { type ReportLine, roundFigure } from '../report.ts'

/** Clients that keep the server busy with hardly a queue. */
const BUSY_CLIENTS = 16
/** A list that takes milliseconds. */
const PATHS = ['/api/posts?limit=100&include=author,tags&where[publishedOn][gte]=2020-01-01']
const PROBED_PATHS = ['/api/health', '/api/ready']
const PROBE_INTERVAL_MS = 25
const MIB = 2 ** 20

const CROWDS = [
  { work: '512 clients', connections: 512 },
  { work: '10 times the load, 2,048 clients', connections: 2048, loadFactor: 10 },
]

/** Sends more requests than the service can answer, and compares it with 16 clients, which keep it busy. */
export async function measureOverload(bench: Bench): Promise<readonly ReportLine[]> {
  const { generator, seconds, rounds, say } = bench
  say('overload …')
  await using server = await startDaybook(bench.store, { isCached: false })
  const common = { url: server.url, paths: PATHS, seconds }
  const runBusy = async (): Promise<number> => {
    const result = await generator.request<LoadResult>({ ...common, connections: BUSY_CLIENTS })
    requireStatus('overload, 16 clients', result, 200)
    return result.requests / result.seconds
  }
  await runBusy()
  const lines: ReportLine[] = []
  for (const { work, connections, loadFactor } of CROWDS) {
    const samples: OverloadSample[] = []
    for (let round = 0; round < rounds; round += 1) {
      const busyPerSecond = await runBusy()
      const rate = loadFactor === undefined ? {} : { rate: Math.round(busyPerSecond * loadFactor) }
      const running = generator.request<LoadResult>({ ...common, ...rate, connections })
      const probeMs = await probe(server.url, running)
      samples.push(describeCrowd(work, busyPerSecond, probeMs, await running))
    }
    const medianOf = (figure: keyof OverloadSample): number => median(samples.map((sample) => sample[figure]))
    lines.push({
      work,
      'ratio to 16 clients': roundFigure(medianOf('ratio')),
      'served p99 ms': Math.round(medianOf('servedP99')),
      refused: medianOf('refused'),
      'refused p99 ms': Math.round(medianOf('refusedP99')),
      'longest probe ms': Math.round(medianOf('probeMs')),
      'peak memory MiB': Math.round((await server.peakMemory()) / MIB),
    })
  }
  return lines
}

interface OverloadSample {
  readonly ratio: number
  readonly servedP99: number
  readonly refused: number
  readonly refusedP99: number
  readonly probeMs: number
}

function describeCrowd(
  work: string,
  busyPerSecond: number,
  probeMs: number,
  { byStatus, failures, seconds }: LoadResult,
): OverloadSample {
  const { 200: served, 503: refused, ...unexpected } = byStatus
  if (!served || failures > 0 || Object.keys(unexpected).length > 0) {
    const statuses = JSON.stringify(byStatus)
    throw new WrongResponseError(`overload, ${work}: responses by status ${statuses}, ${failures} failures`)
  }
  return {
    ratio: served.count / seconds / busyPerSecond,
    servedP99: served.p99,
    refused: refused?.count ?? 0,
    refusedP99: refused?.p99 ?? 0,
    probeMs,
  }
}

/** Probes the service on new connections until the load ends; returns the longest time, in milliseconds. */
async function probe(url: string, load: Promise<unknown>): Promise<number> {
  let isLoaded = true
  void load.finally(() => {
    isLoaded = false
  })
  let longest = 0
  for (let count = 0; isLoaded; count += 1) {
    const startedAt = performance.now()
    const path = PROBED_PATHS[count % PROBED_PATHS.length]
    const [response] = (await once(get(`${url}${path}`, { agent: false }), 'response')) as [IncomingMessage]
    await once(response.resume(), 'end')
    if (response.statusCode !== 200) throw new WrongResponseError(`overload: ${path} responded ${response.statusCode}`)
    longest = Math.max(longest, performance.now() - startedAt)
    await sleep(PROBE_INTERVAL_MS)
  }
  return longest
}
