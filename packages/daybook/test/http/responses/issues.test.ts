import { type DaybookConfig, defineCollection, defineConfig, f, type Issue } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const GONE = '01a1f9db-1852-753b-bd05-45f103990b36'

const isService = ({ identity }: { identity: { actorType: string } | null }): boolean =>
  identity?.actorType === 'service'

/** An issue of a validator, with a custom code and params. */
const TOO_LATE = { code: 'tooLate', params: { latest: 'Friday', days: [1, 2] }, message: 'must be before Friday' }

const config: DaybookConfig = defineConfig({
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    things: defineCollection({
      fields: {
        title: f.text({ minLength: 2, maxLength: 3, validate: (value) => (value === 'bad' ? TOO_LATE : undefined) }),
        code: f.text({ pattern: '^[A-Z]+$' }),
        count: f.integer({ min: 2, max: 9 }),
        open: f.boolean(),
        kind: f.select({ options: ['essay', 'note'] }),
        link: f.url(),
        mail: f.email(),
        slug: f.slug(),
        tags: f.list(f.text(), { min: 2, max: 3 }),
        about: f.relation(['people', 'pages']),
        data: f.json({ schema: { properties: { a: { exclusiveMinimum: 3 }, b: { const: 1 }, c: { multipleOf: 5 } } } }),
      },
    }),
    people: defineCollection({ fields: { name: f.text(), salary: f.integer({ access: { read: isService } }) } }),
    pages: defineCollection({
      access: { create: () => true },
      fields: {
        title: f.text({ required: true }),
        status: f.status(),
        secret: f.text({ access: { read: isService, write: isService } }),
        author: f.relation('people'),
        seo: f.group({ summary: f.text() }),
        parts: f.blocks({
          quote: {
            words: f.text({ required: true, validate: (value) => (value === 'bad' ? 'is bad' : undefined) }),
            by: f.relation('people'),
            rows: f.list(f.group({ cell: f.text({ required: true }) })),
          },
        }),
        links: f.list(f.group({ label: f.text({ required: true }), to: f.relation('people') })),
      },
    }),
  },
})

let service: TestService
beforeAll(async () => {
  service = await createTestService(config)
})
afterAll(() => service.close())

