import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib'
import { type DaybookConfig, defineCollection, defineConfig, f, type Service } from 'daybook'
import { serve } from 'daybook/node'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { create, type Document, update } from '../../support/stores/place.ts'
import { STORES } from '../../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../../support/timeouts.ts'

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

/** Occupies the four threads in which Node compresses, so that compression has to wait. */
const occupyThreads = (): Promise<unknown> =>
  Promise.all(Array.from({ length: 4 }, () => promisify(pbkdf2)('word', 'salt', 100_000, 64, 'sha512')))

interface DecodedResponse {
  /** The entity tag without the suffix of a coding. */
  readonly tag: string
  readonly text: string
}

async function decodeResponse(response: Response): Promise<DecodedResponse> {
  const coding = response.headers.get('content-encoding') ?? 'identity'
  const bytes = await (DECODERS[coding] as (typeof DECODERS)[string])(Buffer.from(await response.arrayBuffer()))
  const tag = (response.headers.get('etag') ?? '').replace(/-(?:br|zst|gz)"$/, '"')
  return { tag, text: bytes.toString() }
}

describe.each(STORES)('while content changes, on $name', (store) => {
  test(
    'a response that is being compressed has the content that its tag names',
    async () => {
      await using service = await store.open(config)
      const post = await create(service, 'posts', POST)
      const sendRequest = async (path: string, coding: string): Promise<DecodedResponse> =>
        decodeResponse(await service.request(path, { headers: { 'accept-encoding': coding } }))
      const texts = new Map<string, string>()
      const recordTexts = async (): Promise<void> => {
        for (const path of PATHS) {
          const { tag, text } = await sendRequest(path, 'identity')
          texts.set(`${path} ${tag}`, text)
        }
      }
      const askAll = (): readonly Promise<readonly [string, DecodedResponse]>[] =>
        PATHS.flatMap((path) => CODINGS.map(async (coding) => [path, await sendRequest(path, coding)] as const))
      for (let rank = 1; rank <= 8; rank += 1) {
        // The second request of a URL caches the response, which is then compressed again for each revision.
        for (let time = 0; time < 2; time += 1) await recordTexts()
        const occupied = occupyThreads()
        const earlier = askAll()
        await update(service, 'posts', post.id, { rank })
        await recordTexts()
        const later = askAll()
        for (const [path, { tag, text }] of await Promise.all([...earlier, ...later]))
          expect(text === texts.get(`${path} ${tag}`), `${path} with the tag ${tag}`).toBe(true)
        await occupied
        // An earlier compressed body must not appear with a later tag, or in place of a later response.
        for (const [path, { text }] of await Promise.all(askAll()))
          expect(JSON.parse(text), path).toMatchObject(path === PATHS[0] ? { rank } : { items: [{ rank }] })
      }
    },
    LARGE_TEST_MS,
  )
})

/** Replacements for the clocks: stopped, shifted or jumping. */
const CLOCKS: readonly ((now: number, step: number) => number)[] = [
  (now) => now,
  () => 1_000_000,
  (now) => now - 86_400_000,
  (now) => now + 7 * 86_400_000,
  (now, step) => (step % 2 === 0 ? now : now - 5000),
  () => 0,
]

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
    'a write on any node is in the next response of each node',
    async () => {
      await using place = await store.at()
      const { services, urls, stop } = await openNodes(place)
      const post: Document = await create(services[0], 'posts', POST)
      const ranks = async (url: string): Promise<readonly unknown[]> => {
        const bodies = await Promise.all(PATHS.map(async (path) => (await fetch(`${url}${path}`)).json()))
        const [entry, list] = bodies as [{ rank: number }, { items: readonly { rank: number }[] }]
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
