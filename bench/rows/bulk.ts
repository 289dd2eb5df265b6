import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, startDaybook } from '../bench.ts'
import type { Server } from '../load/child.ts'
import { type ReportLine, roundFigure } from '../report.ts'
import { sendJson, TOKEN } from '../stores/fill.ts'

/** The largest number of entries that one request may change. */
const MAX_BULK = 10_000
const SAMPLE_INTERVAL_MS = 20
const MIB = 2 ** 20

/** Changes and deletes up to 10,000 posts in one request, during which other requests read and write. */
export async function measureBulk(bench: Bench): Promise<readonly ReportLine[]> {
  bench.say('bulk …')
  await using server = await startDaybook(await bench.stores.copy(bench.store))
  const count = Math.min(MAX_BULK, bench.entries)
  const path = `${server.url}/api/posts?where[id][lte]=${await findId(server, count)}`
  // The first request of a process takes memory that later ones use again.
  const warmUpPath = `${server.url}/api/posts?where[id][lte]=${await findId(server, count / 10)}`
  await sendJson(warmUpPath, 'PATCH', { category: 'warm-up' })
  return [
    await measureRequest(server, `change ${count} posts`, () => sendJson(path, 'PATCH', { category: 'bulk' })),
    await measureRequest(server, `delete ${count} posts`, () => sendJson(path, 'DELETE', {})),
  ]
}

async function findId({ url }: Server, n: number): Promise<string> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const response = await fetch(`${url}/api/posts?sort=id&select=id&limit=1&offset=${n - 1}`, { headers })
  const { items } = (await response.json()) as { readonly items: readonly { readonly id: string }[] }
  return items[0]?.id ?? ''
}

async function measureRequest(server: Server, work: string, send: () => Promise<unknown>): Promise<ReportLine> {
  const [memoryBefore, cpuBefore] = [await server.memory(), await server.cpu()]
  const startedAt = performance.now()
  const running = send()
  const [readMs, writeMs, peak] = await Promise.all([
    findLargest(running, () => time(async () => (await fetch(`${server.url}/api/tags?limit=1`)).text())),
    findLargest(running, () =>
      time(() => sendJson(`${server.url}/api/tags`, 'POST', { name: `${performance.now()}` })),
    ),
    findLargest(running, () => server.memory()),
    running,
  ])
  const [ms, cpu] = [performance.now() - startedAt, (await server.cpu()) - cpuBefore]
  return {
    work,
    seconds: roundFigure(ms / 1000),
    'CPU seconds': roundFigure(cpu / 1e6),
    'memory MiB': Math.round((peak - memoryBefore) / MIB),
    'longest read ms': Math.round(readMs),
    'longest write ms': Math.round(writeMs),
  }
}

async function findLargest(work: Promise<unknown>, measure: () => Promise<number>): Promise<number> {
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  let largest = 0
  while (!isDone) {
    largest = Math.max(largest, await measure())
    await sleep(SAMPLE_INTERVAL_MS)
  }
  await ended
  return largest
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
