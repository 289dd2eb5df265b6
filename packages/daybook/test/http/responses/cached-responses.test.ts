import {
  type AccessWhere,
  type DaybookConfig,
  defineCollection,
  defineConfig,
  defineGlobal,
  f,
  type Service,
} from 'daybook'
import { serve } from 'daybook/node'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { create, type Document, type Place, update } from '../../support/stores/place.ts'
import { STORES } from '../../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../../support/timeouts.ts'

const READERS = ['', 'cleo', 'ann'] as const
const RULES: Readonly<Record<string, boolean | AccessWhere>> = {
  everything: true,
  nothing: false,
  first: { rank: { lt: 2 } },
  named: { 'author.name': { eq: 'Ann' } },
}
const ruleOf = new Map<string, string>()
const people = new People({ cleo: [], ann: [] })

const base = {
  auth: people.adapter,
  locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
  globals: { site: defineGlobal({ fields: { name: f.text({ localized: true }) } }) },
} satisfies Partial<DaybookConfig>

const fields = {
  title: f.text({ required: true, localized: true }),
  slug: f.slug({ from: 'title' }),
  status: f.status(),
  rank: f.integer(),
  text: f.text({ maxLength: 5000, index: false }),
  author: f.relation('people'),
}

const collections = { people: defineCollection({ fields: { name: f.text({ required: true }) } }) }

const CONFIGS = {
  'without rules': defineConfig({ ...base, collections: { ...collections, posts: defineCollection({ fields }) } }),
  'with rules': defineConfig({
    ...base,
    collections: {
      ...collections,
      posts: defineCollection({
        access: {
          read: ({ identity }) =>
            identity?.actorType === 'service' || (RULES[ruleOf.get(identity?.subject ?? '') ?? 'everything'] ?? true),
        },
        fields: {
          ...fields,
          text: f.text({
            maxLength: 5000,
            index: false,
            access: { read: ({ identity }) => identity?.subject !== 'cleo' },
          }),
        },
      }),
    },
  }),
} as const

const PATHS = [
  '/api/posts',
  '/api/posts?limit=2&offset=1',
  '/api/posts?sort=-rank&select=title,rank',
  '/api/posts?include=author',
  '/api/posts?where[author.name][eq]=Ann',
  '/api/posts?where[rank][gte]=1&limit=0',
  '/api/posts?q=word',
  '/api/posts?locale=de',
  '/api/posts?aggregate[by]=count(rank)',
  '/api/posts/post-0',
  '/api/posts/post-1?include=author',
  '/api/posts/post-2?select=title,status',
  '/api/posts/post-2?locale=de',
  '/api/people',
  '/api/globals/site',
  '/api/globals/site?locale=de',
  '/openapi.json',
  '/api/cms/model',
] as const

const CODINGS = ['identity', 'gzip', 'br', 'zstd'] as const

/** A change of content, or of a caller's access. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('edit' as const), post: fc.nat(3), value: fc.nat(3), node: fc.nat(1) }),
  fc.record({ kind: fc.constant('translate' as const), post: fc.nat(3), value: fc.nat(3), node: fc.nat(1) }),
  fc.record({ kind: fc.constant('move' as const), post: fc.nat(3), value: fc.nat(2), node: fc.nat(1) }),
  fc.record({ kind: fc.constant('rename' as const), post: fc.nat(1), value: fc.nat(2), node: fc.nat(1) }),
  fc.record({ kind: fc.constant('replace' as const), post: fc.nat(3), value: fc.nat(3), node: fc.nat(1) }),
  fc.record({ kind: fc.constant('site' as const), post: fc.nat(0), value: fc.nat(3), node: fc.nat(1) }),
  fc.record({ kind: fc.constant('rule' as const), post: fc.nat(2), value: fc.nat(3), node: fc.nat(0) }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

const read = fc.record({
  path: fc.constantFrom(...PATHS),
  reader: fc.constantFrom(...READERS),
  coding: fc.constantFrom(...CODINGS),
  hasTag: fc.boolean(),
  times: fc.integer({ min: 1, max: 3 }),
})
type Read = typeof read extends fc.Arbitrary<infer T> ? T : never

/** Three nodes on one store: with a cache, with a small cache, and with none. */
class Nodes implements AsyncDisposable {
  readonly #place: Place
  readonly #services: readonly Service[]
  readonly #urls: readonly string[]
  readonly #stops: readonly (() => Promise<void>)[]
  readonly #tags = new Map<string, string>()
  posts: Document[] = []
  people: Document[] = []

