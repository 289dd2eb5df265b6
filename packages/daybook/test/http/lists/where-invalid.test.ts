import { expect } from 'vitest'
import { KEPT_IDS, library } from '../../support/configs/library.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, refused, slugs } from '../../support/scenarios/steps.ts'
import { bad, finds, findsAll, unknownTo } from './where-steps.ts'

const OPERATORS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'exists', 'startsWith', 'contains', 'all', 'nope']

runScenarios('a filter on a hidden field', [
  {
    name: 'is rejected like one on an unknown field, whatever the operator',
    config: library,
    steps: ['nobody', 'ghost', 'ghosts', 'long', 'unindexed', 'parts', 'credits.who', 'picks'].flatMap((field) =>
      OPERATORS.map((operator) => unknownTo(field, false, operator)),
    ),
  },
  {
    name: 'is rejected the same way through a relation: hidden fields, closed collections, hidden relations',
    config: library,
    steps: [
      ...[
        'author.nobody',
        'author.secret',
        'author.shadow',
        'authors.secret',
        'meta.editor.secret',
        'meta.readers.secret',
      ].flatMap((field) => [unknownTo(field), unknownTo(field, false, 'startsWith', 'zq')]),
      ...['owner.nobody', 'owner.name', 'owner.id', 'owners.name', 'owner.friend'].map((field) => unknownTo(field)),
      ...['ghost.name', 'ghosts.name', 'ghost.id', 'nobody.name', 'unindexed.name'].map((field) => unknownTo(field)),
      ...['title.name', 'author.', '.author', 'author..name', '.', 'author.name.', 'author.__proto__'].map((field) =>
        unknownTo(field),
      ),
    ],
  },
  {
    name: 'is accepted with a session',
    config: library,
    steps: [
      ...KEPT_IDS,
      findsAll('where[ghost][eq]={ann}', 'a'),
      findsAll('where[ghosts][in]={ann}', 'a'),
      findsAll('where[ghost.name][eq]=Ann', 'a'),
      findsAll('where[author.secret][startsWith]=zq', 'ae'),
      findsAll('where[owner.name][contains]=Mia', 'a'),
      findsAll('where[owners][in]={mia}', 'a'),
      findsAll('where[status][eq]=draft', 'e'),
      findsAll('where[pages][gt]=100', 'bde'),
      unknownTo('long', true),
      unknownTo('unindexed', true),
      unknownTo('nobody', true),
    ],
  },
  {
    name: 'is rejected in a sort, too',
    config: library,
    steps: ['ghost', 'nobody', 'long', 'meta', 'parts'].map((name) =>
      get(`/api/books?sort=${name}`, {
        status: 400,
        body: {
          details: {
            issues: [{ path: 'sort', code: 'unknown_field', message: `Sorting by "${name}" is not possible.` }],
          },
        },
      }),
    ),
  },
  {
    name: 'gets the same response for every field behind a relation, existing, hidden or unknown',
    config: library,
    steps: ['author.name', 'author.secret', 'author.sacret'].map((name) =>
      get(`/api/books?sort=${name}`, {
        status: 400,
        body: {
          details: {
            issues: [
              {
                path: 'sort',
                code: 'unknown_field',
                message: expect.stringContaining(
                  `Sorting by "${name}" is not possible, because it is a field of a related entry.`,
                ),
              },
            ],
          },
        },
      }),
    ),
  },
])

