import { describe, expect, test, vi } from 'vitest'
import blog from '../../../../../examples/blog/daybook.config.ts'
import { kitchen } from '../../support/configs/configs.ts'
import { multilingual } from '../../support/configs/locales.ts'
import { parseBody } from '../../support/scenarios/client.ts'
import { Pair } from '../../support/stores/pair.ts'
import { compareFilters, comparePages, encode, extremes, make } from './compare-stores.ts'

vi.mock('uuid', async () => ({ v7: (await import('../../support/stores/fixed-ids.ts')).fixedId }))

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
      const page = parseBody(await pair.same(`/api/values?q=${encode(word)}`))
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
