import type { TestService } from 'daybook/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { posts } from '../../support/configs/configs.ts'
import { expectedMatches, type Item, type ListRequest, toQuery } from '../../support/models/list-model.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { STORES } from '../../support/stores/stores.ts'

const WORDS = ['red', 'redder', 'green', 'blue', 'bluebell', 'über', 'Zebra', 'a', 'B', '10', '9', '東']
const SORTABLE = [
  'title',
  'slug',
  'status',
  'rank',
  'score',
  'flag',
  'day',
  'group',
  'seo.order',
  'createdAt',
  'updatedAt',
  'id',
]

const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 3 })

const values = {
  title: fc
    .tuple(text, fc.constantFrom('', '!', '\u{1f600}', '\uffee', '\ue000'))
    .map(([words, mark]) => `${words} ${mark}`),
  body: orNull(text),
  status: fc.constantFrom('published', 'published', 'draft', 'archived'),
  rank: orNull(fc.integer({ min: -2, max: 2 })),
  score: orNull(fc.constantFrom(-1.5, 0, 1e-7, 3, 1e20, 9007199254740992)),
  flag: orNull(fc.boolean()),
  day: orNull(fc.constantFrom('2026-01-01', '2025-12-31', '0001-01-01')),
  group: orNull(fc.constantFrom('', 'a', 'A', 'é', '\u{1f600}', '\uffee')),
  seo: orNull(fc.record({ order: orNull(fc.integer({ min: 0, max: 11 })) })),
}
const entry = fc.record(values, { requiredKeys: ['title'] })
const change = fc.record(values, { requiredKeys: [] })

const sortKey = fc.record({ path: fc.constantFrom(...SORTABLE.slice(0, -1)), descending: fc.boolean() })
const listRequest: fc.Arbitrary<ListRequest> = fc.record({
  sort: fc.uniqueArray(sortKey, { minLength: 1, maxLength: 3, selector: ({ path }) => path }),
  nulls: fc.constantFrom(undefined, 'first', 'last'),
  statuses: fc.option(fc.uniqueArray(fc.constantFrom('draft', 'published', 'archived'), { minLength: 1 }), {
    nil: undefined,
  }),
  q: fc.option(
    fc.oneof(
      fc.constantFrom('red', 're', 'blue', 'b', 'green red', 'a 1', 'zebra', 'x'),
      text.filter((word) => /^[a-zA-Z0-9 ]+$/.test(word)),
    ),
    { nil: undefined },
  ),
  limit: fc.integer({ min: 1, max: 7 }),
  offset: fc.integer({ min: 0, max: 30 }),
  auth: fc.boolean(),
})

/** A history of entries that are created, and partly changed and deleted. */
const history = fc.record({
  entries: fc.array(entry, { minLength: 5, maxLength: 30 }),
  changes: fc.array(fc.tuple(fc.nat(), change), { maxLength: 8 }),
  deletions: fc.array(fc.nat(), { maxLength: 4 }),
})

/** Applies a history to a service, and returns the content that it leaves. */
async function play(
  service: TestService,
  { entries, changes, deletions }: typeof history extends fc.Arbitrary<infer T> ? T : never,
): Promise<Item[]> {
  const stored: Item[] = []
  for (const json of entries) stored.push(await written(service, 'POST', '/api/posts', json))
  for (const [at, json] of changes) {
    const index = at % stored.length
    stored[index] = await written(service, 'PUT', `/api/posts/${stored[index]?.id}`, json)
  }
  for (const at of deletions) {
    const [gone] = stored.splice(at % stored.length, 1)
    expect((await sendRequest(service, `/api/posts/${gone?.id}`, { method: 'DELETE' })).status).toBe(204)
  }
  return stored
}

async function written(service: TestService, method: string, path: string, json: object): Promise<Item> {
  const response = await sendRequest(service, path, { method, json })
  expect(response.status, response.text).toBeLessThan(300)
  expect(JSON.parse(response.text)).toMatchObject(
    Object.fromEntries(Object.entries(json).filter(([key]) => key !== 'seo')),
  )
  return JSON.parse(response.text)
}

interface PageOfList {
  readonly total: number
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

async function readPage(service: TestService, query: string, { auth }: ListRequest): Promise<PageOfList> {
  const response = await sendRequest(service, `/api/posts?${query}`, { auth })
  expect(response.status, response.text).toBe(200)
  return parseBody(response) as unknown as PageOfList
}

async function readAllPages(service: TestService, query: string, request: ListRequest): Promise<readonly Item[]> {
  const items: Item[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: PageOfList = await readPage(
      service,
      `${query}&limit=${request.limit}${cursor && `&cursor=${cursor}`}`,
      request,
    )
    expect(next.items.length).toBeLessThanOrEqual(request.limit)
    expect(next.items.length > 0 || cursor === '').toBe(true)
    items.push(...next.items)
    cursor = next.nextCursor
  }
  return items
}

const ids = (items: readonly Item[]): readonly string[] => items.map(({ id }) => id)

describe.each(STORES)('lists on $name compared with a plain model', (store) => {
  test('return the same entries in the same order, by page and by cursor', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.array(listRequest, { minLength: 25, maxLength: 25 }), async (past, requests) => {
        const service = await store.open(posts)
        try {
          const stored = await play(service, past)
          for (const request of requests) await compareResponses(service, stored, request)
        } finally {
          await service.close()
        }
      }),
      { numRuns: 8 },
    )
  })

  test('return entries of one process in the order of their creation', async () => {
    const titles = Array.from({ length: 50 }, (_, index) => `t${String(index).padStart(2, '0')}`)
    const seed: NonNullable<Parameters<typeof store.open>[0]['seed']> = async (content) => {
      for (const title of titles) await content.create('posts', { title })
    }
    const service = await store.open({ ...posts, seed })
    try {
      const { items } = parseBody(await sendRequest(service, '/api/posts?sort=createdAt&limit=100')) as {
        items: readonly Item[]
      }
      expect(items.map(({ title }) => title)).toEqual(titles)
    } finally {
      await service.close()
    }
  })
})

async function compareResponses(service: TestService, stored: readonly Item[], request: ListRequest): Promise<void> {
  const query = toQuery(request)
  const expected = ids(expectedMatches(stored, request))
  const whole = await readPage(service, `${query}&limit=100`, request)
  expect(ids(whole.items), query).toEqual(expected)
  expect(whole.total, query).toBe(expected.length)
  const part = await readPage(service, `${query}&limit=${request.limit}&offset=${request.offset}`, request)
  expect(ids(part.items), query).toEqual(expected.slice(request.offset, request.offset + request.limit))
  expect(part.total, query).toBe(expected.length)
  expect(ids(await readAllPages(service, query, request)), query).toEqual(expected)
}
