import { defineCollection, defineConfig, f, isAuthenticated } from 'daybook'
import type { TestService } from 'daybook/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { STORES } from '../../support/stores/stores.ts'

/** Collections with the same keys on several levels, and with arbitrary JSON next to references. */
const mirrors = defineConfig({
  limits: { responseCacheBytes: 0 },
  collections: {
    left: defineCollection({
      fields: {
        slug: f.slug(),
        note: f.text(),
        one: f.relation('right'),
        many: f.relation('right', { many: true }),
        either: f.relation(['left', 'right']),
        secret: f.text({ access: { read: isAuthenticated } }),
        state: f.status(),
        rating: f.number(),
        inside: f.group({ link: f.relation('right'), data: f.json() }),
        parts: f.list(f.group({ twin: f.relation('left'), text: f.text() })),
      },
    }),
    right: defineCollection({
      fields: {
        many: f.text(),
        one: f.text(),
        data: f.json(),
        state: f.status(),
        twin: f.relation('left'),
        referrers: f.reverse('left.one'),
      },
    }),
  },
})

const hardText = fc.constantFrom(
  'plain',
  '"one":"x"',
  '\\"one\\":\\"',
  '","one":"',
  '{"many":["x"]}',
  '"many":[',
  ']',
  '\\',
  '$&',
  'é\u2028\u{1f600}',
)
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 0.1, 1e21, 1e-7, 5e-324, 2 ** 53 + 2, 1.7976931348623157e308),
)
const anyJson = fc.oneof(number, hardText, fc.dictionary(fc.constantFrom('one', '2', '1', 'many'), number))
const state = fc.constantFrom('published', 'published', 'draft')
const place = fc.nat({ max: 5 })
const entries = <T>(entry: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(entry, { minLength: 6, maxLength: 6 })
const content = fc.record({
  left: entries(fc.record({ note: hardText, secret: hardText, rating: number, state })),
  right: entries(fc.record({ many: hardText, one: hardText, data: anyJson, state })),
  links: entries(
    fc.record({ one: fc.option(place), many: fc.uniqueArray(place, { maxLength: 3 }), either: place, data: anyJson }),
  ),
})

type MirrorContent = typeof content extends fc.Arbitrary<infer T> ? T : never

async function fillMirrors(service: TestService, { left, right, links }: MirrorContent): Promise<void> {
  const batch = async (operations: readonly object[]): Promise<readonly string[]> => {
    const response = await sendRequest(service, '/api/cms/batch', { method: 'POST', json: { operations } })
    expect(response.status, response.text).toBe(200)
    return (parseBody(response).results as readonly { id: string }[]).map(({ id }) => id)
  }
  const lefts = await batch(
    left.map((data, index) => ({ op: 'create', collection: 'left', data: { ...data, slug: `l${index}` } })),
  )
  const rights = await batch(
    right.map((data, index) => ({ op: 'create', collection: 'right', data: { ...data, twin: lefts[index] } })),
  )
  await batch(
    links.map(({ one: single, many, either, data }, index) => ({
      op: 'update',
      collection: 'left',
      id: lefts[index],
      data: {
        one: single === null ? null : rights[single],
        many: many.map((other) => rights[other]),
        either:
          either % 2 > 0 ? { collection: 'left', id: lefts[either] } : { collection: 'right', id: rights[either] },
        inside: { link: rights[either], data },
        parts: [{ twin: lefts[either], text: `"twin":"${index}"` }],
      },
    })),
  )
}

const LEFT = [
  '',
  'include=one',
  'include=one,many,either,inside.link,parts.twin',
  'include=one.twin.one,either',
  'include=many&select=note,many.data,updatedAt',
  'select=rating,inside,parts',
  'select=updatedAt,createdBy,state',
]
const RIGHT = ['', 'include=referrers,twin', 'include=referrers.many&select=one,referrers', 'select=data']
const PATHS = [
  ...LEFT.flatMap((query) => [`/api/left?sort=slug&${query}`, `/api/left/l0?${query}`]),
  ...RIGHT.map((query) => `/api/right?sort=createdAt&${query}`),
]

/** Returns the texts of all responses with status 200 by path, for callers with and without a session. */
async function readAll(service: TestService): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {}
  for (const path of PATHS) {
    for (const auth of [false, true]) {
      const { status, text } = await sendRequest(service, path, { auth })
      if (status === 200) texts[`${path} ${auth}`] = text
    }
  }
  return texts
}

describe.each(STORES)('stored JSON on $name', (store) => {
  test('is served as if it had been parsed, whatever is selected, hidden or included', async () => {
    await fc.assert(
      fc.asyncProperty(content, async (written) => {
        await using service = await store.open(mirrors)
        await fillMirrors(service, written)
        const texts = await readAll(service)
        expect(Object.keys(texts).length).toBeGreaterThan(PATHS.length)
        for (const text of Object.values(texts)) expect(text).toBe(JSON.stringify(JSON.parse(text)))
        // A document without the hash of the current schema is parsed instead of split.
        for (const table of ['left', 'right']) await service.rows(`UPDATE "${table}" SET schema_hash = '' RETURNING id`)
        expect(await readAll(service)).toEqual(texts)
      }),
      { numRuns: 3, endOnFailure: true },
    )
  })
})
