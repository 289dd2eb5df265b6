import { ANONYMOUS, SYSTEM } from 'daybook'
import { describe, expect, test } from 'vitest'
import { KEPT_IDS, library } from '../../support/configs/library.ts'
import { parseBody, sendRequest as send } from '../../support/scenarios/client.ts'
import { runScenarios, type Scenario, type Step } from '../../support/scenarios/scenario.ts'
import { get, put, refused, remove, slugs } from '../../support/scenarios/steps.ts'
import { STORES } from '../../support/stores/stores.ts'
import { finds, findsAll, path } from './where-steps.ts'

/** `[operator, value, slugs]` for each filter on a field. */
type Cases = readonly (readonly [operator: string, value: string, expected: string])[]

const toSteps = (field: string, cases: Cases): readonly Step[] =>
  cases.map(([operator, value, expected]) => finds(`where[${field}][${operator}]=${value}`, expected))

/** Unless noted otherwise, `a` and `b` have a value, and `c` and `d` have none. */
const FIELDS: Readonly<Record<string, Cases>> = {
  title: [
    ['eq', 'Alpha', 'a'],
    ['eq', 'alpha', ''],
    ['ne', 'Alpha', 'bcd'],
    ['lt', 'Beta', 'a'],
    ['lte', 'Beta', 'ab'],
    ['gt', 'Delta', 'c'],
    ['gte', 'Delta', 'cd'],
    ['in', 'Alpha,Gamma,Nobody', 'ac'],
    ['nin', 'Alpha,Gamma,Nobody', 'bd'],
    ['exists', 'true', 'abcd'],
    ['exists', 'false', ''],
    ['startsWith', 'Al', 'a'],
    ['startsWith', 'l', ''],
    ['contains', 'lt', 'd'],
    ['contains', 'a', 'abcd'],
  ],
  pages: [
    ['eq', '100', 'a'],
    ['eq', '1e2', 'a'],
    ['ne', '100', 'bcd'],
    ['lt', '200', 'a'],
    ['lte', '200', 'ab'],
    ['gt', '100', 'bd'],
    ['gt', '99', 'abd'],
    ['gte', '200', 'bd'],
    ['in', '100,300', 'ad'],
    ['nin', '100,300', 'bc'],
    ['exists', 'true', 'abd'],
    ['exists', 'false', 'c'],
  ],
  price: [
    ['eq', '9.5', 'a'],
    ['eq', '9.50', 'a'],
    ['eq', '-1e-7', 'b'],
    ['ne', '9.5', 'bcd'],
    ['lt', '0', 'b'],
    ['lte', '-1e-7', 'b'],
    ['gt', '-1', 'ab'],
    ['gte', '9.5', 'a'],
    ['in', '9.5,-0.0000001', 'ab'],
    ['nin', '9.5', 'bcd'],
    ['exists', 'false', 'cd'],
  ],
  lent: [
    ['eq', 'true', 'a'],
    ['eq', 'false', 'b'],
    ['ne', 'true', 'bcd'],
    ['ne', 'false', 'acd'],
    ['in', 'true,false', 'ab'],
    ['nin', 'false', 'acd'],
    ['exists', 'true', 'ab'],
    ['exists', 'false', 'cd'],
  ],
  day: [
    ['eq', '2026-01-01', 'a'],
    ['ne', '2026-01-01', 'bcd'],
    ['lt', '2026-02-01', 'a'],
    ['lte', '2026-02-01', 'ab'],
    ['gt', '2026-01-01', 'b'],
    ['gte', '2025-12-31', 'ab'],
    ['in', '2026-02-01,2026-03-01', 'b'],
    ['nin', '2026-02-01', 'acd'],
    ['exists', 'false', 'cd'],
  ],
  moment: [
    ['eq', '2026-01-01T10:00:00Z', 'a'],
    ['eq', '2026-01-01T11:30:00%2B01:30', 'a'],
    ['eq', '2026-02-01', 'b'],
    ['ne', '2026-01-01T10:00:00.000Z', 'bcd'],
    ['lt', '2026-01-01T10:00:00.001Z', 'a'],
    ['lte', '2026-01-01', ''],
    ['gt', '2026-01-01', 'ab'],
    ['gte', '2026-01-01T10:00:00-00:30', 'b'],
    ['in', '2026-01-01T10:00:00Z,2026-02-01', 'ab'],
    ['nin', '2026-01-01T10:00:00Z', 'bcd'],
    ['exists', 'false', 'cd'],
  ],
  genre: [
    ['eq', 'novel', 'a'],
    ['ne', 'novel', 'bcd'],
    ['lt', 'novel', 'b'],
    ['gte', 'essay', 'ab'],
    ['in', 'novel,essay', 'ab'],
    ['nin', 'novel', 'bcd'],
    ['exists', 'true', 'ab'],
  ],
  mail: [
    ['eq', 'alpha@example.org', 'a'],
    ['startsWith', 'alpha', 'a'],
    ['contains', '@example.', 'ab'],
    ['nin', 'alpha@example.org,beta@example.org', 'cd'],
    ['exists', 'false', 'cd'],
  ],
  link: [
    ['eq', 'https://example.org/alpha', 'a'],
    ['startsWith', 'https://example.n', 'b'],
    ['gt', 'https://example.o', 'a'],
    ['contains', '//example', 'ab'],
    ['exists', 'true', 'ab'],
  ],
  slug: [
    ['eq', 'a', 'a'],
    ['ne', 'a', 'bcd'],
    ['lt', 'b', 'a'],
    ['gte', 'c', 'cd'],
    ['in', 'a,d,e', 'ad'],
    ['startsWith', 'c', 'c'],
    ['contains', 'd', 'd'],
    ['exists', 'false', ''],
  ],
  status: [
    ['eq', 'published', 'abcd'],
    ['ne', 'draft', 'abcd'],
    ['in', 'published,draft', 'abcd'],
    ['eq', 'draft', ''],
    ['nin', 'published', ''],
    ['exists', 'true', 'abcd'],
  ],
  author: [
    ['eq', '{ann}', 'a'],
    ['ne', '{ann}', 'bcd'],
    ['in', '{ann},{bob}', 'ab'],
    ['nin', '{ann},{bob}', 'cd'],
    ['exists', 'true', 'abd'],
    ['exists', 'false', 'c'],
  ],
  id: [
    ['eq', '{a}', 'a'],
    ['ne', '{a}', 'bcd'],
    ['in', '{a},{ann}', 'a'],
    ['nin', '{a}', 'bcd'],
    ['gt', '{a}', 'bcd'],
    ['lte', '{a}', 'a'],
    ['exists', 'true', 'abcd'],
  ],
  createdAt: [
    ['gt', '2000-01-01', 'abcd'],
    ['lt', '2000-01-01T00:00:00Z', ''],
    ['lte', '9999-12-31', 'abcd'],
    ['ne', '2000-01-01', 'abcd'],
    ['exists', 'false', ''],
  ],
  'meta.rank': [
    ['eq', '1', 'a'],
    ['ne', '1', 'bcd'],
    ['gte', '1', 'ab'],
    ['exists', 'false', 'cd'],
  ],
  'meta.editor': [
    ['eq', '{bob}', 'a'],
    ['ne', '{bob}', 'bcd'],
    ['exists', 'true', 'a'],
  ],
}

