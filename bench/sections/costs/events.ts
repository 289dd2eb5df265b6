import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, startDaybook } from '../../bench.ts'
import { Child, here, type Server } from '../../load/child.ts'
import type { Latencies } from '../../load/listeners.ts'
import { TOKEN } from '../../load/measure.ts'
import { type CatchUpCost, catchUpResult, type LiveCost, liveResult } from '../../report.ts'

const LISTENERS = 1000
const WRITES_A_SECOND = 50
/** How long the last events may take, in milliseconds. */
const LAST_MS = 1000
/** The most operations of a batch, and items of a page. */
const BATCH = 500
const PAGE = 1000

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

async function send(server: Server, path: string, body: object): Promise<void> {
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await response.text()
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${answer}`)
}

/** A thousand listeners on one node, while 50 posts a second are written: how long each takes to reach each of them. */
export async function measureEvents(bench: Bench): Promise<readonly LiveCost[]> {
  if (!bench.isAsked('events')) return []
  bench.say('live events …')
  await using server = await startDaybook(bench, await bench.databases.copyOf(bench.store))
  await using listeners = new Child('load', [here('listeners.ts')])
  await listeners.ask({ open: `${server.url}/api/cms/events?collections=posts`, count: LISTENERS })
  const used = await server.cpu()
  const startedAt = performance.now()
  const writes = WRITES_A_SECOND * Math.max(5, bench.effort.seconds)
  const sent: Promise<void>[] = []
  for (let write = 0; write < writes; write += 1) {
    await sleep(Math.max(0, startedAt + (write * 1000) / WRITES_A_SECOND - performance.now()))
    sent.push(send(server, '/api/posts', { title: `sent at ${Date.now()}`, status: 'published' }))
  }
  await Promise.all(sent)
  const seconds = (performance.now() - startedAt) / 1000
  const busy = ((await server.cpu()) - used) / 1e6 / seconds
  await sleep(LAST_MS)
  const { events, ...latencies } = await listeners.ask<Latencies>('latencies')
  return [liveResult({ listeners: LISTENERS, writes, heard: events / (writes * LISTENERS), busy, ...latencies })]
}

/** The ids of a page's items, and its token: to take the text apart would cost the reader more than the service. */
const ITEM = /"action":"upsert","collection":"posts","id":"([\w-]+)"/g
const NEXT = /"next":"([\w-]+)"\}$/

/** Reads the feed to its end; answers the ids that it told, and the last token. */
async function readFeed(
  { url }: Server,
  from?: string,
): Promise<{ readonly ids: readonly string[]; readonly next: string }> {
  const ids: string[] = []
  for (let since = from; ; ) {
    const query = since === undefined ? '' : `&since=${since}`
    const response = await fetch(`${url}/api/cms/changes?collections=posts&limit=${PAGE}${query}`)
    const text = await response.text()
    for (const [, id = ''] of text.matchAll(ITEM)) ids.push(id)
    const next = NEXT.exec(text)?.[1] ?? ''
    if (next === since) return { ids, next }
    since = next
  }
}

/** Every post changes once while a reader is away: how fast it catches up. */
export async function measureCatchUp(bench: Bench): Promise<readonly CatchUpCost[]> {
  if (!bench.isAsked('catch-up')) return []
  bench.say('catching up with changes …')
  await using server = await startDaybook(bench, await bench.databases.copyOf(bench.store))
  const { ids, next } = await readFeed(server)
  for (let done = 0; done < ids.length; done += BATCH) {
    const operations = ids
      .slice(done, done + BATCH)
      .map((id) => ({ op: 'update', collection: 'posts', id, data: { category: 'changed' } }))
    await send(server, '/api/cms/batch', { operations })
  }
  const used = await server.cpu()
  const startedAt = performance.now()
  const { ids: told } = await readFeed(server, next)
  const seconds = (performance.now() - startedAt) / 1000
  if (told.length !== ids.length) throw new Error(`${told.length} of ${ids.length} changes were told.`)
  return [catchUpResult(told.length, seconds, ((await server.cpu()) - used) / 1e6 / seconds)]
}
