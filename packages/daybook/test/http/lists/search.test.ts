import { kitchen, posts } from '../../support/configs/configs.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, get, put, remove } from '../../support/scenarios/steps.ts'

const q = (words: string): string => encodeURIComponent(words)

/** A search that finds exactly these slugs, in any order but sorted by slug here. */
const finds = (words: string, ...expected: readonly string[]): Step =>
  get(`/api/posts?sort=slug&q=${q(words)}`, {
    body: { total: expected.length, items: expected.map((slug) => ({ slug })) },
  })

const LIBRARY: readonly Step[] = [
  create('posts', { title: 'Café au lait', slug: 'cafe', body: 'Milk, coffee and *patience*.', group: 'hiddenword' }),
  create('posts', {
    title: 'Notes on libuv',
    slug: 'libuv',
    body: 'The event loop of Node; coffee helps. See https://example.org/uv_loop',
  }),
  create('posts', { title: 'ÜBERSICHT', slug: 'uebersicht', body: 'Alle Artikel, don’t panic, snake_case and O(1)' }),
  create('posts', { title: '旅行', slug: 'travel', body: '来年の春に東京へ旅行します。とても楽しみです。' }),
]

runScenarios('a search', [
  {
    name: 'finds the entries that hold every word, in any field and in any order',
    config: posts,
    steps: [
      ...LIBRARY,
      finds('coffee', 'cafe', 'libuv'),
      finds('coffee milk', 'cafe'),
      finds('lait coffee', 'cafe'),
      finds('coffee milk libuv'),
      finds('nothing'),
      finds('patience', 'cafe'),
    ],
  },
  {
    name: 'takes the last word as a beginning, and only the last',
    config: posts,
    steps: [
      ...LIBRARY,
      finds('lib', 'libuv'),
      finds('coffee lib', 'libuv'),
      finds('lib coffee'),
      finds('ibuv'),
      finds('l', 'cafe', 'libuv'),
    ],
  },
  {
    name: 'folds case and accents, in what is looked for and in what is found',
    config: posts,
    steps: [
      ...LIBRARY,
      finds('cafe', 'cafe'),
      finds('CAFÉ', 'cafe'),
      finds('cafe\u0301', 'cafe'),
      finds('ｃａｆｅ', 'cafe'),
      finds('ubersicht', 'uebersicht'),
      finds('übersicht', 'uebersicht'),
    ],
  },
  {
    name: 'finds words inside a sentence without spaces',
    config: posts,
    steps: [
      ...LIBRARY,
      finds('東京', 'travel'),
      finds('旅行', 'travel'),
      finds('春', 'travel'),
      finds('東京 楽しみ', 'travel'),
      finds('京東'),
      finds('大阪'),
    ],
  },
  {
    name: 'gives the engine’s own query language no effect (Q11)',
    config: posts,
    steps: [
      ...LIBRARY,
      finds('"coffee" OR nothing'),
      finds('coffee OR lait'),
      finds('NOT coffee'),
      finds('coffee -milk', 'cafe'),
      finds('^coffee', 'cafe', 'libuv'),
      finds('"coffee milk"', 'cafe'),
      finds('cof* milk'),
      finds('coffee*', 'cafe', 'libuv'),
      finds('title:coffee'),
      finds('f_title : lait'),
      finds('{f_title} : (lait)'),
      finds('coffee + milk', 'cafe'),
      finds('NEAR(coffee milk)'),
      finds('status:published'),
      finds('s7075626c6973686564'),
      finds("coffee'; DROP TABLE posts; --"),
      finds('coffee%', 'cafe', 'libuv'),
      finds('c_ffee'),
      finds('(x+)+$'),
    ],
  },
  {
    name: 'answers what is no word at all without failing',
    config: posts,
    steps: [
      ...LIBRARY,
      ...[
        '"',
        '""',
        "'",
        '*',
        '"a" OR *',
        'NEAR(',
        ')',
        '(',
        '^',
        ':',
        '-',
        '\\',
        '{',
        'AND',
        'OR',
        'NOT',
        '🎉',
        '\u200b',
        '\u0301',
        '%',
        '; --',
        '?',
        '$1',
        '<>',
        '\ud7ff',
      ].map((words) => get(`/api/posts?q=${q(words)}`, {})),
      get('/api/posts?q=', { body: { total: 4 } }),
      get('/api/posts?q=%20%20', { body: { total: 4 } }),
      get('/api/posts?q=a&q=b', { status: 400 }),
    ],
  },
  {
    name: 'looks only where the config says: search: false is left out, and so are values that are no text',
    config: posts,
    steps: [...LIBRARY, finds('hiddenword'), finds('published'), finds('hiddenword coffee')],
  },
  {
    name: 'looks inside groups, lists and blocks',
    config: kitchen,
    steps: [
      create('things', {
        title: 'Plain',
        code: 'ZZ9',
        plain: 'unsearched',
        seo: { title: 'grouped', text: 'inside *marks*' },
        words: ['listed'],
        rows: [{ name: 'rowed' }],
        parts: [{ _type: 'quote', text: 'quoted' }],
      }),
      ...['plain', 'grouped', 'marks', 'listed', 'rowed', 'quoted'].map((word) =>
        get(`/api/things?q=${word}`, { body: { total: 1 } }),
      ),
      ...['ZZ9', 'unsearched', 'red', 'quote'].map((word) => get(`/api/things?q=${word}x`, { body: { total: 0 } })),
      ...['ZZ9', 'unsearched', 'red'].map((word) => get(`/api/things?q=${word}`, { body: { total: 0 } })),
    ],
  },
  {
    name: 'puts the better match first, and keeps to sort where one is given',
    config: posts,
    steps: [
      create('posts', { title: 'Zebra crossing', slug: 'title' }),
      create('posts', {
        title: 'Other',
        slug: 'body',
        body: `A long text about ${'many things '.repeat(20)} and one zebra.`,
      }),
      get('/api/posts?q=zebra', { body: { items: [{ slug: 'title' }, { slug: 'body' }] } }),
      get('/api/posts?q=zebra&sort=title', { body: { items: [{ slug: 'body' }, { slug: 'title' }] } }),
      get('/api/posts?q=zebra&sort=-title&limit=1', { body: { total: 2, items: [{ slug: 'title' }] } }),
      get('/api/posts?q=zebra&limit=0', { body: { total: 2, items: [] } }),
      get('/api/posts?q=zebra&offset=1', { body: { total: 2, items: [{ slug: 'body' }] } }),
    ],
  },
  {
    name: 'knows every change at once',
    config: posts,
    steps: [
      create('posts', { title: 'One', body: 'apple' }, { keep: { id: '/id' } }),
      finds('apple', 'one'),
      put('/api/posts/{id}', { body: 'pear' }),
      finds('apple'),
      finds('pear', 'one'),
      put('/api/posts/{id}', { body: null }),
      finds('pear'),
      remove('/api/posts/{id}'),
      finds('one'),
    ],
  },
])