const MANY: Readonly<Record<string, Cases>> = {
  moods: [
    ['in', 'dark', 'a'],
    ['in', 'dark,funny', 'ab'],
    ['in', 'slow', ''],
    ['all', 'dark,funny', 'a'],
    ['all', 'funny', 'ab'],
    ['all', 'funny,funny', 'ab'],
    ['all', 'dark,slow', ''],
    ['nin', 'dark', 'bcd'],
    ['nin', 'dark,funny', 'cd'],
    ['exists', 'true', 'ab'],
    ['exists', 'false', 'cd'],
  ],
  authors: [
    ['in', '{ann}', 'ad'],
    ['in', '{ann},{bob}', 'abd'],
    ['all', '{ann},{bob}', 'a'],
    ['all', '{ann}', 'ad'],
    ['nin', '{ann}', 'bc'],
    ['nin', '{ann},{bob}', 'c'],
    ['exists', 'true', 'abd'],
    ['exists', 'false', 'c'],
  ],
  'meta.tones': [
    ['in', 'cold', 'b'],
    ['all', 'warm,cold', 'b'],
    ['nin', 'cold', 'acd'],
    ['exists', 'false', 'cd'],
  ],
  'meta.readers': [
    ['in', '{ann}', 'a'],
    ['nin', '{bob}', 'acd'],
    ['exists', 'true', 'ab'],
  ],
}

