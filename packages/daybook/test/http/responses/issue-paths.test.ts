import { defineCollection, defineConfig, f, type Issue } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

const GONE = '01a1f9db-1852-753b-bd05-45f103990b36'
const refuseBad = (value: unknown): string | undefined => (value === 'bad' ? 'is bad' : undefined)

const inner = {
  words: f.text({ required: true, maxLength: 5, validate: refuseBad }),
  by: f.relation('people'),
}
const item = f.group(inner)

const config = defineConfig({
  collections: {
    people: defineCollection({ fields: { name: f.text() } }),
    pages: defineCollection({
      fields: {
        title: f.text(),
        status: f.status(),
        parts: f.blocks({ quote: inner, gallery: { rows: f.list(item) } }),
        links: f.list(item),
        seo: f.group({ lines: f.list(item) }),
      },
    }),
  },
})

const good = { words: 'good' }

let service: TestService
beforeAll(async () => {
  service = await createTestService(config)
})
afterAll(() => service.close())

const send = async (method: string, path: string, body: object): Promise<Record<string, unknown>> => {
  const response = await service.fetch(
    new Request(`http://daybook.test${path}`, {
      method,
      headers: {
        'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        Authorization: `Bearer ${service.token}`,
      },
      body: JSON.stringify(body),
    }),
  )
  return (await response.json()) as Record<string, unknown>
}
const getIssues = (body: Record<string, unknown>): readonly (readonly [string, string])[] =>
  ((body.details as { readonly issues?: readonly Issue[] } | undefined)?.issues ?? []).map(({ path, code }) => [
    path,
    code,
  ])

/** Places of an item, with good items before it. */
const places: readonly (readonly [kind: string, path: string, place: (fields: object) => object])[] = [
  ['block', '/parts/2', (fields) => ({ parts: [quote, quote, { _type: 'quote', ...fields }] })],
  ['list in a block', '/parts/1/rows/1', (fields) => ({ parts: [quote, { _type: 'gallery', rows: [good, fields] }] })],
  ['list', '/links/1', (fields) => ({ links: [good, fields] })],
  ['list in a group', '/seo/lines/1', (fields) => ({ seo: { lines: [good, fields] } })],
]
const quote = { _type: 'quote', ...good }

/** Sources of issues, each with the fields of an item that cause one. */
const sources: readonly (readonly [code: string, member: string, fields: object])[] = [
  ['maxLength', '/words', { words: 'too long' }],
  ['unknown_field', '/wrods', { words: 'good', wrods: 'x' }],
  ['required', '/words', { words: ' ' }],
  ['validate', '/words', { words: 'bad' }],
  ['reference', '/by', { words: 'good', by: GONE }],
]

const cases = places.flatMap(([kind, path, place]) =>
  sources.map(([code, member, fields]) => [code, kind, `${path}${member}`, place(fields)] as const),
)

test.each(cases)('the path of %s in an item of a %s has the indexes of items: %s', async (code, _kind, path, body) => {
  const expected = [[path, code]]
  expect(getIssues(await send('POST', '/api/pages', body))).toEqual(expected)
  const create = { op: 'create', collection: 'pages', data: body }
  expect(getIssues(await send('POST', '/api/cms/batch', { operations: [create] }))).toEqual([
    [`/operations/0/data${path}`, code],
  ])
  const page = await send('POST', '/api/pages', { title: 'A', status: 'draft' })
  expect(getIssues(await send('PUT', `/api/pages/${page.id}`, { ...body, status: 'published' }))).toEqual(expected)
  // A draft may lack required values until it is published; publishing reports them at the same place.
  const draftIssues = getIssues(await send('PUT', `/api/pages/${page.id}?draft=true`, body))
  const issues =
    draftIssues.length > 0 ? draftIssues : getIssues(await send('POST', `/api/pages/${page.id}/publish`, {}))
  expect(issues).toEqual(expected)
})

test('a bulk update reports the index of the item, too', async () => {
  await send('POST', '/api/pages', { title: 'bulk' })
  const bad = { links: [good, { words: 'too long' }] }
  expect(getIssues(await send('PATCH', '/api/pages?where[title][eq]=bulk', bad))).toEqual([
    ['/links/1/words', 'maxLength'],
  ])
  expect(
    getIssues(await send('PATCH', '/api/pages?where[title][eq]=bulk', { links: [good, { words: 'bad' }] })),
  ).toEqual([['/links/1/words', 'validate']])
})