  private constructor(
    place: Place,
    services: readonly Service[],
    listening: readonly Awaited<ReturnType<typeof serve>>[],
  ) {
    this.#place = place
    this.#services = services
    this.#urls = listening.map(({ url }) => url)
    this.#stops = listening.map(
      ({ stop }) =>
        () =>
          stop(1000),
    )
  }

  static async open(place: Place, config: DaybookConfig): Promise<Nodes> {
    const limits = [undefined, 12_000, 0]
    const services: Service[] = []
    for (const responseCacheBytes of limits)
      services.push(
        await place.open(responseCacheBytes === undefined ? config : { ...config, limits: { responseCacheBytes } }),
      )
    const listening = await Promise.all(services.map((service) => serve(service, { port: 0 })))
    const nodes = new Nodes(place, services, listening)
    await nodes.#fill()
    return nodes
  }

  async #fill(): Promise<void> {
    const [service] = this.#services as [Service]
    for (const name of ['Ann', 'Cleo']) this.people.push(await create(service, 'people', { name }))
    for (const rank of [0, 1, 2, 3]) this.posts.push(await create(service, 'posts', this.#post(rank)))
  }

  #post(rank: number): object {
    return { title: `post ${rank}`, rank, text: 'word '.repeat(300), author: this.people[rank % 2]?.id }
  }

  async apply({ kind, post, value, node }: Change): Promise<void> {
    const service = this.#services[node] as Service
    const { id = '' } = this.posts[post] ?? {}
    if (kind === 'edit') await update(service, 'posts', id, { rank: value })
    if (kind === 'move') await update(service, 'posts', id, { status: ['draft', 'published', 'archived'][value] })
    if (kind === 'translate')
      await service.content.update('posts', id, { title: `Beitrag ${value}` } as never, { locale: 'de' })
    if (kind === 'rename')
      await update(service, 'people', this.people[post]?.id ?? '', { name: ['Ann', 'Bea', 'Cleo'][value] })
    if (kind === 'site') await service.content.writeGlobal('site' as never, { name: `site ${value}` } as never)
    if (kind === 'rule') ruleOf.set(READERS[post] ?? '', Object.keys(RULES)[value] ?? '')
    if (kind === 'replace') {
      await service.content.delete('posts', id)
      this.posts[post] = await create(service, 'posts', this.#post(value))
    }
  }

  /** Sends a read to each node, and compares the responses of caching nodes with that of the node without a cache. */
  async compare({ path, reader, coding, hasTag, times }: Read): Promise<void> {
    const storedTag = hasTag ? this.#tags.get(`${reader} ${path}`) : undefined
    const headers = {
      'accept-encoding': coding,
      ...(reader === '' ? {} : { authorization: `Bearer ${reader}` }),
      ...(storedTag === undefined ? {} : { 'if-none-match': storedTag }),
    }
    const responses = await Promise.all(
      this.#urls.map(async (url, node) => {
        const response = await readResponse(url, path, headers)
        for (let time = 1; time < (node === 2 ? 1 : times); time += 1)
          expect(await readResponse(url, path, headers), `${reader} ${path} again`).toEqual(response)
        return response
      }),
    )
    const [first, second, plain] = responses
    expect(first, `${reader} ${path}`).toEqual(plain)
    expect(second, `${reader} ${path} of the node with a small cache`).toEqual(plain)
    if (typeof plain?.etag === 'string') this.#tags.set(`${reader} ${path}`, plain.etag)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()))
    await this.#place[Symbol.asyncDispose]()
  }
}

