import { ANONYMOUS, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { parseBody } from '../../support/scenarios/client.ts'
import { Pair } from '../../support/stores/pair.ts'
import { create } from '../../support/stores/place.ts'
import { STORES } from '../../support/stores/stores.ts'
import { compareFilters, comparePages, encode, extremes, make } from './compare-stores.ts'

vi.mock('uuid', async () => ({ v7: (await import('../../support/stores/fixed-ids.ts')).fixedId }))

describe('extreme values are stored and compared alike', () => {
  test('numbers', async () => {
    await using pair = await Pair.open(extremes)
    const numbers = ['0', '-0', '0.1', '0.30000000000000004', '1e21', '-1e21', '9007199254740993', '9007199254740992']
    const more = [
      '1e-7',
      '5e-324',
      '1.7976931348623157e308',
      '9223372036854775807',
      '9223372036854775808',
      '-1e19',
      '1e22',
    ]
    const all = [...numbers, ...more, '1152921504606846976', '18446744073709551616', '1E400', '123456789012345680000']
    for (const number of all) {
      await pair.same('/api/values', { method: 'POST', raw: `{"number":${number},"data":[${number}]}` })
      await pair.same('/api/values', { method: 'POST', raw: `{"integer":${number}}` })
    }
    await comparePages(
      pair,
      'values',
      ['number', 'integer'],
      Number(parseBody(await pair.same('/api/values?limit=0')).total),
    )
    await compareFilters(pair, 'values', ['number', 'integer'], [...all, `${all.join()}`])
  })

  test('long texts with equal beginnings', async () => {
    await using pair = await Pair.open(extremes)
    const url = (tail: string, length: number): string => `https://x.example/${'e'.repeat(length)}${tail}`
    const links = [0, 580, 581, 582, 583, 600, 1000, 1900].flatMap((length) =>
      ['a', 'b'].map((tail) => url(tail, length)),
    )
    for (const [index, link] of links.entries()) {
      await make(pair, 'values', { link, name: `${'x'.repeat(500)}${index}`, long: 'y'.repeat(3000 + index) })
      expect((await make(pair, 'values', { link })).status).toBe(409)
    }
    const filterValues = links.filter((_, index) => index > 1).map(encode)
    for (const operator of ['eq', 'ne', 'in', 'lt', 'lte', 'gt', 'gte', 'startsWith', 'contains']) {
      for (const link of [...filterValues, encode(url('', 583)), encode(url('', 1000)), encode(url('e', 599))]) {
        // Both stores reject a value that is too long for a query string.
        await pair.same(`/api/values?limit=100&sort=id&where[link][${operator}]=${link}`)
        await pair.same(`/api/values?limit=100&sort=id&where[not][link][${operator}]=${link}`)
      }
    }
    await comparePages(pair, 'values', ['name', 'link', 'integer,link'], links.length)
    expect((await make(pair, 'values', { name: `${'x'.repeat(500)}0` })).status).toBe(409)
  })

  test('arbitrary texts', async () => {
    await using pair = await Pair.open(extremes)
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.string({ unit: 'grapheme', maxLength: 8 }))
    await fc.assert(
      fc.asyncProperty(text, text, async (name, other) => {
        await pair.same('/api/values', { method: 'POST', json: { name, long: other, data: { [name]: other } } })
        for (const operator of ['eq', 'startsWith', 'contains', 'gt', 'in'])
          await pair.same(`/api/values?where[name][${operator}]=${encode(other.toWellFormed())}&sort=name&limit=5`)
        await pair.same(`/api/values?sort=-name&q=${encode(other.toWellFormed())}`)
      }),
      { numRuns: 100, endOnFailure: true },
    )
    await pair.walk('/api/values?limit=50&sort=name')
  })

  test('a mebibyte of different words', async () => {
    const words = Array.from({ length: 180_000 }, (_, index) => (index + 100_000_000).toString(36))
    const parts = Array.from({ length: 12 }, (_, index) => words.slice(index * 15_000, (index + 1) * 15_000).join(' '))
    const many = defineConfig({
      collections: {
        books: defineCollection({
          fields: { title: f.text(), body: f.markdown(), parts: f.list(f.markdown({ html: false })) },
        }),
      },
      limits: { bodyBytes: 4 * 1024 * 1024 },
    })
    expect(parts.join(' ').length).toBeGreaterThan(1024 * 1024)
    await using library = await Pair.open(many)
    const created = await make(library, 'books', { title: 'all', parts })
    expect(created.status).toBe(201)
    for (const word of [
      words[0],
      words[1000],
      words[60_000],
      words[90_000],
      words[110_000],
      words[130_000],
      words[179_999],
    ])
      await library.same(`/api/books?select=title&q=${word}`)
  })
})