const EACH_FIELD: readonly Scenario[] = Object.entries({ ...FIELDS, ...MANY }).map(([field, cases]) => ({
  name: `compares ${field} by its type`,
  config: library,
  steps: [...KEPT_IDS, ...toSteps(field, cases)],
}))

runScenarios('a filter', EACH_FIELD)

runScenarios('combined filters', [
  {
    name: 'must all match, also several on one field',
    config: library,
    steps: [
      finds('where[pages][gt]=100&where[title][ne]=Beta', 'd'),
      finds('where[pages][gte]=100&where[pages][lt]=300', 'ab'),
      finds('where[and][0][pages][gte]=100&where[and][1][pages][lt]=300', 'ab'),
      finds('where[and][0][pages][gte]=100&where[and][0][lent][eq]=true', 'a'),
      finds('where[or][0][title][eq]=Gamma&where[or][1][pages][gt]=200', 'cd'),
      finds('where[or][0][title][eq]=Gamma&where[or][0][pages][gt]=200', ''),
      finds('where[or][0][title][eq]=Gamma&where[or][1][pages][gt]=200&where[slug][ne]=c', 'd'),
      finds('where[or][7][title][eq]=Gamma&where[or][42][pages][gt]=200', 'cd'),
      finds('where[or][0][and][0][pages][gt]=100&where[or][0][and][1][pages][lt]=300&where[or][1][slug][eq]=c', 'bc'),
    ],
  },
  {
    name: 'match or do not match, never both: a missing value differs from every value and fails all other comparisons',
    config: library,
    steps: [
      ...KEPT_IDS,
      finds('where[not][pages][eq]=100', 'bcd'),
      finds('where[not][pages][ne]=100', 'a'),
      finds('where[not][pages][gt]=100', 'ac'),
      finds('where[not][pages][lte]=100', 'bcd'),
      finds('where[not][pages][in]=100,300', 'bc'),
      finds('where[not][pages][nin]=100,300', 'ad'),
      finds('where[not][pages][exists]=true', 'c'),
      finds('where[not][pages][exists]=false', 'abd'),
      finds('where[not][lent][eq]=true', 'bcd'),
      finds('where[not][mail][startsWith]=alpha', 'bcd'),
      finds('where[not][mail][contains]=example', 'cd'),
      finds('where[not][moods][in]=dark', 'bcd'),
      finds('where[not][moods][all]=dark,funny', 'bcd'),
      finds('where[not][moods][nin]=dark', 'a'),
      finds('where[not][moods][exists]=true', 'cd'),
      finds('where[not][author][eq]={ann}', 'bcd'),
    ],
  },
  {
    name: 'are negated as a whole by not',
    config: library,
    steps: [
      finds('where[not][pages][gte]=100&where[not][lent][eq]=true', 'bcd'),
      finds('where[not][pages][gt]=100&where[not][pages][lt]=300', 'acd'),
      finds('where[not][or][0][pages][eq]=100&where[not][or][1][pages][eq]=300', 'bc'),
      finds('where[not][and][0][pages][gt]=100&where[not][and][1][pages][lt]=300', 'acd'),
      finds('where[not][not][pages][gt]=100', 'bd'),
      finds('where[not][not][not][pages][gt]=100', 'ac'),
      finds('where[not][or][0][not][pages][gt]=100&where[not][or][1][slug][eq]=b', 'd'),
      finds('where[or][0][not][pages][gt]=100&where[or][1][slug][eq]=b', 'abc'),
    ],
  },
])

