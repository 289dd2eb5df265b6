import { ANONYMOUS, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import blog from '../../../../../examples/blog/daybook.config.ts'
import { kitchen } from '../../support/configs/configs.ts'
import { multilingual } from '../../support/configs/locales.ts'
import { bodyOf } from '../../support/scenarios/client.ts'
import { Pair } from '../../support/stores/pair.ts'
import { create } from '../../support/stores/place.ts'
import { STORES } from '../../support/stores/stores.ts'

vi.mock('uuid', async () => ({ v7: (await import('../../support/stores/fixed-ids.ts')).fixedId }))

const encode = encodeURIComponent

/** Creates an entry on both stores. */
const make = (pair: Pair, collection: string, json: object, keep = 'id'): Promise<{ readonly status: number }> =>
  pair.same(`/api/${collection}`, { method: 'POST', json, keep: { [keep]: '/id', [`${keep}Tag`]: 'etag' } })

const OPERATORS = ['eq', 'ne', 'in', 'nin', 'lt', 'lte', 'gt', 'gte', 'startsWith', 'contains', 'exists', 'all', 'like']

/** Filters by each operator with each value, on some fields. */
async function compareFilters(
  pair: Pair,
  collection: string,
  fields: readonly string[],
  values: readonly string[],
): Promise<void> {
  for (const field of fields) {
    for (const operator of OPERATORS) {
      for (const value of values) {
        await pair.same(`/api/${collection}?limit=100&sort=id&where[${field}][${operator}]=${encode(value)}`, {
          auth: true,
        })
      }
    }
  }
}

/** Sorts by each field in both directions, and reads page by page. */
async function comparePages(pair: Pair, collection: string, fields: readonly string[], count: number): Promise<void> {
  for (const field of fields.flatMap((key) => [key, `-${key}`])) {
    expect(await pair.walk(`/api/${collection}?limit=3&sort=${field}`, { auth: true }), field).toBe(count)
  }
}

describe('the same requests to both stores get the same responses', () => {
  test('creates, updates, deletes, and rejected writes', async () => {
    await using pair = await Pair.open(kitchen)
    await make(pair, 'things', { title: 'One', code: 'AA1', kinds: ['b', 'a'], data: { z: 1, a: [null, {}] } }, 'one')
    await make(pair, 'things', { title: 'Two', parent: '{one}', friends: ['{one}'], status: 'draft' }, 'two')
    await make(pair, 'things', { title: 'One', seo: { title: 's', inner: { rank: -5 } }, words: [], rows: [] })
    await make(pair, 'things', { title: 'One', slug: 'one' })
    await make(pair, 'things', { title: 'Three', code: 'AA1' })
    await make(pair, 'things', { title: 'Three', parent: '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2' })
    await make(pair, 'things', { title: '', code: 'x', amount: 1e10, flag: 1, nope: 2, friends: ['{one}', '{one}'] })
    await pair.same('/api/things/{one}', {
      method: 'PUT',
      json: { title: 'Uno', body: '*a* <b>' },
      keep: { tag: 'etag' },
    })
    await pair.same('/api/things/{one}', { method: 'PUT', json: { title: 'Uno' } })
    const stale = { headers: { 'If-Match': '{oneTag}' } }
    await pair.same('/api/things/{one}', { method: 'PUT', json: { title: 'X' }, ...stale })
    await pair.same('/api/things/{one}', { method: 'DELETE', ...stale })
    await pair.same('/api/things/{two}', { method: 'PUT', json: { code: 'AA1' } })
    const merge = { 'Content-Type': 'application/merge-patch+json' }
    await pair.same('/api/things/{one}', {
      method: 'PATCH',
      json: { seo: { title: 'p' }, count: null },
      headers: merge,
    })
    await pair.same('/api/things/{one}/references', { auth: true })
    await pair.same('/api/things/uno?include=parent,friends')
    await pair.same('/api/things/{two}?include=parent,friends&select=title,parent', { auth: true })
    await pair.same('/api/things/one', { headers: { 'If-None-Match': '{tag}' } })
    await pair.same('/api/things', { headers: { 'If-None-Match': '*' } })
    const operations = [
      { op: 'create', collection: 'things', data: { title: 'In a batch', friends: ['{two}'] } },
      { op: 'update', collection: 'things', id: '{two}', data: { status: 'published' } },
      { op: 'delete', collection: 'things', id: '{one}' },
    ]
    await pair.same('/api/cms/batch', { method: 'POST', json: { operations } })
    await pair.same('/api/cms/batch', { method: 'POST', json: { operations } })
    const once = { method: 'POST', json: { title: 'Once' }, headers: { 'Idempotency-Key': 'k' } }
    await pair.same('/api/things', once)
    await pair.same('/api/things', once)
    await pair.same('/api/things', { ...once, json: { title: 'Twice' } })
    await pair.same('/api/globals/site', { method: 'PUT', json: { siteName: 'S', about: '# a' } })
    await pair.same('/api/globals/site', { method: 'PUT', json: {} })
    await pair.same('/api/globals/site')
    await pair.same('/api/globals/banner', { method: 'PUT', json: { text: 'x' } })
    for (const path of ['things', 'things/two', 'nobody', 'things/nobody', 'globals/nobody', 'things/%00', 'members'])
      await pair.same(`/api/${path}`)
    expect(await pair.walk('/api/things?limit=2', { auth: true })).toBe(4)
  })

  /** Creates things with every kind of value, and with none. */
  async function furnished(): Promise<Pair> {
    const pair = await Pair.open(kitchen)
    await make(pair, 'things', { title: 'empty', count: null, kind: null }, 'a')
    await make(pair, 'things', { title: 'émpty', status: 'draft', amount: 0, flag: false, kinds: [], words: [] }, 'b')
    const seo = { title: 'Ünder', inner: { rank: 3 } }
    const full = { code: 'AB1', amount: -1.5, flag: true, day: '2026-02-28', moment: '2026-02-28T23:59:59.999Z', seo }
    await make(pair, 'things', { title: 'Full', kinds: ['c', 'a'], mail: 'a@b.example', parent: '{a}', ...full }, 'c')
    const other = {
      title: 'full',
      kind: 'blue',
      kinds: ['b'],
      link: 'https://x.example/%20?a=1',
      friends: ['{a}', '{c}'],
    }
    await make(
      pair,
      'things',
      { ...other, seo: { title: 'ünder' }, amount: 1e9, count: -3, body: 'words of *all*' },
      'd',
    )
    await make(pair, 'things', { title: '100%_\\\'"', amount: 0.1, day: '0001-01-01', status: 'archived', body: 'all' })
    for (const title of ['日本', '\u{1f389} \u{20000}', '\ufffd\uffff', 'ß', 'ss', 'Z', 'a\u0301', 'á']) {
      await make(pair, 'things', { title, amount: title.length, moment: '1969-12-31T23:59:59.001+05:30' })
    }
    return pair
  }
  const COUNT = 13
  const TEXTS = ['title', 'slug', 'status', 'code', 'kind', 'mail', 'link', 'seo.title']
  const OTHER_FIELDS = [
    'id',
    'amount',
    'count',
    'flag',
    'day',
    'moment',
    'createdAt',
    'updatedAt',
    'seo.inner.rank',
    'parent',
  ]

  test('every sort order, page by page, including missing values', async () => {
    await using pair = await furnished()
    await comparePages(
      pair,
      'things',
      [...TEXTS, ...OTHER_FIELDS, 'kind,-amount', 'flag,-day,title', 'status,-moment'],
      COUNT,
    )
    for (const query of ['limit=0', 'limit=1&offset=3', 'offset=99', 'limit=1000', 'sort=-title&status=draft,archived'])
      await pair.same(`/api/things?${query}`, { auth: true })
    for (const query of [
      'status=draft',
      'sort=nope',
      'limit=-1',
      'cursor=abc',
      'q=all&sort=title',
      'select=title,kinds',
    ])
      await pair.same(`/api/things?${query}`)
  })

  test('every operator on every field', async () => {
    await using pair = await furnished()
    const texts = ['', 'full', 'Full', 'f', 'é', 'z', '%', '_', "'", '\\', 'AB1', 'published', 'blue,red', '\u{20000}']
    await compareFilters(pair, 'things', TEXTS, [...texts, '日本', '\uffff', 'https://x.example/'])
    const numbers = [
      '0',
      '-0',
      '0.1',
      '-1.5',
      '1e9',
      '3',
      'x',
      '1,3,-3',
      'true',
      'false',
      '2026-02-28',
      '{c}',
      '{a},{c}',
    ]
    await compareFilters(pair, 'things', OTHER_FIELDS, [...numbers, '2026-02-28T23:59:59.999Z', '0001-01-01'])
    await compareFilters(
      pair,
      'things',
      ['kinds', 'friends', 'parent.title', 'friends.amount', 'friends.kinds'],
      [...['a', 'a,c', 'b,nope', '{a}', '{a},{c}', 'empty', '0', 'true', 'false', '']],
    )
    for (const where of [
      'where[or][0][title][eq]=full&where[or][1][amount][lt]=0',
      'where[not][title][startsWith]=f&where[amount][exists]=true',
      'where[not][or][0][kinds][in]=a&where[not][or][1][flag][eq]=false',
      'where[and][0][not][seo.inner.rank][gt]=3&q=all',
    ])
      await pair.same(`/api/things?${where}&sort=title`, { auth: true })
  })

  test('entries in several locales', async () => {
    await using pair = await Pair.open(multilingual)
    await make(pair, 'people', { name: 'Inés' }, 'ines')
    await make(pair, 'pages', { title: 'One', body: 'apple *pie*', author: '{ines}', seo: { title: 'a' } }, 'one')
    await make(
      pair,
      'pages',
      { title: 'Two', links: [{ _key: 'l', label: 'l' }], keywords: ['k'], status: 'draft' },
      'two',
    )
    const german = { title: 'Eins', slug: 'eins', body: 'Apfel', seo: { title: null } }
    await pair.same('/api/pages/{one}?locale=de', { method: 'PUT', json: german })
    await pair.same('/api/pages/{two}?locale=fr', { method: 'PUT', json: { title: 'Deux', slug: 'eins' } })
    await pair.same('/api/pages?locale=de', { method: 'POST', json: { title: 'Nur deutsch', slug: 'eins' } })
    for (const locale of ['en', 'de', 'de-ch', 'fr', 'all', 'xx']) {
      for (const query of ['', '&sort=title', '&q=apfel', '&q=apple', '&where[title][startsWith]=E', '&include=author'])
        for (const auth of [true, false]) await pair.same(`/api/pages?locale=${locale}${query}`, { auth })
      for (const slug of ['one', 'eins', 'two']) await pair.same(`/api/pages/${slug}?locale=${locale}`)
      await pair.same(`/api/pages/one?locale=de&fallbackLocale=${locale}`)
    }
    await pair.same('/api/people/{ines}', { method: 'DELETE' })
    await pair.same('/api/pages?locale=de&sort=-title', { auth: true })
  })

  test('the example blog', async () => {
    await using pair = await Pair.open(blog)
    for (const key of ['posts', 'authors', 'tags', 'pages'])
      for (const query of ['', '?limit=2&sort=-updatedAt', '?q=the', '?locale=de&sort=title', '?locale=all'])
        await pair.same(`/api/${key}${query}`)
  })
})

/** Texts and numbers that engines store differently. */
const extremes: DaybookConfig = defineConfig({
  collections: {
    values: defineCollection({
      fields: {
        name: f.text({ unique: true }),
        long: f.text({ index: false }),
        link: f.url({ unique: true }),
        number: f.number(),
        integer: f.integer({ unique: true }),
        data: f.json(),
      },
    }),
  },
})

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
      Number(bodyOf(await pair.same('/api/values?limit=0')).total),
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

/** Words of many scripts, some with letters that engines may treat differently. */
const WORDS = [
  'hello',
  'straße',
  'ŁÓDŹ',
  'Ελλάδος',
  'ΟΔΟΣ',
  'привет',
  'Ёлка',
  'հայերեն',
  'שָׁלוֹם',
  'العَرَبِيَّة',
  'پارسی',
  'हिन्दी',
  'বাংলা',
  'ਪੰਜਾਬੀ',
  'ગુજરાતી',
  'தமிழ்',
  'తెలుగు',
  'ಕನ್ನಡ',
  'മലയാളം',
  'සිංහල',
  'ภาษาไทย',
  'ພາສາລາວ',
  'ភាសាខ្មែរ',
  'မြန်မာ',
  'བོད་ཡིག',
  'ქართული',
  'ᲥᲐᲠᲗᲣᲚᲘ',
  'አማርኛ',
  'ᏣᎳᎩ',
  'ꮳꮃꭹ',
  'ᐃᓄᒃᑎᑐᑦ',
  'ᚠᚢᚦ',
  'ᠮᠣᠩᠭᠣᠯ',
  'ᦺᦑᦟᦹᧉ',
  '한국어',
  'ひらがな',
  'カタカナ',
  '漢字',
  '𠀋𡈽',
  '𞤀𞤣𞤤𞤢𞤥',
  '𐓏𐓘𐓻',
  '𐐔𐐯𐑅',
  '𝔘𝔫𝔦',
  'Ⅷ',
  '①②',
  '٣٤٥',
  '१२३',
  'ﬁnale',
  'İstanbul',
  'ıssız',
  'ǅ',
  'ﬅ',
  'Ａｂｃ',
  'ĳs',
  'œuvre',
  'ſmall',
  'naïve',
  '½',
  'x²',
] as const

describe('words of every script are found by both stores', () => {
  test('as whole words, by their beginnings, and in any case', async () => {
    await using pair = await Pair.open(extremes)
    for (const word of WORDS) await make(pair, 'values', { name: `${word} kept`, long: `in ${word}, too` })
    for (const word of WORDS) {
      const page = bodyOf(await pair.same(`/api/values?q=${encode(word)}`))
      if (/\p{L}|\p{N}/u.test(word)) expect(Number(page.total), word).toBeGreaterThan(0)
      const points = [...word]
      const beginnings = points.map((_, index) => points.slice(0, index + 1).join(''))
      for (const text of [
        ...beginnings,
        word.toUpperCase(),
        word.toLowerCase(),
        `${word} kept`,
        `kept ${word}`,
        `${word}x`,
      ])
        await pair.same(`/api/values?limit=5&q=${encode(text)}`)
    }
  })
})
