import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, startDaybook } from '../../bench.ts'
import type { Server } from '../../load/child.ts'
import { TOKEN } from '../../load/measure.ts'
import { type ManyCost, manyResult } from '../../report.ts'

/** The most entries that one request writes. */
const MANY = 10_000
/** How often memory is looked at, in milliseconds. */
const SAMPLE_MS = 20

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

/** How long a request takes, in seconds. */
async function timed(url: string, init: RequestInit, status: number): Promise<number> {
  const begin = performance.now()
  const response = await fetch(url, { headers, ...init })
  const text = await response.text()
  if (response.status !== status) throw new Error(`${init.method ?? 'GET'} ${url} answered ${response.status}: ${text}`)
  return (performance.now() - begin) / 1000
}

/** Repeats a request until the work is done; the longest that one took, in seconds. */
async function longest(work: Promise<unknown>, ask: () => Promise<number>): Promise<number> {
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  let most = 0
  while (!isDone) {
    most = Math.max(most, await ask())
    await sleep(SAMPLE_MS)
  }
  await ended
  return most
}

/** Writes many entries at once, while others read, write, and look at the memory. */
async function measureOne(server: Server, name: string, path: string, init: RequestInit): Promise<ManyCost> {
  const before = await server.memory()
  const used = await server.cpu()
  const work = timed(`${server.url}${path}`, init, 200)
  const read = (): Promise<number> => timed(`${server.url}/api/tags?limit=1`, {}, 200)
  const body = (): string => JSON.stringify({ name: `Beside ${performance.now()}` })
  const write = (): Promise<number> => timed(`${server.url}/api/tags`, { method: 'POST', body: body() }, 201)
  let peak = before
  const look = async (): Promise<number> => {
    peak = Math.max(peak, await server.memory())
    return 0
  }
  const [seconds, reading, writing] = await Promise.all([
    work,
    longest(work, read),
    longest(work, write),
    longest(work, look),
  ])
  const processor = ((await server.cpu()) - used) / 1e6
  return manyResult({ name, entries: MANY, seconds, processor, bytes: peak - before, reading, writing })
}

/** Changes and deletes 10,000 posts at once; nothing where the store has fewer. */
export async function measureMany(bench: Bench): Promise<readonly ManyCost[]> {
  if (!bench.isAsked('many') || bench.entries < MANY) return []
  bench.say('many …')
  const store = await bench.databases.copyOf(bench.store)
  await using server = await startDaybook(bench, store)
  const tenThousand = await idOf(server, MANY)
  const few = await idOf(server, MANY / 10)
  const patch = (category: string): RequestInit => ({ method: 'PATCH', body: JSON.stringify({ category }) })
  // What the first requests of a process hold is not counted.
  await timed(`${server.url}/api/posts?where[id][lte]=${few}`, patch('warm'), 200)
  const path = `/api/posts?where[id][lte]=${tenThousand}`
  return [
    await measureOne(server, 'change', path, patch('many')),
    await measureOne(server, 'delete', path, { method: 'DELETE' }),
  ]
}

/** The id of the post that was made as the nth. */
async function idOf(server: Server, n: number): Promise<string> {
  const response = await fetch(`${server.url}/api/posts?sort=id&select=id&limit=1&offset=${n - 1}`, { headers })
  const { items } = (await response.json()) as { readonly items: readonly { readonly id: string }[] }
  return items[0]?.id ?? ''
}