runScenarios('a filter with a value that its field cannot have', [
  {
    name: 'is rejected',
    config: library,
    steps: [
      ...['2026-02-30', '2026-13-01', '2026-1-1', '20260101', 'yesterday', '', '2026-01-01T00:00:00Z'].map((day) =>
        bad(`where[day][eq]=${day}`),
      ),
      ...['2026-02-30', '2026-02-30T00:00:00Z', '2026-01-01T00:00:00', '2026-01-01T25:00:00Z', '0', ''].map((moment) =>
        bad(`where[moment][gt]=${moment}`),
      ),
      ...['2026-02-30', 'now'].map((moment) => bad(`where[createdAt][gte]=${moment}`)),
      ...['1e999', '-1e999', 'NaN', 'Infinity', '0x10', '1_000', '', '1,5', '%201', '--1'].map((number) =>
        bad(`where[price][lt]=${number}`),
      ),
      ...['1.5', '9007199254740993', '1e16', 'ten', ''].map((number) => bad(`where[pages][eq]=${number}`)),
      ...['truee', 'TRUE', '1', '0', 'yes', ''].map((flag) => bad(`where[lent][eq]=${flag}`)),
      ...['1', '', 'TRUE'].map((flag) => bad(`where[title][exists]=${flag}`)),
      ...['romance', '', 'Novel'].map((value) => bad(`where[genre][eq]=${value}`)),
      bad('where[moods][in]=dark,bright'),
      bad('where[moods][in]='),
      ...['x', '', '01a1f9d5', 'null', '1'].map((id) => bad(`where[author][eq]=${id}`)),
      bad('where[id][in]=x'),
      bad('where[status][eq]=nope'),
      bad('where[author.age][eq]=old'),
      bad('where[pages][in]=1,2,x'),
    ],
  },
  {
    name: 'is rejected for an operator that its field lacks, with the valid operators',
    config: library,
    steps: [
      ...['$where', 'like', 'regex', 'EQ', 'is', '__proto__', 'constructor', 'toString', '0', 'size'].flatMap(
        (operator) => [bad(`where[title][${operator}]=x`), bad(`where[author.name][${operator}]=x`)],
      ),
      ...['all', 'lt', 'contains'].map((operator) => bad(`where[lent][${operator}]=true`)),
      ...['startsWith', 'contains', 'all'].flatMap((operator) => [
        bad(`where[pages][${operator}]=1`),
        bad(`where[day][${operator}]=2026-01-01`),
        bad(`where[genre][${operator}]=novel`),
      ]),
      ...['lt', 'gte', 'contains'].map((operator) => bad(`where[author][${operator}]=x`)),
      ...['eq', 'ne', 'lt', 'contains'].flatMap((operator) => [
        bad(`where[moods][${operator}]=dark`),
        bad(`where[authors][${operator}]=x`),
      ]),
      get('/api/books?where[lent][like]=x', {
        status: 400,
        body: { message: 'where[lent][like] must use one of the operators: eq, ne, in, nin, exists.' },
      }),
    ],
  },
  {
    name: 'is rejected for an invalid structure',
    config: library,
    steps: [
      ...[
        'where',
        'where[]',
        'where[title',
        'where[title]]',
        'where[title]x',
        'where[[title]]',
        'where[title][eq][',
      ].map((name) => bad(`${name}=x`, name)),
      bad('where[id][eq][]=1', 'where[id][eq][]'),
      bad('where[title]=x', 'where[title]'),
      bad('where[title][eq][x]=x', 'where[title][eq]'),
      bad('where[title][eq]=x&where[title][eq]=y', 'where[title][eq]'),
      bad('where[title][eq]=x&where[title]=y', 'where[title]'),
      bad('where[or]=x', 'where[or]'),
      bad('where[or][x][title][eq]=y', 'where[or][x]'),
      bad('where[or][-1][title][eq]=y', 'where[or][-1]'),
      bad('where[or][title][eq]=y', 'where[or][title]'),
      bad('where[or][0]=y', 'where[or][0]'),
      bad('where[not]=x', 'where[not]'),
      bad(`where[${'x'.repeat(129)}][eq]=y`, `where[${'x'.repeat(58)}`),
      refused('/api/books?Where[title][eq]=x', 'Where[title][eq]'),
      refused('/api/books?filter[title][eq]=x', 'filter[title][eq]'),
      refused('/api/books/a?where[title][eq]=Alpha', 'where[title][eq]'),
    ],
  },
])

const LITERALS = [
  '100%',
  '100x',
  'a_b',
  'axb',
  '*',
  '%',
  '_',
  "it's",
  'say "x"',
  'back\\slash',
  '$.x[0]',
  '-- ; drop',
  'é',
  'e\u0301',
  '東京',
  '\u{1f600}',
  '(a+)+$',
]