runScenarios('a filter through a relation', [
  {
    name: 'matches if a related entry matches, once for each entry',
    config: library,
    steps: [
      ...KEPT_IDS,
      finds('where[author.name][eq]=Ann', 'a'),
      finds('where[author.name][in]=Ann,Bob', 'ab'),
      finds('where[author.age][gte]=30', 'ab'),
      finds('where[author.age][ne]=30', 'b'),
      finds('where[author.id][eq]={bob}', 'b'),
      finds('where[author.slug][startsWith]=a', 'a'),
      finds('where[author.createdAt][gt]=2000-01-01', 'ab'),
      finds('where[author.home.city][eq]=Wien', 'a'),
      finds('where[author.home.city][exists]=false', 'b'),
      finds('where[author.employer][eq]={acme}', 'a'),
      finds('where[author.skills][in]=ink,glue', 'ab'),
      finds('where[author.skills][all]=ink,glue', 'a'),
      finds('where[author.skills][nin]=ink', 'b'),
      finds('where[author.circle][in]={ann}', 'b'),
      finds('where[authors.name][in]=Ann,Bob', 'abd'),
      finds('where[authors.name][eq]=Ann', 'ad'),
      finds('where[authors.age][gt]=30', 'ab'),
      finds('where[authors.skills][all]=ink,glue', 'ad'),
      finds('where[publisher.country][eq]=AT', 'a'),
      finds('where[meta.editor.name][eq]=Bob', 'a'),
      finds('where[meta.readers.name][eq]=Bob', 'b'),
      get('/api/people?where[mentor.name][eq]=Ann', { body: { total: 1, ...slugs('bob') } }),
    ],
  },
  {
    name: 'is negated as a whole: not matches if no related entry matches',
    config: library,
    steps: [
      finds('where[not][author.name][eq]=Ann', 'bcd'),
      finds('where[not][authors.name][eq]=Ann', 'bc'),
      finds('where[not][author.name][ne]=Ann', 'acd'),
      finds('where[not][author.name][exists]=true', 'cd'),
      finds('where[or][0][author.name][eq]=Bob&where[or][1][title][eq]=Gamma', 'bc'),
      finds('where[author.name][eq]=Ann&where[authors.name][eq]=Bob', 'a'),
    ],
  },
  {
    name: 'matches related drafts only with a session',
    config: library,
    steps: [
      finds('where[author.age][eq]=50', ''),
      findsAll('where[author.age][eq]=50', 'd'),
      finds('where[author.age][exists]=true', 'ab'),
      findsAll('where[author.age][exists]=true', 'abde'),
      finds('where[authors.age][gte]=50', ''),
      findsAll('where[authors.age][gte]=50', 'd'),
      finds('where[author.status][eq]=draft', ''),
      findsAll('where[author.status][eq]=draft', 'd'),
      finds('where[not][author.age][eq]=50', 'abcd'),
      findsAll('where[not][author.age][eq]=50', 'abce'),
      finds('where[author.employer][exists]=true', 'a'),
      findsAll('where[author.employer][exists]=true', 'ade'),
      finds('where[meta.readers.age][eq]=50', ''),
      findsAll('where[meta.readers.age][eq]=50', 'a'),
    ],
  },
  {
    name: 'follows one relation only',
    config: library,
    steps: [
      refused('/api/books?where[author.mentor.name][eq]=Ann', 'where[author.mentor.name]'),
      refused('/api/books?where[author.employer.country][eq]=AT', 'where[author.employer.country]'),
      refused('/api/people?where[mentor.mentor.mentor.name][eq]=x', 'where[mentor.mentor.mentor.name]'),
    ],
  },
])

