import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib'
import { type DaybookConfig, defineCollection, defineConfig, f, type Service } from 'daybook'
import { serve } from 'daybook/node'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { LARGE_TEST_MS } from '../../support/patience.ts'
import { create, type Document, update } from '../../support/stores/place.ts'
import { STORES } from '../../support/stores/stores.ts'

const config = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        slug: f.slug({ from: 'title' }),
        title: f.text({ required: true }),
        rank: f.integer(),
        text: f.text({ maxLength: 100_000, index: false }),
      },
    }),
  },
})
const POST = { title: 'post', rank: 0, text: 'Ein Käfer läuft über die Brücke. '.repeat(2000) }
const PATHS = ['/api/posts/post', '/api/posts?limit=5'] as const

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  gzip: promisify(gunzip),
  identity: async (bytes) => bytes,
}
const CODINGS = Object.keys(DECODERS)

/** Node compresses in four threads: as long as they do this, compressing waits. */
const occupyThreads = (): Promise<unknown> =>
  Promise.all(Array.from({ length: 4 }, () => promisify(pbkdf2)('word', 'salt', 100_000, 64, 'sha512')))

interface Sent {
  /** The tag of the content, however it is compressed. */
  readonly tag: string
  readonly text: string
}

async function sentBy(response: Response): Promise<Sent> {
  const coding = response.headers.get('content-encoding') ?? 'identity'
  const bytes = await (DECODERS[coding] as (typeof DECODERS)[string])(Buffer.from(await response.arrayBuffer()))
  const tag = (response.headers.get('etag') ?? '').replace(/-(?:br|zst|gz)"$/, '"')
  return { tag, text: bytes.toString() }
}

describe.each(STORES)('while content changes, on $name', (store) => {
  test(
    'an answer that is being compressed has the content that its tag names',
    async () => {
      await using service = await store.open(config)
      const post = await create(service, 'posts', POST)
      const ask = async (path: string, coding: string): Promise<Sent> =>
        sentBy(await service.request(path, { headers: { 'accept-encoding': coding } }))
      const textOf = new Map<string, string>()
      const note = async (): Promise<void> => {
        for (const path of PATHS) {
          const { tag, text } = await ask(path, 'identity')
          textOf.set(`${path} ${tag}`, text)
        }
      }
      const askAll = (): readonly Promise<readonly [string, Sent]>[] =>
        PATHS.flatMap((path) => CODINGS.map(async (coding) => [path, await ask(path, coding)] as const))
      for (let rank = 1; rank <= 8; rank += 1) {
        // Kept answers are compressed again and again; what is asked for the second time is kept.
        for (let time = 0; time < 2; time += 1) await note()
        const occupied = occupyThreads()
        const earlier = askAll()
        await update(service, 'posts', post.id, { rank })
        await note()
        const later = askAll()
        for (const [path, { tag, text }] of await Promise.all([...earlier, ...later]))
          expect(text === textOf.get(`${path} ${tag}`), `${path} with the tag ${tag}`).toBe(true)
        await occupied
        // What was compressed meanwhile stands beside no later tag, and in the place of no later answer.
        for (const [path, { text }] of await Promise.all(askAll()))
          expect(JSON.parse(text), path).toMatchObject(path === PATHS[0] ? { rank } : { items: [{ rank }] })
      }
    },
    LARGE_TEST_MS,
  )
})

/** What the clocks say, instead of the time. */
const CLOCKS: readonly ((now: number, step: number) => number)[] = [
  (now) => now,
  () => 1_000_000,
  (now) => now - 86_400_000,
  (now) => now + 7 * 86_400_000,
  (now, step) => (step % 2 === 0 ? now : now - 5000),
  () => 0,
]

/** Two nodes that listen, on one store. */
async function openNodes(place: { open(config: DaybookConfig): Promise<Service> }): Promise<{
  readonly services: readonly [Service, Service]
  readonly urls: readonly string[]
  stop(): Promise<void>
}> {
  const services = [await place.open(config), await place.open(config)] as const
  const listening = await Promise.all(services.map((service) => serve(service, { port: 0 })))
  return {
    services,
    urls: listening.map(({ url }) => url),
    stop: async () => void (await Promise.all(listening.map(({ stop }) => stop(1000)))),
  }
}

afterEach(() => void vi.restoreAllMocks())

describe.each(STORES)('when clocks stand still or jump, on $name', (store) => {
  test(
    'what was stored by any node is in the next answer of each',
    async () => {
      await using place = await store.at()
      const { services, urls, stop } = await openNodes(place)
      const post: Document = await create(services[0], 'posts', POST)
      const ranks = async (url: string): Promise<readonly unknown[]> => {
        const answers = await Promise.all(PATHS.map(async (path) => (await fetch(`${url}${path}`)).json()))
        const [entry, list] = answers as [{ rank: number }, { items: readonly { rank: number }[] }]
        return [entry.rank, list.items[0]?.rank]
      }
      const [date, performanceNow] = [Date.now.bind(Date), performance.now.bind(performance)]
      for (let step = 1; step <= 60; step += 1) {
        const clock = CLOCKS[step % CLOCKS.length] as (typeof CLOCKS)[number]
        vi.spyOn(Date, 'now').mockImplementation(() => clock(date(), step))
        vi.spyOn(performance, 'now').mockImplementation(() => clock(performanceNow(), step))
        const earlier = Promise.all(urls.map(ranks))
        await update(services[step % 2] as Service, 'posts', post.id, { rank: step })
        for (let time = 0; time < 3; time += 1)
          expect(await Promise.all(urls.map(ranks)), `step ${step}`).toEqual(urls.map(() => [step, step]))
        await earlier
        vi.restoreAllMocks()
      }
      await stop()
    },
    LARGE_TEST_MS,
  )
})
