import { defineCollection, defineConfig, f } from 'daybook'
import { kitchen, posts } from '../../support/configs/configs.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, get, put, remove } from '../../support/scenarios/steps.ts'

const q = (words: string): string => encodeURIComponent(words)

/** Returns a search, sorted by slug, that finds exactly these slugs. */
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

/** Filters of a search: values of every kind in its index, and some that are not. */
const shelf = defineConfig({
  collections: {
    people: defineCollection({ fields: { name: f.text() } }),
    books: defineCollection({
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        kind: f.text({ maxLength: 60, search: false }),
        note: f.text({ search: false }),
        room: f.text({ maxLength: 20, localized: true }),
        lent: f.boolean(),
        author: f.relation('people'),
        place: f.group({ shelf: f.select({ options: ['a', 'b'] }) }),
      },
    }),
  },
  locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
})

/** Returns a search for `tale` with a filter that finds exactly these slugs. */
const narrowed = (filter: string, ...expected: readonly string[]): Step =>
  get(`/api/books?sort=slug&q=tale&${filter}`, {
    auth: true,
    body: { total: expected.length, items: expected.map((slug) => ({ slug })) },
  })

const book = (slug: string, values: object, extra: Partial<Step> = {}): Step =>
  create('books', { title: `A tale of ${slug}`, slug, ...values }, extra)

const MANY_KINDS = Array.from({ length: 40 }, (_, index) => `kind ${index}`)

