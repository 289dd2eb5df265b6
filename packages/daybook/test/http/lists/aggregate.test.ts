import { ANONYMOUS, type DaybookConfig, defineCollection, defineConfig, f, isAuthenticated } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { STORES } from '../../support/stores/stores.ts'

const OPTIONS = ['news', 'howto', 'release'] as const

const shop: DaybookConfig = defineConfig({
  locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
  collections: {
    makers: defineCollection({ fields: { name: f.text({ required: true }) } }),
    things: defineCollection({
      fields: {
        name: f.text(),
        label: f.text({ localized: true }),
        status: f.status(),
        category: f.select({ options: OPTIONS }),
        kind: f.select({ options: OPTIONS, counted: true }),
        moods: f.select({ options: OPTIONS, many: true }),
        tags: f.list(f.text(), { counted: true }),
        years: f.list(f.integer()),
        fair: f.boolean({ counted: true }),
        price: f.number(),
        stock: f.integer({ counted: true }),
        day: f.date(),
        soldAt: f.datetime(),
        maker: f.relation('makers'),
        makers: f.relation('makers', { many: true }),
        long: f.markdown(),
        plain: f.text({ index: false }),
        size: f.group({ width: f.number() }),
        cost: f.number({ access: { read: isAuthenticated } }),
      },
    }),
    shelves: defineCollection({
      access: { read: ({ identity }) => (identity ? true : { place: { eq: 'open' } }) },
      fields: { place: f.select({ options: ['open', 'closed'], counted: true }), kind: f.text({ counted: true }) },
    }),
  },
})

