import { defineCollection, defineConfig, f } from 'daybook'
import type { TestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { STORES } from '../../support/stores/stores.ts'

/** Creates people who all belong to each other's circle. */
async function openClique(store: (typeof STORES)[number], size: number): Promise<TestService> {
  const service = await store.open(circle)
  const post = async (operations: readonly object[]): Promise<readonly { id: string }[]> => {
    const response = await sendRequest(service, '/api/cms/batch', { method: 'POST', json: { operations } })
    expect(response.status, response.text).toBe(200)
    return parseBody(response).results as readonly { id: string }[]
  }
  const people = await post(
    Array.from({ length: size }, (_, index) => ({ op: 'create', collection: 'people', data: { slug: `p${index}` } })),
  )
  const ids = people.map(({ id }) => id)
  await post(ids.map((id) => ({ op: 'update', collection: 'people', id, data: { circle: ids } })))
  return service
}

const circle = defineConfig({
  collections: {
    people: defineCollection({ fields: { slug: f.slug(), circle: f.relation('people', { many: true }) } }),
  },
})

describe.each(STORES)('expanding on $name', (store) => {
  test('is limited to 2,000 documents in one response, each counted in every place', async () => {
    const service = await openClique(store, 44)
    try {
      const total = async (query: string): Promise<number> => {
        const response = await sendRequest(service, `/api/people?${query}`)
        if (response.status === 400)
          expect(parseBody(response)).toMatchObject({ details: { issues: [{ path: 'include' }] } })
        return response.status === 200 ? response.text.split('"slug"').length - 1 : response.status
      }
      expect(await total('limit=44&include=circle')).toBe(44 + 44 * 44)
      expect(await total('limit=1&include=circle.circle')).toBe(1 + 44 + 44 * 44)
      expect(await total('limit=2&include=circle.circle')).toBe(400)
      expect(await total('limit=1&include=circle.circle.circle')).toBe(400)
      await sendRequest(service, '/api/people', { method: 'POST', json: { slug: 'last' } })
      expect(await total('limit=100&include=circle')).toBe(45 + 44 * 44)
    } finally {
      await service.close()
    }
  })

  test('is limited on every level, so that few entries that refer to each other cannot fill the memory', async () => {
    const service = await openClique(store, 6)
    try {
      const response = await sendRequest(service, '/api/people/p0?include=circle.circle.circle.circle.circle')
      expect(response.status, `${response.text.length} bytes`).toBe(400)
      expect((await sendRequest(service, '/api/people/p0?include=circle.circle.circle')).status).toBe(200)
    } finally {
      await service.close()
    }
  })

  test('distinguishes block types whose relations have the same key', async () => {
    const kinds = defineConfig({
      collections: {
        people: defineCollection({ fields: { name: f.text() } }),
        firms: defineCollection({ fields: { name: f.text() } }),
        pages: defineCollection({
          fields: {
            slug: f.slug(),
            parts: f.blocks({ quote: { by: f.relation('people') }, advert: { by: f.relation('firms') } }),
          },
        }),
      },
    })
    const service = await store.open(kinds)
    try {
      const person = await service.content.create('people', { name: 'Ann' } as never)
      const firm = await service.content.create('firms', { name: 'Acme' } as never)
      const parts = [
        { _type: 'quote', by: person.id },
        { _type: 'advert', by: firm.id },
      ]
      await service.content.create('pages', { slug: 'x', parts } as never)
      expect(parseBody(await sendRequest(service, '/api/pages/x?include=parts.by'))).toMatchObject({
        parts: [{ by: { name: 'Ann' } }, { by: { name: 'Acme' } }],
      })
    } finally {
      await service.close()
    }
  })

  test('takes one SQL statement for each relation and level, however many entries there are', async () => {
    const service = await openClique(store, 6)
    const statements = async (query: string): Promise<number> => {
      const { statements: count } = service as unknown as { statements(): number }
      const before = count()
      expect((await sendRequest(service, `/api/people?${query}`)).status).toBe(200)
      return count() - before
    }
    try {
      // The counters of the collection are read once, as long as nothing is written.
      await statements('limit=5')
      const plain = await statements('limit=1')
      expect(await statements('limit=2')).toBe(plain)
      expect(await statements('limit=6')).toBe(plain)
      const levels = [plain]
      for (const include of ['circle', 'circle.circle', 'circle.circle.circle']) {
        const statementsForOne = await statements(`limit=1&select=circle&include=${include}`)
        expect(await statements(`limit=6&select=circle&include=${include}`), include).toBe(statementsForOne)
        levels.push(statementsForOne)
      }
      // PostgreSQL reads the counters of the collection for its part of the tag, and again for the included documents.
      for (const [level, count] of levels.entries()) expect(count).toBeLessThanOrEqual(plain + level + 1)
      expect(plain).toBeGreaterThan(0)
    } finally {
      await service.close()
    }
  })
})
