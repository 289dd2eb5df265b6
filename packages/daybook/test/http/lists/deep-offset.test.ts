import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'

const COUNT = 480
const PAGE = 7

const config: DaybookConfig = defineConfig({
  locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
  collections: {
    makers: defineCollection({ fields: { name: f.text() } }),
    things: defineCollection({
      fields: {
        title: f.text({ localized: true }),
        status: f.status(),
        kind: f.text(),
        rank: f.integer(),
        day: f.date(),
        maker: f.relation('makers'),
      },
      indexes: [['kind', '-day']],
    }),
  },
})

interface List {
  readonly total: number
  readonly items: readonly { readonly id: string }[]
  readonly nextCursor: string | null
}

const QUERIES: readonly string[] = [
  '',
  'sort=createdAt',
  'sort=title',
  'sort=-rank,title',
  'sort=rank',
  'sort=-day',
  'sort=-day&nulls=first',
  'sort=rank,title&nulls=last',
  'locale=de&sort=title',
  'where[rank][gt]=0',
  'where[rank][exists]=false&sort=day',
  'where[kind][eq]=a&sort=-day',
  'where[kind][eq]=a&sort=day',
  'where[kind][in]=a,b&sort=-title',
  'where[or][0][kind][eq]=a&where[or][1][rank][lt]=3',
  'where[maker.name][eq]=Ann',
  'q=word&sort=title',
  'q=word',
]

describe.each(STORES)('a page by offset on $name', (store) => {
  let service: StoredService

  beforeAll(async () => {
    service = await store.open(config)
    const maker = parseBody(await sendRequest(service, '/api/makers', { method: 'POST', json: { name: 'Ann' } })).id
    const operations = Array.from({ length: COUNT }, (_, n) => ({
      op: 'create',
      collection: 'things',
      data: {
        title: n % 11 === 0 ? null : `Word ${n % 60}`,
        status: n % 9 === 0 ? 'draft' : 'published',
        kind: ['a', 'a', 'a', 'b', null][n % 5],
        rank: n % 7 === 0 ? null : n % 13,
        day: n % 4 === 0 ? null : `2026-01-${String(1 + (n % 28)).padStart(2, '0')}`,
        maker: n % 8 === 0 ? null : maker,
      },
    }))
    expect((await sendRequest(service, '/api/cms/batch', { method: 'POST', json: { operations } })).status).toBe(200)
  })
  afterAll(() => service.close())

  const read = async (query: string, auth: boolean): Promise<List> => {
    const response = await sendRequest(service, `/api/things?${query}`, { auth })
    expect(response.status).toBe(200)
    return parseBody(response) as unknown as List
  }
  const idsIn = ({ items }: List): readonly string[] => items.map(({ id }) => id)

  const readAll = async (query: string, auth: boolean): Promise<readonly string[]> => {
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: List = await read(`${query}&limit=100${cursor ? `&cursor=${cursor}` : ''}`, auth)
      ids.push(...idsIn(page))
      cursor = page.nextCursor
    }
    return ids
  }

  test.each(QUERIES.flatMap((query) => [false, true].map((auth) => [query, auth] as const)))(
    'contains the entries of the list from its offset on: "%s", with a session: %s',
    async (query, auth) => {
      const all = await readAll(query, auth)
      for (let offset = 0; offset <= all.length + PAGE; offset += 29) {
        const page = await read(`${query}&limit=${PAGE}&offset=${offset}`, auth)
        expect(idsIn(page)).toEqual(all.slice(offset, offset + PAGE))
        expect(page.total).toBe(all.length)
        if (offset + PAGE >= all.length) expect(page.nextCursor).toBeNull()
        else
          expect(idsIn(await read(`${query}&limit=${PAGE}&cursor=${page.nextCursor}`, auth))[0]).toBe(
            all[offset + PAGE],
          )
      }
    },
  )
})