runScenarios('a filter with other parameters', [
  {
    name: 'narrows the search, the status, the count and the order',
    config: library,
    steps: [
      finds('q=alpha&where[pages][eq]=100', 'a'),
      finds('q=alpha&where[pages][eq]=200', ''),
      get('/api/books?q=a&where[pages][lt]=200', { body: { total: 1, ...slugs('a') } }),
      get('/api/books?q=alpha&where[author.name][eq]=Ann', { body: { total: 1, ...slugs('a') } }),
      get('/api/books?where[pages][exists]=true&sort=-pages', { body: { total: 3, ...slugs('d', 'b', 'a') } }),
      get('/api/books?where[pages][exists]=true&limit=0', { body: { total: 3, items: [], nextCursor: null } }),
      get('/api/books?where[pages][exists]=true&sort=pages&limit=1&offset=1', { body: { total: 3, ...slugs('b') } }),
      finds('status=draft&where[pages][gt]=0', ''),
      findsAll('status=draft&where[pages][gt]=0', 'e'),
      findsAll('status=draft,published&where[pages][gt]=200', 'de'),
      get('/api/books?where[slug][eq]=a&select=title&include=author&select=author.name', {
        body: { items: [{ title: 'Alpha', author: { name: 'Ann' } }] },
      }),
    ],
  },
  {
    name: 'must be repeated with its cursor',
    config: library,
    steps: [
      get(path('where[pages][exists]=true&limit=1'), {
        body: { total: 3, ...slugs('a') },
        keep: { next: '/nextCursor' },
      }),
      get(path('where[pages][exists]=true&limit=1&cursor={next}'), {
        body: { total: 3, ...slugs('b') },
        keep: { last: '/nextCursor' },
      }),
      get(path('where[pages][exists]=true&limit=1&cursor={last}'), { body: { ...slugs('d'), nextCursor: null } }),
      refused(path('where[pages][exists]=false&limit=1&cursor={next}'), 'cursor'),
      refused(path('limit=1&cursor={next}'), 'cursor'),
      refused(path('where[pages][gt]=0&limit=1&cursor={next}'), 'cursor'),
    ],
  },
  {
    name: 'changes the tag of the list only if an entry that it compares changes',
    config: library,
    steps: [
      ...KEPT_IDS,
      get(path('where[author.name][eq]=Ann'), { keep: { t0: 'ETag' } }),
      get(path('where[title][eq]=Alpha'), { keep: { own: 'ETag' } }),
      put('/api/companies/{acme}', { country: 'DE' }),
      put('/api/people/{cyd}', { age: 51 }),
      get(path('where[author.name][eq]=Ann'), { headers: { 'If-None-Match': '{t0}' }, status: 304 }),
      put('/api/people/{bob}', { name: 'Ann' }),
      finds('where[author.name][eq]=Ann', 'ab', { headers: { 'If-None-Match': '{t0}' }, keep: { t1: 'ETag' } }),
      get(path('where[title][eq]=Alpha'), { headers: { 'If-None-Match': '{own}' }, status: 304 }),
      put('/api/people/{bob}', { status: 'draft' }),
      finds('where[author.name][eq]=Ann', 'a', { headers: { 'If-None-Match': '{t1}' }, keep: { t2: 'ETag' } }),
      get(path('where[not][or][0][publisher.country][eq]=AT'), { keep: { t3: 'ETag' } }),
      put('/api/companies/{acme}', { country: 'AT' }),
      finds('where[not][or][0][publisher.country][eq]=AT', 'bcd', { headers: { 'If-None-Match': '{t3}' } }),
      get(path('where[author.name][eq]=Ann'), { headers: { 'If-None-Match': '{t2}' }, status: 304 }),
      remove('/api/people/{ann}'),
      finds('where[author.name][eq]=Ann', '', { headers: { 'If-None-Match': '{t2}' } }),
    ],
  },
  {
    name: 'has its own tag for every value, and equal responses for equal requests',
    config: library,
    steps: [
      get(path('where[pages][gt]=100'), { keep: { tag: 'ETag' } }),
      ...['where[pages][gt]=101', 'where[pages][gte]=100', 'where[not][pages][gt]=100', ''].map((filter) =>
        get(path(filter).replace(/&$/, ''), { headers: { 'If-None-Match': '{tag}' } }),
      ),
      get(path('where[pages][gt]=100'), { headers: { 'If-None-Match': '{tag}' }, status: 304 }),
      get(path('where%5Bpages%5D%5Bgt%5D=100'), { headers: { 'If-None-Match': '{tag}' }, status: 304 }),
    ],
  },
])

