import { posts } from '../../support/configs/configs.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, put, refused, remove, slugs } from '../../support/scenarios/steps.ts'

/** Entries a and d have no rank; b and c share one. */
const ENTRIES: readonly Step[] = [
  create('posts', { title: 'a', group: 'x' }, { keep: { a: '/id' } }),
  create('posts', { title: 'b', rank: 1, group: 'y' }, { keep: { b: '/id' } }),
  create('posts', { title: 'c', rank: 1, group: 'x' }, { keep: { c: '/id' } }),
  create('posts', { title: 'd', group: 'y' }, { keep: { d: '/id' } }),
  create('posts', { title: 'e', rank: 5, group: 'x' }, { keep: { e: '/id' } }),
]

/** Reads a list page by page by cursor. */
const walk = (query: string, pages: readonly (readonly string[])[]): readonly Step[] =>
  pages.map((page, index) =>
    get(`/api/posts?${query}${index === 0 ? '' : '&cursor={next}'}`, {
      body: {
        total: pages.flat().length,
        offset: 0,
        ...slugs(...page),
        ...(index === pages.length - 1 ? { nextCursor: null } : {}),
      },
      keep: { next: '/nextCursor' },
    }),
  )

runScenarios('paging by cursor', [
  {
    name: 'returns every entry once, ascending and descending, with empty values first or last',
    config: posts,
    steps: [
      ...ENTRIES,
      ...walk('limit=2', [['e', 'd'], ['c', 'b'], ['a']]),
      ...walk('limit=2&sort=createdAt', [['a', 'b'], ['c', 'd'], ['e']]),
      ...walk('limit=2&sort=rank', [['a', 'd'], ['b', 'c'], ['e']]),
      ...walk('limit=1&sort=rank', [['a'], ['d'], ['b'], ['c'], ['e']]),
      ...walk('limit=2&sort=-rank', [['e', 'c'], ['b', 'd'], ['a']]),
      ...walk('limit=1&sort=-rank', [['e'], ['c'], ['b'], ['d'], ['a']]),
      ...walk('limit=5', [['e', 'd', 'c', 'b', 'a']]),
    ],
  },
  {
    name: 'sorts by several keys, each in its own direction',
    config: posts,
    steps: [
      ...ENTRIES,
      ...walk('limit=2&sort=rank,-title', [['d', 'a'], ['c', 'b'], ['e']]),
      ...walk('limit=2&sort=-rank,title', [['e', 'b'], ['c', 'a'], ['d']]),
      ...walk('limit=2&sort=group,-rank', [['e', 'c'], ['a', 'b'], ['d']]),
      ...walk('limit=1&sort=-group,rank,-title', [['d'], ['b'], ['a'], ['c'], ['e']]),
      ...walk('limit=3&sort=seo.order,id', [
        ['a', 'b', 'c'],
        ['d', 'e'],
      ]),
      ...walk('limit=2&sort=-id', [['e', 'd'], ['c', 'b'], ['a']]),
    ],
  },
  {
    name: 'continues a search, sorted or by relevance',
    config: posts,
    steps: [
      ...['one', 'two', 'three'].map((word) => create('posts', { title: word, body: 'common word' })),
      ...walk('limit=2&q=common&sort=title', [['one', 'three'], ['two']]),
      get('/api/posts?limit=2&q=common', { body: { total: 3 }, keep: { next: '/nextCursor' } }),
      get('/api/posts?limit=2&q=common&cursor={next}', { body: { total: 3, items: [{}], nextCursor: null } }),
    ],
  },
  {
    name: 'keeps its position while entries are created and deleted',
    config: posts,
    steps: [
      ...ENTRIES,
      get('/api/posts?sort=title&limit=2', { body: slugs('a', 'b'), keep: { next: '/nextCursor' } }),
      create('posts', { title: 'aa' }),
      create('posts', { title: 'bb' }),
      remove('/api/posts/{a}'),
      remove('/api/posts/{b}'),
      remove('/api/posts/{c}'),
      get('/api/posts?sort=title&limit=2&cursor={next}', {
        body: { total: 4, ...slugs('bb', 'd') },
        keep: { next: '/nextCursor' },
      }),
      put('/api/posts/{d}', { title: 'z' }),
      get('/api/posts?sort=title&limit=2&cursor={next}', { body: { ...slugs('e', 'd'), nextCursor: null } }),
    ],
  },
  {
    name: 'can change the page size and the selection',
    config: posts,
    steps: [
      ...ENTRIES,
      get('/api/posts?sort=title&limit=1', { keep: { next: '/nextCursor' } }),
      get('/api/posts?sort=title&limit=3&select=slug&cursor={next}', { body: slugs('b', 'c', 'd') }),
    ],
  },
  {
    name: 'shows no drafts to anonymous callers, wherever the page begins',
    config: posts,
    steps: [
      ...ENTRIES,
      put('/api/posts/{c}', { status: 'draft' }),
      ...walk('limit=2&sort=title', [
        ['a', 'b'],
        ['d', 'e'],
      ]),
      get('/api/posts?sort=title&limit=2', { auth: true, body: slugs('a', 'b'), keep: { next: '/nextCursor' } }),
      get('/api/posts?sort=title&limit=2&cursor={next}', { body: slugs('d', 'e') }),
    ],
  },
  {
    name: 'rejects a cursor with an offset, of another query, or of another collection',
    steps: [
      get('/api/posts?limit=1', { keep: { next: '/nextCursor' } }),
      get('/api/posts?limit=1&cursor={next}', {}),
      refused('/api/posts?limit=1&cursor={next}&offset=1', 'cursor'),
      refused('/api/posts?limit=1&cursor={next}&offset=0', 'cursor'),
      refused('/api/posts?limit=1&cursor={next}&sort=title', 'cursor'),
      refused('/api/posts?limit=1&cursor={next}&sort=createdAt', 'cursor'),
      refused('/api/posts?limit=1&cursor={next}&q=daybook', 'cursor'),
      refused('/api/posts?limit=1&cursor={next}&status=published', 'cursor'),
      refused('/api/posts?limit=1&cursor={next}&cursor={next}', 'cursor'),
      refused('/api/tags?limit=1&cursor={next}', 'cursor'),
      get('/api/posts?limit=1&sort=-createdAt&cursor={next}', {}),
    ],
  },
  {
    name: 'rejects texts that are not its cursors',
    steps: [
      '',
      'x',
      '1',
      'null',
      'W10',
      'e30',
      'eyJhIjoxfQ',
      '%00',
      'a'.repeat(4000),
      '../../..',
      '%F0%9F%8E%89',
      'WyJ4IiwxXQ',
    ].map((cursor) =>
      cursor === '%00'
        ? get(`/api/posts?cursor=${cursor}`, { status: 400 })
        : refused(`/api/posts?cursor=${cursor}`, 'cursor'),
    ),
  },
])
