import { type Bench, startDaybook, WrongResponseError } from '../bench.ts'
import type { Server } from '../load/child.ts'
import { type ReportLine, roundFigure } from '../report.ts'
import { sendBatches } from '../stores/fill.ts'

const MAX_CHANGES = 10_000
const PAGE_LIMIT = 1000
/** Parsing the JSON would take the reader more time than the service. */
const ITEM = /"action":"upsert","collection":"posts","id":"([\w-]+)"/g
const NEXT = /"next":"([\w-]+)"\}$/

/** Reads the changes feed: all posts from the beginning, then up to 10,000 changes. */
export async function measureFeed({ stores, store, say }: Bench): Promise<readonly ReportLine[]> {
  say('changes feed …')
  await using server = await startDaybook(await stores.copy(store))
  const all = await readFeed(server)
  const ids = all.ids.slice(-MAX_CHANGES)
  await sendBatches(server.url, ids.length, (index) => ({
    op: 'update',
    collection: 'posts',
    id: ids[index],
    data: { category: 'changed' },
  }))
  const changes = await readFeed(server, all.next)
  if (new Set(changes.ids).size !== ids.length) {
    throw new WrongResponseError(`The feed has ${changes.ids.length} of ${ids.length} changes.`)
  }
  return [describe('all posts', all), describe('changes', changes)]
}

interface FeedReading {
  readonly ids: readonly string[]
  readonly next: string
  readonly seconds: number
  readonly cpuSeconds: number
}

const describe = (what: string, { ids, seconds, cpuSeconds }: FeedReading): ReportLine => ({
  work: `read ${ids.length.toLocaleString('en')} ${what}`,
  'items/s': roundFigure(ids.length / seconds),
  'cores used': roundFigure(cpuSeconds / seconds),
})

/** Reads the feed to its end. @param from a token of the feed; absent: from the beginning */
async function readFeed(server: Server, from?: string): Promise<FeedReading> {
  const cpuBefore = await server.cpu()
  const startedAt = performance.now()
  const ids: string[] = []
  for (let since = from; ; ) {
    const suffix = since === undefined ? '' : `&since=${since}`
    const response = await fetch(`${server.url}/api/cms/changes?collections=posts&limit=${PAGE_LIMIT}${suffix}`)
    const text = await response.text()
    if (!response.ok) throw new WrongResponseError(`The feed responded ${response.status}: ${text}`)
    for (const [, id = ''] of text.matchAll(ITEM)) ids.push(id)
    const next = NEXT.exec(text)?.[1] ?? ''
    if (next === since) {
      const seconds = (performance.now() - startedAt) / 1000
      return { ids, next, seconds, cpuSeconds: ((await server.cpu()) - cpuBefore) / 1e6 }
    }
    since = next
  }
}