/** Returns the parts of a response that a client sees, without the id of the request. */
async function readResponse(
  url: string,
  path: string,
  headers: Record<string, string>,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${path}`, { headers })
  const text = await response.text()
  const { requestId: _id, ...body } = text === '' ? {} : JSON.parse(text)
  const names = ['etag', 'cache-control', 'vary', 'content-encoding', 'content-type'] as const
  return {
    status: response.status,
    body,
    ...Object.fromEntries(names.map((name) => [name, response.headers.get(name)])),
  }
}

afterEach(() => ruleOf.clear())

describe.each(STORES)('cached responses, on $name', (store) => {
  test.each(Object.entries(CONFIGS))(
    'equal those of a node without a cache, through writes, rules and locales (%s)',
    async (_name, config) => {
      const steps = fc.array(fc.record({ change, reads: fc.array(read, { minLength: 4, maxLength: 8 }) }), {
        minLength: 25,
        maxLength: 40,
      })
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => {
          ruleOf.clear()
          await using nodes = await Nodes.open(await store.at(), config as DaybookConfig)
          for (const { change: next, reads } of sequence) {
            await nodes.apply(next)
            for (const request of reads) await nodes.compare(request)
          }
        }),
        { numRuns: 2, endOnFailure: true },
      )
    },
    LARGE_TEST_MS,
  )

  test('are read once for concurrent requests of the same URL', async () => {
    await using service = await store.open(CONFIGS['without rules'])
    for (const rank of [0, 1, 2]) await create(service, 'posts', { title: `post ${rank}`, rank })
    const sendRequest = async (times: number, query: string): Promise<number> => {
      const before = service.statements()
      const responses = await Promise.all(Array.from({ length: times }, () => service.request(`/api/posts?${query}`)))
      expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
      return service.statements() - before
    }
    await sendRequest(1, 'sort=rank&limit=1')
    const [first, second] = [await sendRequest(1, 'sort=rank&limit=2'), await sendRequest(1, 'sort=rank&limit=3')]
    expect(first).toBe(second)
    // Each request reads the tag, which is less than half of the statements.
    expect(await sendRequest(20, 'sort=rank&limit=4')).toBeLessThan(20 * first)
  })
})

test('a cached response takes no statement on SQLite until something is written', async () => {
  const [sqlite] = STORES.filter(({ name }) => name === 'sqlite')
  await using service = await (sqlite as (typeof STORES)[number]).open(CONFIGS['without rules'])
  const post = await create(service, 'posts', { title: 'post', rank: 0 })
  const paths = ['/api/posts', '/api/posts/post', '/api/posts?include=author', '/api/globals/site']
  const sendRequest = async (): Promise<number> => {
    const before = service.statements()
    for (const path of paths) expect((await service.request(path)).status).toBe(200)
    return service.statements() - before
  }
  const first = await sendRequest()
  await sendRequest()
  expect(first).toBeGreaterThan(0)
  expect(await sendRequest()).toBe(0)
  await update(service, 'posts', post.id, { rank: 1 })
  expect(await sendRequest()).toBeGreaterThan(0)
  expect(await (await service.request('/api/posts/post')).json()).toMatchObject({ rank: 1 })
})

test('some responses stay cached if more than fit are requested in turn', async () => {
  const [sqlite] = STORES.filter(({ name }) => name === 'sqlite')
  const postFields = { rank: f.integer({ required: true }), text: f.text({ maxLength: 10_000, index: false }) }
  const config = defineConfig({
    limits: { responseCacheBytes: 2 ** 20 },
    collections: { posts: defineCollection({ fields: postFields }) },
  })
  await using service = await (sqlite as (typeof STORES)[number]).open(config)
  for (let rank = 0; rank < 200; rank += 1) await create(service, 'posts', { rank, text: 'x'.repeat(10_000) })
  const countStatements = async (): Promise<number> => {
    const before = service.statements()
    for (let offset = 0; offset < 200; offset += 1) {
      expect((await service.request(`/api/posts?limit=1&offset=${offset}`)).status).toBe(200)
    }
    return service.statements() - before
  }
  const first = await countStatements()
  for (let time = 0; time < 10; time += 1) await countStatements()
  // A cached response takes no statement. A third of them fit.
  expect(await countStatements()).toBeLessThan(0.9 * first)
})