runScenarios('a search under a filter', [
  {
    name: 'finds entries with the value and reflects each change',
    config: shelf,
    steps: [
      create('people', { name: 'Ann' }, { keep: { ann: '/id' } }),
      book('one', { kind: 'old', lent: true, author: '{ann}', place: { shelf: 'a' } }, { keep: { one: '/id' } }),
      book('two', { kind: 'new', lent: false, place: { shelf: 'b' } }, { keep: { two: '/id' } }),
      create('books', { title: 'Another', slug: 'three', kind: 'old', lent: true }),
      narrowed('where[kind][eq]=old', 'one'),
      narrowed('where[kind][in]=old,new', 'one', 'two'),
      narrowed('where[kind][ne]=old', 'two'),
      narrowed('where[lent][eq]=false', 'two'),
      narrowed('where[author][eq]={ann}', 'one'),
      narrowed('where[place.shelf][eq]=b', 'two'),
      narrowed('where[kind][eq]=old&where[lent][eq]=true&where[title][startsWith]=A', 'one'),
      narrowed('where[kind][eq]=old&where[lent][eq]=false'),
      narrowed('where[or][0][kind][eq]=new&where[or][1][lent][eq]=true', 'one', 'two'),
      narrowed('where[not][kind][eq]=new', 'one'),
      put('/api/books/{one}', { kind: 'new', lent: null, author: null }),
      narrowed('where[kind][eq]=old'),
      narrowed('where[kind][eq]=new', 'one', 'two'),
      narrowed('where[lent][eq]=true'),
      narrowed('where[author][eq]={ann}'),
      batch([
        { op: 'update', collection: 'books', id: '{one}', data: { kind: 'old' } },
        { op: 'delete', collection: 'books', id: '{two}' },
      ]),
      narrowed('where[kind][eq]=new'),
      narrowed('where[kind][eq]=old', 'one'),
    ],
  },
  {
    name: 'applies the status as a parameter and as a filter',
    config: shelf,
    steps: [
      book('one', { status: 'published' }),
      book('two', { status: 'draft' }),
      book('three', { status: 'archived' }),
      narrowed('where[status][eq]=draft', 'two'),
      narrowed('where[status][in]=draft,archived', 'three', 'two'),
      narrowed('status=published,draft&where[status][in]=draft,archived', 'two'),
      narrowed('status=published&where[status][eq]=draft'),
      get('/api/books?q=tale&where[status][eq]=draft', { body: { total: 0, items: [] } }),
      get('/api/books?q=tale&where[status][ne]=draft', { body: { total: 1, items: [{ slug: 'one' }] } }),
    ],
  },
  {
    name: 'compares whole values, whatever their characters, length and number',
    config: shelf,
    steps: [
      book('one', { kind: 'é "x" OR *', note: 'n'.repeat(70) }),
      book('two', { kind: 'É "x" OR *', note: 'n'.repeat(71) }),
      book('three', { kind: '😀'.repeat(60), note: 'n' }),
      book('four', { kind: 'kind 39' }),
      narrowed(`where[kind][eq]=${q('é "x" OR *')}`, 'one'),
      narrowed(`where[kind][eq]=${q('é')}`),
      narrowed(`where[kind][eq]=${q('😀'.repeat(60))}`, 'three'),
      narrowed(`where[kind][eq]=${q('😀'.repeat(59))}`),
      narrowed(`where[note][eq]=${'n'.repeat(70)}`, 'one'),
      narrowed(`where[kind][in]=${q(MANY_KINDS.join())}`, 'four'),
    ],
  },
  {
    name: 'compares the values that a locale shows',
    config: shelf,
    steps: [
      book('one', { room: 'cellar' }, { keep: { one: '/id' } }),
      put('/api/books/{one}?locale=de', { title: 'Ein tale', room: 'Keller' }),
      book('two', { room: 'attic' }),
      narrowed('where[room][eq]=cellar', 'one'),
      narrowed('where[room][eq]=Keller'),
      narrowed('locale=de&where[room][eq]=Keller', 'one'),
      narrowed('locale=de&where[room][eq]=cellar'),
      narrowed('locale=de&where[room][eq]=attic', 'two'),
    ],
  },
  {
    name: 'does not find filter values as words',
    config: shelf,
    steps: [
      book('one', { kind: 'old' }),
      ...['f0x6f6c64', 'f0', 'old', 'marks:f0x6f6c64'].map((word) =>
        get(`/api/books?q=${q(word)}`, { auth: true, body: { total: 0 } }),
      ),
    ],
  },
])

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
    name: 'matches only the last word as a prefix',
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
    name: 'ignores case and accents in the query and in the content',
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
    name: 'finds words of every script and names with signs in any spelling',
    config: posts,
    steps: [
      create('posts', {
        title: 'Iğdır’dan Ærø’ya, łódź',
        slug: 'latin',
        body: 'Straße, C++ and an e-mail to O’Brien 😀',
      }),
      create('posts', { title: 'C# for the well known', slug: 'plain', body: 'email, wellknown, 1299 and cat' }),
      create('posts', { title: 'हिन्दी की किताब', slug: 'hindi', body: 'well-known for 1,299 or 1.299 € 🇩🇪' }),
      create('posts', { title: 'ที่น้ำ', slug: 'thai', body: 'ΑΘΗΝΑ, ёлка, عَرَبِي' }),
      finds('igdir', 'latin'),
      finds('IĞDIR', 'latin'),
      finds('aero lodz', 'latin'),
      finds('STRASSE', 'latin'),
      finds('c++', 'latin'),
      finds('C#', 'plain'),
      finds('c and', 'latin', 'plain'),
      finds('e-mail', 'latin', 'plain'),
      finds('EMAIL', 'latin', 'plain'),
      finds('e-mai', 'latin', 'plain'),
      finds('obrien', 'latin'),
      finds('well-known', 'hindi', 'plain'),
      finds('wellknown', 'hindi', 'plain'),
      finds('1299', 'hindi', 'plain'),
      finds('1,299', 'hindi', 'plain'),
      finds('1 299', 'hindi'),
      finds('1\u202f299', 'hindi', 'plain'),
      finds('😀', 'latin'),
      finds('🇩🇪', 'hindi'),
      finds('🎉'),
      finds('हिन्दी', 'hindi'),
      finds('हन्द'),
      finds('किता', 'hindi'),
      finds('น้ำ', 'thai'),
      finds('นำ'),
      finds('αθήνα елка عربي', 'thai'),
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
    name: 'ignores the query syntax of the search engine',
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
    name: 'accepts queries without any word',
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
    name: 'searches no fields with search: false and no values other than texts',
    config: posts,
    steps: [...LIBRARY, finds('hiddenword'), finds('published'), finds('hiddenword coffee')],
  },
  {
    name: 'searches inside groups, lists and blocks',
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
    name: 'returns the best match first unless a sort is given',
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
    name: 'reflects every change immediately',
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