const sendRequest = async (method: string, path: string, body?: object, isSignedIn = true): Promise<Response> =>
  service.fetch(
    new Request(`http://daybook.test${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(isSignedIn ? { Authorization: `Bearer ${service.token}` } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  )
const issuesOf = async (response: Response): Promise<readonly Issue[]> =>
  ((await response.json()) as { details: { issues?: readonly Issue[] } }).details.issues ?? []
const create = async (body: object, isSignedIn?: boolean): Promise<readonly Issue[]> =>
  issuesOf(await sendRequest('POST', '/api/pages', { title: 'A', ...body }, isSignedIn))

const good = { _type: 'quote', words: 'good' }

/** Returns issues without messages, in the order of their paths and codes. */
const withoutMessages = (issues: readonly Issue[]): readonly object[] =>
  issues
    .map(({ path, code, params }) => [path, code, params] as const)
    .toSorted((a, b) => (a.join() < b.join() ? -1 : 1))

describe('params of issues contain the values that their messages mention', () => {
  test.each<[object, readonly (readonly [path: string, code: string, params: object | undefined])[]]>([
    [{ title: 'x' }, [['/title', 'minLength', { limit: 2 }]]],
    [{ title: 'four' }, [['/title', 'maxLength', { limit: 3 }]]],
    [{ title: 7 }, [['/title', 'type', { types: ['string', 'null'] }]]],
    [{ title: 'bad' }, [['/title', 'tooLate', { latest: 'Friday', days: [1, 2] }]]],
    [{ code: 'x' }, [['/code', 'pattern', { pattern: '^[A-Z]+$' }]]],
    [{ count: 1 }, [['/count', 'minimum', { limit: 2 }]]],
    [{ count: 10 }, [['/count', 'maximum', { limit: 9 }]]],
    [{ count: 2.5 }, [['/count', 'type', { types: ['integer', 'null'] }]]],
    [{ open: 'x' }, [['/open', 'type', { types: ['boolean', 'null'] }]]],
    [{ kind: 'x' }, [['/kind', 'enum', { values: ['essay', 'note'] }]]],
    [{ link: 'ftp://x' }, [['/link', 'url', undefined]]],
    [{ mail: 'x' }, [['/mail', 'format', { format: 'email' }]]],
    [{ slug: 'a b' }, [['/slug', 'slug', undefined]]],
    [{ slug: GONE }, [['/slug', 'id_shape', undefined]]],
    [{ tags: ['a'] }, [['/tags', 'minItems', { limit: 2 }]]],
    [{ tags: ['a', 'b', 'c', 'd'] }, [['/tags', 'maxItems', { limit: 3 }]]],
    [{ about: { collection: 'people', id: GONE } }, [['/about', 'reference', { collection: 'people', id: GONE }]]],
    [{ titel: 'a' }, [['/titel', 'unknown_field', { nearest: 'title' }]]],
    [{ other: 'a' }, [['/other', 'unknown_field', undefined]]],
    [
      { data: { a: 3, b: 2, c: 4 } },
      [
        ['/data/a', 'exclusiveMinimum', { limit: 3 }],
        ['/data/b', 'const', undefined],
        ['/data/c', 'multipleOf', { divisor: 5 }],
      ],
    ],
  ])('in a body: %j', async (body, expected) => {
    const issues = await issuesOf(await sendRequest('POST', '/api/things', { slug: 'a', ...body }))
    expect(withoutMessages(issues)).toEqual(expected)
  })

  test.each<[query: string, path: string, code: string, params: object | undefined]>([
    ['limit=x', 'limit', 'type', { types: ['integer'] }],
    ['depth=9', 'depth', 'maximum', { limit: 5 }],
    ['lmit=3', 'lmit', 'unknown_param', { nearest: 'limit' }],
    ['page=3', 'page', 'unknown_param', { values: ['offset', 'cursor'] }],
    ['limit=1&limit=2', 'limit', 'repeated', undefined],
    ['sort=kind,kind', 'sort', 'repeated', { name: 'kind' }],
    ['sort=titel', 'sort', 'unknown_field', { name: 'titel', nearest: 'title' }],
    ['sort=title,kind,count,open,link,mail', 'sort', 'maxItems', { limit: 5 }],
    ['sort=about', 'sort', 'unknown_field', { name: 'about', values: ['about.collection', 'about.id'] }],
    ['select=titel', 'select', 'unknown_field', { name: 'titel', nearest: 'title' }],
    ['include=abuot', 'include', 'unknown_field', { name: 'abuot', nearest: 'about' }],
    ['locale=fr', 'locale', 'enum', { values: ['en', 'de', 'all'] }],
    ['locale=all&fallbackLocale=de', 'fallbackLocale', 'exclusive', { with: 'locale' }],
    ['cursor=x&offset=1', 'cursor', 'exclusive', { with: 'offset' }],
    ['cursor=x', 'cursor', 'cursor', undefined],
    ['where[titel][eq]=a', 'where[titel]', 'unknown_field', { name: 'titel', nearest: 'title' }],
    ['where[count][eq]=a', 'where[count][eq]', 'type', { field: 'count' }],
    ['where[count][exists]=a', 'where[count][exists]', 'type', { types: ['boolean'] }],
    ['where[about.collection][eq]=x', 'where[about.collection][eq]', 'enum', { values: ['people', 'pages'] }],
    ['where[open][lt]=true', 'where[open][lt]', 'operator', { values: ['eq', 'ne', 'in', 'nin', 'exists'] }],
    ['where[title]=a', 'where[title]', 'operator', undefined],
    ['aggregate=sum:count:day', 'aggregate', 'unknown_field', expect.objectContaining({ name: 'sum:count:day' })],
    [`q=${'a'.repeat(257)}`, 'q', 'maxLength', { limit: 256 }],
  ])('in a query: %s', async (query, path, code, params) => {
    const issues = await issuesOf(await sendRequest('GET', `/api/things?${query}`))
    expect(withoutMessages(issues)).toContainEqual([path, code, params])
  })

  test.each<[operation: object, path: string, code: string, params: object | undefined]>([
    [{ op: 'x' }, '/op', 'enum', expect.objectContaining({ values: expect.arrayContaining(['create', 'restore']) })],
    [{ op: 'create', collection: 'no' }, '/collection', 'unknown', { name: 'no' }],
    [{ op: 'create', collection: 'things', id: GONE }, '/id', 'exclusive', { with: 'op' }],
    [{ op: 'create', collection: 'things' }, '/data', 'type', { types: ['object'] }],
    [{ op: 'delete', collection: 'things', id: GONE, data: {} }, '/data', 'exclusive', { with: 'op' }],
    [{ op: 'update', collection: 'things', id: 'slug' }, '/id', 'format', { format: 'uuid' }],
    [{ op: 'publish', collection: 'things', id: GONE }, '/op', 'status', { collection: 'things' }],
  ])('in a batch: %j', async (operation, path, code, params) => {
    const issues = await issuesOf(await sendRequest('POST', '/api/cms/batch', { operations: [operation] }))
    expect(withoutMessages(issues)).toEqual([[`/operations/0${path}`, code, params]])
  })
})

describe('paths of issues contain the index of the item', () => {
  test.each<[string, object, string, string]>([
    ['missing in a block', { parts: [good, { _type: 'quote' }] }, '/parts/1/words', 'required'],
    ['blank in a block', { parts: [good, { _type: 'quote', words: '' }] }, '/parts/1/words', 'required'],
    [
      'missing in a list in a block',
      { parts: [good, { ...good, rows: [{ cell: 'a' }, { cell: '' }] }] },
      '/parts/1/rows/1/cell',
      'required',
    ],
    ['blank in a list', { links: [{ label: 'a' }, { label: '' }] }, '/links/1/label', 'required'],
    ['of another type', { parts: [good, { ...good, words: 7 }] }, '/parts/1/words', 'type'],
    ['a reference of a block', { parts: [good, { ...good, by: GONE }] }, '/parts/1/by', 'reference'],
    ['a reference of a list', { links: [{ label: 'a' }, { label: 'b', to: GONE }] }, '/links/1/to', 'reference'],
    ['a validator', { parts: [good, { ...good, words: 'bad' }] }, '/parts/1/words', 'validate'],
    ['unknown', { parts: [good, { ...good, colour: 'red' }] }, '/parts/1/colour', 'unknown_field'],
  ])('%s', async (_name, body, path, code) => {
    expect(await create(body)).toMatchObject([{ path, code }])
  })

  test('of a draft that is published', async () => {
    const { id } = (await (await sendRequest('POST', '/api/pages', { title: 'A', status: 'draft' })).json()) as {
      id: string
    }
    const saved = await sendRequest('PUT', `/api/pages/${id}?draft=true`, { parts: [good, { _type: 'quote' }] })
    expect(saved.status).toBe(200)
    const issues = await issuesOf(await sendRequest('POST', `/api/pages/${id}/publish`, {}))
    expect(issues).toMatchObject([{ path: '/parts/1/words', code: 'required' }])
  })
})

describe('a mistyped name gets a suggestion', () => {
  test.each<[object, string, string]>([
    [{ secrt: 'a' }, '/secrt', 'secret'],
    [{ seo: { sumary: 'a' } }, '/seo/sumary', 'summary'],
    [{ parts: [{ ...good, wrods: 'a' }] }, '/parts/0/wrods', 'words'],
    [{ links: [{ label: 'a', lable: 'b' }] }, '/links/0/lable', 'label'],
  ])('in a body: %j', async (body, path, name) => {
    const [issue] = await create(body)
    expect(issue).toMatchObject({
      path,
      message: expect.stringMatching(/^Unknown field "\w+"\. Did you mean "\w+"\?$/),
    })
    expect(issue?.message).toContain(`Did you mean "${name}"?`)
  })

  test.each([
    ['where[titel][eq]=a', 'title'],
    ['where[author.nmae][eq]=a', 'author.name'],
    ['where[or][0][titel][eq]=a', 'title'],
    ['sort=-titel', 'title'],
    ['sort=createdat', 'createdAt'],
    ['select=titel', 'title'],
    ['include=author&select=author.nmae', 'author.name'],
    ['include=autor', 'author'],
    ['include=parts.bi', 'parts.by'],
    ['lmit=3', 'limit'],
  ])('in a query: %s', async (query, name) => {
    const [issue] = await issuesOf(await sendRequest('GET', `/api/pages?${query}`))
    expect(issue?.message).toMatch(new RegExp(`Did you mean "${name}"\\?$`))
  })

  test.each([
    'where[secrt][eq]=a',
    'sort=secrt',
    'select=secrt',
    'where[author.salry][gt]=1',
    'include=author&select=author.salry',
  ])('but never of a field that the caller may not read: %s', async (query) => {
    const [issue] = await issuesOf(await sendRequest('GET', `/api/pages?${query}`, undefined, false))
    expect(issue).toMatchObject({ code: 'unknown_field', message: expect.not.stringContaining('Did you mean') })
  })

  test('but never of a field that the caller may not write', async () => {
    expect(await create({ secrt: 'a' }, false)).toMatchObject([{ path: '/secrt', message: 'Unknown field "secrt".' }])
  })
})