describe.each(STORES)('aggregates on $name', (store) => {
  let service: TestService
  let maker: string

  const add = async (json: object, collection = 'things'): Promise<Readonly<Record<string, unknown>>> =>
    parseBody(await sendRequest(service, `/api/${collection}`, { method: 'POST', json }))
  const read = async (query: string, { auth = false, collection = 'things' } = {}) =>
    sendRequest(service, `/api/${collection}?limit=0&${query}`, { auth })
  const aggregates = async (query: string, options: { auth?: boolean; collection?: string } = {}) =>
    parseBody(await read(query, options)).aggregates as Readonly<Record<string, unknown>>
  const issues = async (query: string, auth = false) => {
    const response = await read(query, { auth })
    expect(response.status).toBe(400)
    return (parseBody(response).details as { readonly issues: readonly { path: string; message: string }[] }).issues
  }

  beforeAll(async () => {
    service = await store.open(shop)
    maker = String((await add({ name: 'Ann' }, 'makers')).id)
    await add({
      name: 'a',
      label: 'one',
      category: 'news',
      kind: 'news',
      moods: ['news', 'howto'],
      tags: ['x', 'y', 'x'],
      years: [2024, 2025],
      fair: true,
      price: 0.1,
      stock: 9007199254740991,
      day: '2026-01-31',
      soldAt: '2026-01-31T23:59:59.999Z',
      maker,
      size: { width: 2 },
      cost: 5,
    })
    await add({
      name: 'b',
      label: 'one',
      category: 'howto',
      kind: 'howto',
      moods: ['howto'],
      tags: ['y'],
      years: [2025, 1999],
      fair: false,
      price: 0.2,
      stock: 9007199254740991,
      day: '2026-02-01',
      soldAt: '2026-02-01T01:30:00+02:00',
      maker,
      size: { width: 3 },
    })
    await add({
      name: 'c',
      label: 'two',
      category: 'howto',
      kind: 'howto',
      tags: [],
      fair: false,
      price: -1.05,
      stock: 9007199254740991,
      day: '2025-02-01',
    })
    await add({ name: 'd', status: 'draft', category: 'release', kind: 'release', tags: ['draft'], price: 100 })
    await add({ place: 'open', kind: 'a' }, 'shelves')
    await add({ place: 'closed', kind: 'b' }, 'shelves')
  })
  afterAll(() => service.close())

  test('count by a select: the most frequent value first, then by value', async () => {
    expect(await aggregates('aggregate=count:category')).toEqual({
      'count:category': [
        { value: 'howto', count: 2 },
        { value: 'news', count: 1 },
      ],
    })
  })

  test('the response is an ordinary list with entries', async () => {
    const body = parseBody(await sendRequest(service, '/api/things?aggregate=count:fair&limit=1&sort=name'))
    expect(body).toMatchObject({ total: 3, limit: 1, items: [{ name: 'a' }] })
    expect(body.aggregates).toEqual({
      'count:fair': [
        { value: false, count: 2 },
        { value: true, count: 1 },
      ],
    })
  })

  test.each([
    [
      'count:kind',
      [
        { value: 'howto', count: 2 },
        { value: 'news', count: 1 },
      ],
    ],
    ['count:status', [{ value: 'published', count: 3 }]],
    [
      'count:tags',
      [
        { value: 'y', count: 2 },
        { value: 'x', count: 1 },
      ],
    ],
    [
      'count:moods',
      [
        { value: 'howto', count: 2 },
        { value: 'news', count: 1 },
      ],
    ],
    [
      'count:years',
      [
        { value: 2025, count: 2 },
        { value: 1999, count: 1 },
        { value: 2024, count: 1 },
      ],
    ],
    ['count:stock', [{ value: 9007199254740991, count: 3 }]],
    [
      'count:price',
      [
        { value: -1.05, count: 1 },
        { value: 0.1, count: 1 },
        { value: 0.2, count: 1 },
      ],
    ],
    [
      'count:size.width',
      [
        { value: null, count: 1 },
        { value: 2, count: 1 },
        { value: 3, count: 1 },
      ],
    ],
    [
      'count:day',
      [
        { value: '2025-02-01', count: 1 },
        { value: '2026-01-31', count: 1 },
        { value: '2026-02-01', count: 1 },
      ],
    ],
    [
      'count:day:month',
      [
        { value: '2025-02', count: 1 },
        { value: '2026-01', count: 1 },
        { value: '2026-02', count: 1 },
      ],
    ],
    [
      'count:day:year',
      [
        { value: '2026', count: 2 },
        { value: '2025', count: 1 },
      ],
    ],
    [
      'count:soldAt:day',
      [
        { value: '2026-01-31', count: 2 },
        { value: null, count: 1 },
      ],
    ],
  ] as const)('%s', async (name, expected) => {
    expect(await aggregates(`aggregate=${name}`)).toEqual({ [name]: expected })
  })

  test('relations count by id; entries without one count as null', async () => {
    expect(await aggregates('aggregate=count:maker')).toEqual({
      'count:maker': [
        { value: maker, count: 2 },
        { value: null, count: 1 },
      ],
    })
  })

  test('depend on the filter, the search and the status, but not on the page', async () => {
    const ofBody = async (query: string, auth = false) =>
      await aggregates(`aggregate=count:kind,count:tags&${query}`, { auth })
    expect(await ofBody('where[day][gte]=2026-02-01')).toEqual({
      'count:kind': [{ value: 'howto', count: 1 }],
      'count:tags': [{ value: 'y', count: 1 }],
    })
    expect(await ofBody('q=a')).toEqual({
      'count:kind': [{ value: 'news', count: 1 }],
      'count:tags': [
        { value: 'x', count: 1 },
        { value: 'y', count: 1 },
      ],
    })
    expect(await ofBody('status=draft', true)).toEqual({
      'count:kind': [{ value: 'release', count: 1 }],
      'count:tags': [{ value: 'draft', count: 1 }],
    })
    expect(await ofBody('status=draft')).toEqual({ 'count:kind': [], 'count:tags': [] })
    expect(await ofBody('where[maker.name][eq]=Ann&where[tags][in]=x')).toEqual({
      'count:kind': [{ value: 'news', count: 1 }],
      'count:tags': [
        { value: 'x', count: 1 },
        { value: 'y', count: 1 },
      ],
    })
  })

  test('a locale counts its own values, fallbacks included', async () => {
    const { items } = parseBody(await sendRequest(service, '/api/things?where[name][eq]=a')) as {
      items: { id: string }[]
    }
    await sendRequest(service, `/api/things/${items[0]?.id}?locale=de`, { method: 'PUT', json: { label: 'eins' } })
    expect(await aggregates('aggregate=count:label&locale=de')).toEqual({
      'count:label': [
        { value: 'eins', count: 1 },
        { value: 'one', count: 1 },
        { value: 'two', count: 1 },
      ],
    })
    expect(await aggregates('aggregate=count:label,count:kind,count:tags&locale=de')).toMatchObject(
      await aggregates('aggregate=count:kind,count:tags'),
    )
  })

  test('numbers: least, greatest, sum and average, in exact decimals', async () => {
    expect(await aggregates('aggregate=min:price,max:price,sum:price,avg:price')).toEqual({
      'min:price': -1.05,
      'max:price': 0.2,
      'sum:price': -0.75,
      'avg:price': -0.25,
    })
    // The JSON text has all digits; a double would lose some.
    const { text } = await read('aggregate=sum:stock,avg:stock')
    expect(text).toContain('"sum:stock":27021597764222973,"avg:stock":9007199254740991')
    expect((await read('aggregate=sum:price&where[price][gt]=0')).text).toContain('"sum:price":0.3')
  })

  test('dates: the first and the last', async () => {
    expect(await aggregates('aggregate=min:day,max:soldAt')).toEqual({
      'min:day': '2025-02-01',
      'max:soldAt': '2026-01-31T23:59:59.999Z',
    })
  })

  test('of no entries: no counts, a sum of 0, and null', async () => {
    const all = 'count:kind,count:tags,count:day:month,min:price,max:day,sum:price,avg:price'
    expect(await aggregates(`aggregate=${all}&where[name][eq]=nobody`)).toEqual({
      'count:kind': [],
      'count:tags': [],
      'count:day:month': [],
      'min:price': null,
      'max:day': null,
      'sum:price': 0,
      'avg:price': null,
    })
  })

  test('the tag of a list changes with its aggregates', async () => {
    const tagOf = async (query: string) => (await read(query)).headers.get('etag') ?? ''
    const tag = await tagOf('aggregate=count:kind')
    expect(tag).not.toBe(await tagOf(''))
    expect(tag).not.toBe(await tagOf('aggregate=count:tags'))
    const again = await sendRequest(service, '/api/things?limit=0&aggregate=count:kind', {
      headers: { 'If-None-Match': tag },
    })
    expect(again.status).toBe(304)
    await add({ name: 'e', status: 'draft', kind: 'news' })
    expect(await tagOf('aggregate=count:kind')).toBe(tag)
  })

  test('counts follow each change: create, update, delete, batch', async () => {
    const counts = async () =>
      (await aggregates('aggregate=count:kind', { auth: true, collection: 'shelves' }))['count:kind']
    const before = await counts()
    const shelf = await add({ place: 'open', kind: 'c' }, 'shelves')
    expect(await counts()).toEqual([...(before as object[]), { value: 'c', count: 1 }])
    await sendRequest(service, `/api/shelves/${shelf.id}`, { method: 'PUT', json: { kind: 'a' } })
    expect(await counts()).toEqual([
      { value: 'a', count: 2 },
      { value: 'b', count: 1 },
    ])
    await sendRequest(service, `/api/shelves/${shelf.id}`, { method: 'PUT', json: { kind: null } })
    expect(await counts()).toEqual([
      { value: null, count: 1 },
      { value: 'a', count: 1 },
      { value: 'b', count: 1 },
    ])
    const operations = [
      { op: 'delete', collection: 'shelves', id: shelf.id },
      { op: 'create', collection: 'shelves', data: { kind: 'z' } },
      { op: 'create', collection: 'shelves', data: { kind: 'z' } },
    ]
    await sendRequest(service, '/api/cms/batch', { method: 'POST', json: { operations } })
    expect(await counts()).toEqual([{ value: 'z', count: 2 }, ...(before as object[])])
    const failing = [...operations.slice(1), { op: 'create', collection: 'shelves', data: { kind: 5 } }]
    expect(
      (await sendRequest(service, '/api/cms/batch', { method: 'POST', json: { operations: failing } })).status,
    ).toBe(400)
    expect(await counts()).toEqual([{ value: 'z', count: 2 }, ...(before as object[])])
  })

  describe('count only the entries that the caller can list', () => {
    test('drafts count only with a session', async () => {
      expect((await aggregates('aggregate=count:category', { auth: true }))['count:category']).toContainEqual({
        value: 'release',
        count: 1,
      })
      expect(await aggregates('aggregate=max:price')).toEqual({ 'max:price': 0.2 })
      expect(await aggregates('aggregate=max:price', { auth: true })).toEqual({ 'max:price': 100 })
    })

    test('entries that a rule hides do not count', async () => {
      expect(await aggregates('aggregate=count:kind,count:place', { collection: 'shelves' })).toEqual({
        'count:kind': [{ value: 'a', count: 1 }],
        'count:place': [{ value: 'open', count: 1 }],
      })
    })

    test.each(['count', 'min', 'sum'])('%s of a hidden field fails like that of an unknown field', async (kind) => {
      const likeness = async (name: string) => {
        const [issue] = await issues(`aggregate=${kind}:${name}`)
        return JSON.stringify(issue).replaceAll(name, 'NAME')
      }
      expect(await likeness('cost')).toBe(await likeness('cast'))
      expect(await likeness('cost')).not.toContain('cost')
      expect(await aggregates('aggregate=sum:cost', { auth: true })).toEqual({ 'sum:cost': 5 })
    })
  })

  test.each([
    ['count:nothing', 'Use some of: count:id, '],
    ['count:long', 'count:category'],
    ['count:plain', 'count:category'],
    ['count:makers', 'count:maker'],
    ['sum:name', 'Use some of: count:name'],
    ['count:name:day', 'Use some of: count:name'],
    ['count:day:week', 'count:day:month'],
    ['count:day:month:x', 'count:day:month'],
    ['min:kind', 'Use some of: count:kind'],
    ['count', 'Use some of: '],
    ['count:', 'Use some of: '],
    ['constructor:kind', 'Use some of: count:kind'],
  ])('%s is rejected with an issue that names the valid aggregates', async (name, advice) => {
    expect(await issues(`aggregate=${name}`)).toEqual([
      expect.objectContaining({ path: 'aggregate', message: expect.stringContaining(advice) }),
    ])
  })

  test('at most ten, each once', async () => {
    const eleven = Array.from({ length: 11 }, () => 'count:kind').join()
    expect(await issues(`aggregate=${eleven}`)).toMatchObject([
      { path: 'aggregate', message: 'aggregate must have at most 10 names.' },
    ])
    expect(await issues('aggregate=count:kind,count:kind')).toMatchObject([
      { message: 'aggregate must not contain "count:kind" twice.' },
    ])
    expect(await issues('aggregate=')).toMatchObject([{ path: 'aggregate' }])
  })

  test('a cursor continues without the aggregates, which are the same on every page', async () => {
    const { nextCursor } = parseBody(await sendRequest(service, '/api/things?limit=1&aggregate=count:kind'))
    expect((await sendRequest(service, `/api/things?limit=1&cursor=${nextCursor}`)).status).toBe(200)
  })

  test('the in-process API also accepts aggregates by field', async () => {
    const { aggregates } = await service.content.as(ANONYMOUS).list('things', {
      limit: 0,
      aggregate: { price: ['min', 'sum'], day: 'count:year' },
    })
    expect(aggregates).toEqual({
      'min:price': -1.05,
      'sum:price': -0.75,
      'count:day:year': [
        { value: '2026', count: 2 },
        { value: '2025', count: 1 },
      ],
    })
  })

  test('the model description lists the aggregates of each field', async () => {
    const { collections } = parseBody(await sendRequest(service, '/api/cms/model', { auth: true })) as {
      collections: { key: string; fields: { key: string; aggregates: string[] }[] }[]
    }
    const fields = collections.find(({ key }) => key === 'things')?.fields ?? []
    const of = (name: string) => fields.find(({ key }) => key === name)?.aggregates
    expect(of('tags')).toEqual(['count'])
    expect(of('price')).toEqual(['count', 'min', 'max', 'sum', 'avg'])
    expect(of('day')).toEqual(['count', 'count:day', 'count:month', 'count:year', 'min', 'max'])
    expect(of('makers')).toEqual([])
    expect(of('long')).toEqual([])
  })

  test('at most a thousand values, the most frequent ones', async () => {
    const many = { collections: { notes: { fields: { text: f.text(), word: f.text({ counted: true }) } } } }
    await using large = await store.open(many)
    for (let from = 0; from < 1002; from += 334) {
      const operations = Array.from({ length: 334 }, (_, index) => {
        const text = String(from + index).padStart(4, '0')
        return { op: 'create', collection: 'notes', data: { text, word: text } }
      })
      await sendRequest(large, '/api/cms/batch', { method: 'POST', json: { operations } })
    }
    await sendRequest(large, '/api/notes', { method: 'POST', json: { text: '1001', word: '1001' } })
    const { aggregates } = parseBody(
      await sendRequest(large, '/api/notes?limit=0&aggregate=count:text,count:word'),
    ) as {
      aggregates: Record<string, { value: string; count: number }[]>
    }
    for (const name of ['count:text', 'count:word']) {
      expect(aggregates[name]).toHaveLength(1000)
      expect(aggregates[name]?.slice(0, 2)).toEqual([
        { value: '1001', count: 2 },
        { value: '0000', count: 1 },
      ])
    }
  })
})

test.each([
  [{ word: f.text({ counted: true, index: false }) }, 'collections.notes.fields.word.counted'],
  [{ word: f.text({ counted: true, localized: true }) }, 'collections.notes.fields.word.counted'],
  [{ list: f.list(f.text({ counted: true })) }, 'collections.notes.fields.list.of.counted'],
  [{ list: f.list(f.group({ a: f.text() }), { counted: true }) }, 'collections.notes.fields.list.counted'],
  [{ notes: f.relation('notes', { many: true, counted: true }) }, 'collections.notes.fields.notes.counted'],
])('counted is rejected for fields without an index', async (fields, path) => {
  const locales = { default: 'en', available: ['en'] }
  await expect(createTestService({ locales, collections: { notes: { fields } } })).rejects.toThrow(path)
})