runScenarios('the characters of a filter value', [
  {
    name: 'are literal: no wildcards, no quotes, no SQL',
    config: library,
    steps: [
      ...LITERALS.map((title, index) => create('books', { title, slug: `x${index}` })),
      ...LITERALS.flatMap((title, index) => {
        const value = encodeURIComponent(title)
        const match = { body: { total: 1, items: [{ slug: `x${index}`, title }] } }
        return [get(`/api/books?where[title][eq]=${value}`, match), get(`/api/books?where[title][in]=${value}`, match)]
      }),
      get('/api/books?sort=slug&where[title][contains]=%25', { body: { total: 2, ...slugs('x0', 'x5') } }),
      get('/api/books?where[title][contains]=0%25', { body: { total: 1, ...slugs('x0') } }),
      get('/api/books?where[title][startsWith]=a_', { body: { total: 1, ...slugs('x2') } }),
      get('/api/books?where[title][startsWith]=%25', { body: { total: 1, ...slugs('x5') } }),
      get('/api/books?where[title][contains]=%E6%9D%B1', { body: { total: 1, ...slugs('x14') } }),
      get('/api/books?where[title][startsWith]=%F0%9F%98%80', { body: { total: 1, ...slugs('x15') } }),
      get('/api/books?where[title][startsWith]=', { body: { total: 4 + LITERALS.length } }),
    ],
  },
  {
    name: 'are found as a prefix before the last Unicode character',
    config: library,
    steps: [
      create('books', { title: 'end\u{10ffff}\u{10ffff}', slug: 'end' }),
      get('/api/books?where[title][startsWith]=end', { body: { total: 1, ...slugs('end') } }),
    ],
  },
  {
    name: 'may be those of any query language, in every place',
    config: library,
    steps: ["'", '"', '\\', '--', ';', ']', '$1', '?', "' OR 1=1 --", '{}', '%00', '$' + '{x}'].flatMap((text) => {
      const value = text === '%00' ? text : encodeURIComponent(text)
      const isNul = text === '%00'
      const outcome: Partial<Step> = isNul ? { status: 400 } : { body: { total: 0, items: [] } }
      return [
        get(`/api/books?where[title][eq]=${value}`, outcome),
        get(`/api/books?where[title][contains]=${value}`, outcome),
        get(`/api/books?where[author.name][startsWith]=${value}`, outcome),
        ...['author', 'pages', 'moods'].map((field) => get(`/api/books?where[${field}][in]=${value}`, { status: 400 })),
        get(`/api/books?where[${value}][eq]=x`, { status: 400 }),
        get(`/api/books?where[title][${value}]=x`, { status: 400 }),
        get(`/api/books?where[author.${value}][eq]=x`, { status: 400 }),
        get(`/api/books?where[or][${value}][title][eq]=x`, { status: 400 }),
      ]
    }),
  },
  {
    name: 'of a number are read as a double, however many there are',
    config: library,
    steps: [
      create('books', { title: 'x', price: 2 ** 60 }),
      create('books', { title: 'y', price: 2 ** 60 + 256 }),
      get('/api/books?where[price][eq]=1152921504606846976', { body: { total: 1, ...slugs('x') } }),
      get('/api/books?where[price][in]=1152921504606847000', { body: { total: 1, ...slugs('x') } }),
      get('/api/books?where[price][gt]=1152921504606846976', { body: { total: 1, ...slugs('y') } }),
      get('/api/books?where[price][gte]=1e18&sort=price&limit=1', { body: slugs('x'), keep: { next: '/nextCursor' } }),
      get('/api/books?where[price][gte]=1e18&sort=price&limit=1&cursor={next}', {
        body: { ...slugs('y'), nextCursor: null },
      }),
    ],
  },
])

const repeat = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('&')

runScenarios('the limits of a filter', [
  {
    name: 'are 50 filters',
    config: library,
    steps: [
      finds(
        repeat(50, (index) => `where[or][${index}][pages][eq]=${index + 51}`),
        'a',
      ),
      bad(
        repeat(51, (index) => `where[or][${index}][pages][eq]=${index}`),
        'where',
      ),
      bad(
        repeat(51, (index) => `where[or][${index}][author.age][eq]=${index}`),
        'where',
      ),
    ],
  },
  {
    name: 'are three levels of and, or and not',
    config: library,
    steps: [
      finds('where[or][0][and][0][not][pages][gt]=100', 'ac'),
      finds('where[not][not][not][title][eq]=Alpha', 'bcd'),
      bad('where[or][0][and][0][or][0][not][pages][gt]=100', 'where[or][0][and][0][or][0][not]'),
      bad('where[not][not][not][not][pages][gt]=100', 'where[not][not][not][not]'),
      get(`/api/books?where${'[not]'.repeat(1500)}[title][eq]=x`, { status: 400 }),
      get(`/api/books?where${'[or][0]'.repeat(1000)}[title][eq]=x`, { status: 400 }),
      get(`/api/books?where${'[x]'.repeat(2500)}=1`, { status: 400 }),
    ],
  },
  {
    name: 'are 500 values in a list',
    config: library,
    steps: [
      finds(`where[pages][in]=${Array.from({ length: 500 }, (_, index) => index + 1).join()}`, 'abd'),
      bad(`where[pages][in]=${Array.from({ length: 501 }, (_, index) => index + 1).join()}`, 'where[pages][in]'),
      bad(`where[title][nin]=${Array.from({ length: 501 }, (_, index) => index).join()}`, 'where[title][nin]'),
    ],
  },
  {
    name: 'are 8 KiB of query string',
    config: library,
    steps: [
      get(`/api/books?where[title][eq]=${'x'.repeat(8192 - 'where[title][eq]='.length)}`, { body: { total: 0 } }),
      refused(`/api/books?where[title][eq]=${'x'.repeat(8193 - 'where[title][eq]='.length)}`, 'query'),
      refused(`/api/books?${'a[]=&'.repeat(2000)}`, 'query'),
    ],
  },
])