describe.each(STORES)('a filter on $name', (store) => {
  test('accepts ids in upper case, also together with the same id in lower case', async () => {
    const service = await store.open(library)
    try {
      const ann = String(parseBody(await send(service, '/api/people/ann')).id)
      const find = async (filter: string): Promise<unknown> =>
        parseBody(await send(service, `/api/books?limit=0&where${filter}`)).total
      expect(await find(`[author][eq]=${ann.toUpperCase()}`)).toBe(1)
      expect(await find(`[authors][in]=${ann.toUpperCase()}`)).toBe(2)
      expect(await find(`[authors][all]=${ann},${ann.toUpperCase()}`)).toBe(2)
    } finally {
      await service.close()
    }
  })

  test('is the same in process as over HTTP, for every kind of caller', async () => {
    const service = await store.open(library)
    const findSlugs = async (where: object, caller = ANONYMOUS): Promise<string> => {
      const { items, total } = await service.content.as(caller).list('books', { where: where as never, sort: 'slug' })
      expect(items).toHaveLength(total)
      return items.map((item) => String(item.slug)).join('')
    }
    try {
      expect(await findSlugs({ pages: { gt: 100 } })).toBe('bd')
      expect(await findSlugs({ pages: { gt: 100 } }, SYSTEM)).toBe('bde')
      expect(await findSlugs({ pages: { gte: 100, lt: 300 }, lent: { eq: true } })).toBe('a')
      expect(await findSlugs({ or: [{ title: { eq: 'Gamma' } }, { not: { pages: { lt: 300 } } }] })).toBe('cd')
      expect(await findSlugs({ moods: { all: ['dark', 'funny'] } })).toBe('a')
      expect(await findSlugs({ 'author.name': { in: ['Ann', 'Bob'] } })).toBe('ab')
      expect(await findSlugs({ 'author.secret': { startsWith: 'zq' } }, SYSTEM)).toBe('ae')
      expect(await findSlugs({})).toBe('abcd')
      for (const where of [
        { 'author.secret': { eq: 'x' } },
        { 'owner.name': { eq: 'x' } },
        { nobody: { eq: 'x' } },
        { pages: { eq: '1.5' } },
        { pages: 100 },
        { pages: { eq: null } },
        { day: { eq: '2026-02-30' } },
      ])
        await expect(findSlugs(where), JSON.stringify(where)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    } finally {
      await service.close()
    }
  })

  test('accepts a text with a comma as one value in process', async () => {
    const service = await store.open(library)
    try {
      await service.content.create('books', { title: 'One, two' } as never)
      const { total } = await service.content.as(ANONYMOUS).list('books', { where: { title: { in: ['One, two'] } } })
      expect(total).toBe(1)
    } finally {
      await service.close()
    }
  })
})