describe('names of the maximum length', () => {
  const long = (letter: string, end = ''): string => letter.repeat(48 - end.length) + end
  const names = (more: object = {}): DaybookConfig =>
    defineConfig({
      collections: {
        [long('c')]: defineCollection({
          fields: {
            [long('t')]: f.text({ required: true, localized: true }),
            slug: f.slug({ from: long('t'), localized: true }),
            [long('s')]: f.status(),
            [long('u', 'a')]: f.text({ unique: true }),
            [long('u', 'b')]: f.integer({ unique: true }),
            [long('g')]: f.group({
              [long('g')]: f.group({ [long('n')]: f.integer(), [long('m')]: f.text({ localized: true }) }),
            }),
            [long('r')]: f.relation(long('c')),
            [long('f')]: f.relation(long('c'), { many: true }),
            ...more,
          },
        }),
        [long('c', 'd')]: defineCollection({ fields: { [long('t')]: f.text({ unique: true }) } }),
      },
      locales: { default: 'en', available: ['en', 'sl-rozaj-biske-1994', 'sl-rozaj-njiva-1994'] },
    })

  test('distinguish fields and collections, and name the field of a conflict', async () => {
    await using pair = await Pair.open(names())
    const collection = long('c')
    const nested = `${long('g')}.${long('g')}.${long('n')}`
    const body = (index: number): object => ({
      [long('t')]: `title ${index}`,
      [long('u', 'a')]: `a${index}`,
      [long('u', 'b')]: index,
      [long('g')]: { [long('g')]: { [long('n')]: -index, [long('m')]: `m${index}` } },
    })
    for (const index of [1, 2, 3]) await make(pair, collection, body(index), `e${index}`)
    const conflicts = [{ [long('u', 'a')]: 'a1' }, { [long('u', 'b')]: 1 }, { slug: 'title-1' }]
    for (const conflict of conflicts) {
      const { status, text } = await pair.same(`/api/${collection}`, {
        method: 'POST',
        json: { [long('t')]: 'x', ...conflict },
      })
      expect(status).toBe(409)
      expect(JSON.parse(text).details).toEqual({ field: Object.keys(conflict)[0] })
      await pair.same(`/api/${collection}/{e2}`, { method: 'PUT', json: conflict })
    }
    await make(pair, long('c', 'd'), { [long('t')]: 'd' })
    expect((await make(pair, long('c', 'd'), { [long('t')]: 'd' })).status).toBe(409)
    const locale = 'sl-rozaj-biske-1994'
    await pair.same(`/api/${collection}/{e1}?locale=${locale}`, {
      method: 'PUT',
      json: { [long('t')]: 'Ena', slug: 'ena' },
    })
    const clash = await pair.same(`/api/${collection}/{e2}?locale=${locale}`, {
      method: 'PUT',
      json: { [long('t')]: 'x', slug: 'ena' },
    })
    expect(clash.status).toBe(409)
    for (const query of ['', `&locale=${locale}`, '&locale=sl-rozaj-njiva-1994']) {
      await comparePages(pair, collection, [`${nested}${query}`, `${long('u', 'a')},${long('t')}${query}`], 3)
      await pair.same(`/api/${collection}?where[${nested}][lt]=-1&q=title${query}`)
    }
  })

  test.each(STORES)('survive changes of the config on $name', async (store) => {
    await using place = await store.at()
    const collection = long('c')
    const id = await place.serve(
      names(),
      async (service) => (await create(service, collection, { [long('t')]: 'One' })).id,
    )
    const locale = { locale: 'sl-rozaj-biske-1994' }
    await place.serve(names({ [long('x')]: f.integer() }), async ({ content }) => {
      await content.update(collection, id, { [long('t')]: 'Ena', [long('x')]: 5 } as never, { ...locale })
      expect(await content.as(ANONYMOUS).get(collection, id, locale)).toMatchObject({
        [long('t')]: 'Ena',
        [long('x')]: 5,
      })
    })
    const before = await place.schema()
    await place.serve(names(), async ({ content }) => {
      expect(await content.as(ANONYMOUS).list(collection, { ...locale, q: 'ena', sort: long('t') })).toMatchObject({
        total: 1,
      })
    })
    await place.start(names({ [long('x')]: f.integer() }))
    expect(await place.schema()).toEqual(before)
  })
})
