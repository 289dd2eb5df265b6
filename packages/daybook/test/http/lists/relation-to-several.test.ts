import { defineCollection, defineConfig, defineGlobal, f, isAuthenticated } from 'daybook'
import { describe, expect, test } from 'vitest'
import { sendRequest } from '../../support/scenarios/client.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, faults, get, patch, put, refused, remove, slugs } from '../../support/scenarios/steps.ts'
import { STORES } from '../../support/stores/stores.ts'

const named = { title: f.text({ required: true }), slug: f.slug({ from: 'title' }) }

/** Articles that refer to posts, pages and notes; reading notes needs a session. */
const magazine = defineConfig({
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    people: defineCollection({ fields: { ...named, boss: f.relation('people') } }),
    posts: defineCollection({
      fields: {
        ...named,
        status: f.status(),
        author: f.relation('people'),
        secret: f.text({ access: { read: isAuthenticated } }),
        leads: f.reverse('articles.lead'),
        mentions: f.reverse('articles.related'),
      },
    }),
    pages: defineCollection({
      fields: {
        ...named,
        owner: f.relation('people'),
        up: f.relation(['pages', 'posts']),
        leads: f.reverse('articles.lead'),
      },
    }),
    notes: defineCollection({ access: { read: isAuthenticated }, fields: named }),
    articles: defineCollection({
      indexes: [['lead.collection', 'updatedAt']],
      fields: {
        ...named,
        lead: f.relation(['posts', 'pages', 'notes']),
        related: f.relation(['posts', 'pages'], { many: true }),
        meta: f.group({ about: f.relation(['posts', 'pages']) }),
        rows: f.list(f.relation(['posts', 'pages'])),
        parts: f.blocks({
          card: { of: f.relation(['posts', 'pages']) },
          person: { of: f.relation('people') },
        }),
        needed: f.relation(['posts', 'pages'], { onDelete: 'restrict' }),
        said: f.relation(['posts', 'pages'], { localized: true }),
        loose: f.relation(['posts', 'pages'], { index: false }),
        hidden: f.relation(['posts', 'pages'], { access: { read: isAuthenticated } }),
      },
    }),
  },
  globals: { front: defineGlobal({ fields: { lead: f.relation(['posts', 'pages']) } }) },
  seed: async (content) => {
    const make = async (collection: string, data: object): Promise<string> =>
      String((await content.create(collection as 'posts', data as never)).id)
    const ann = await make('people', { title: 'Ann' })
    const post = { collection: 'posts', id: await make('posts', { title: 'Post', author: ann, secret: 's' }) }
    const draft = { collection: 'posts', id: await make('posts', { title: 'Draft', status: 'draft' }) }
    const page = { collection: 'pages', id: await make('pages', { title: 'Page', owner: ann, up: post }) }
    const note = { collection: 'notes', id: await make('notes', { title: 'Note' }) }
    await make('articles', { title: 'A', lead: post, related: [page, draft, post], meta: { about: page } })
    await make('articles', {
      title: 'B',
      lead: page,
      related: [post],
      rows: [page, post],
      parts: [
        { _type: 'card', of: post },
        { _type: 'person', of: ann },
        { _type: 'card', of: page },
      ],
      hidden: post,
    })
    await make('articles', { title: 'C', lead: note, said: post })
    await make('articles', { title: 'D' })
  },
})

const IDS: readonly Step[] = [
  ['posts', 'post'],
  ['posts', 'draft'],
  ['pages', 'page'],
  ['people', 'ann'],
  ['notes', 'note'],
  ...['a', 'b', 'c', 'd'].map((slug) => ['articles', slug]),
].map(([collection, slug]) => get(`/api/${collection}/${slug}`, { auth: true, keep: { [String(slug)]: '/id' } }))

const post = { collection: 'posts', id: '{post}' }
const page = { collection: 'pages', id: '{page}' }
const draft = { collection: 'posts', id: '{draft}' }

/** A relation with the key of a member of references. */
const shelves = defineConfig({
  collections: {
    posts: defineCollection({ fields: named }),
    boxes: defineCollection({ fields: named }),
    items: defineCollection({
      fields: { ...named, about: f.relation(['posts', 'boxes']), collection: f.relation('boxes') },
    }),
  },
  seed: async (content) => {
    const { id } = await content.create('posts', { title: 'Post' })
    const { id: box } = await content.create('boxes', { title: 'Box' })
    await content.create('items', { title: 'Item', about: { collection: 'posts', id }, collection: box })
  },
})

/** Returns a step that reads a filtered list of articles. */
const finds = (where: string, ...expected: readonly string[]): Step =>
  get(`/api/articles?sort=title&${where}`, { body: { total: expected.length, ...slugs(...expected) } })

/** The model description of the field `lead` of articles. */
const described = (...to: readonly string[]): unknown =>
  expect.arrayContaining([
    expect.objectContaining({
      key: 'articles',
      fields: expect.arrayContaining([
        expect.objectContaining({ key: 'lead', type: 'relation', many: false, relation: { to, onDelete: 'unset' } }),
      ]),
    }),
  ])

runScenarios('relations to several collections', [
  {
    name: 'hold the collection and the id of the target',
    config: magazine,
    steps: [
      ...IDS,
      get('/api/articles/a', {
        body: { lead: post, related: [page, draft, post], meta: { about: page }, needed: null },
      }),
      get('/api/articles/d', { body: { lead: null, related: [], rows: [] } }),
      put('/api/articles/{d}', { lead: page, related: [post, page] }, { body: { lead: page, related: [post, page] } }),
      put('/api/articles/{d}', { lead: null, related: null }, { body: { lead: null, related: [] } }),
      create('articles', { title: 'E', related: [page] }, { body: { related: [page] } }),
    ],
  },
  {
    name: 'expand to documents with their collection, in their order, in any place',
    config: magazine,
    steps: [
      ...IDS,
      get('/api/articles/a?include=lead,related,meta.about', {
        body: {
          lead: { ...post, title: 'Post', author: '{ann}' },
          related: [
            { ...page, title: 'Page' },
            { ...post, title: 'Post' },
          ],
          meta: { about: { ...page, title: 'Page' } },
        },
        lacks: ['Draft', 'secret'],
      }),
      get('/api/articles/a?include=related', {
        auth: true,
        body: { related: [{}, { title: 'Draft' }, { secret: 's' }] },
      }),
      get('/api/articles/b?include=rows,parts.of', {
        body: {
          rows: [
            { ...page, title: 'Page' },
            { ...post, title: 'Post' },
          ],
          parts: [
            { _type: 'card', of: { ...post, title: 'Post' } },
            { _type: 'person', of: { id: '{ann}', title: 'Ann' } },
            { _type: 'card', of: { ...page, title: 'Page' } },
          ],
        },
      }),
      get('/api/articles?sort=title&include=lead', {
        body: { items: [{ lead: { title: 'Post' } }, { lead: { title: 'Page' } }, { lead: null }, { lead: null }] },
      }),
      put('/api/globals/front', { lead: page }, { body: { lead: page } }),
      get('/api/globals/front?include=lead', { body: { lead: { ...page, title: 'Page' } } }),
    ],
  },
  {
    name: 'expand within a path through the collections that have the rest of the path',
    config: magazine,
    steps: [
      ...IDS,
      get('/api/articles/a?include=related.author', {
        body: {
          related: [
            { ...page, title: 'Page', owner: '{ann}' },
            { ...post, author: { id: '{ann}', title: 'Ann' } },
          ],
        },
      }),
      get('/api/articles/a?include=related&depth=2', {
        body: { related: [{ owner: { title: 'Ann' }, up: { ...post, title: 'Post' } }, { author: { title: 'Ann' } }] },
      }),
      get('/api/articles/b?depth=1', { body: { lead: { ...page }, rows: [page, post] } }),
      get('/api/articles/a?include=related,lead&select=related.owner,lead.title', {
        body: { related: [{ ...page, owner: '{ann}' }, { ...post }], lead: { ...post, title: 'Post' } },
        lacks: ['Page', 'author'],
      }),
      refused('/api/articles/a?include=related.nothing', 'include'),
      refused('/api/articles/a?include=related&select=related.nothing', 'select'),
      refused('/api/articles/a?select=related.title', 'select'),
    ],
  },
  {
    name: 'work next to a relation called collection',
    config: shelves,
    steps: [
      get('/api/items/item?include=collection', {
        body: { about: { collection: 'posts' }, collection: { title: 'Box' } },
      }),
      get('/api/items/item?include=collection,about', {
        body: { about: { collection: 'posts', title: 'Post' }, collection: { title: 'Box' } },
      }),
    ],
  },
  {
    name: 'are counted by the collection or the id of a single reference',
    config: magazine,
    steps: [
      get('/api/articles?limit=0&aggregate=count:lead.collection', {
        body: {
          aggregates: {
            'count:lead.collection': [
              { value: null, count: 1 },
              { value: 'notes', count: 1 },
              { value: 'pages', count: 1 },
              { value: 'posts', count: 1 },
            ],
          },
        },
      }),
      refused('/api/articles?aggregate=count:lead', 'aggregate'),
      refused('/api/articles?aggregate=count:related.collection', 'aggregate'),
    ],
  },
  {
    name: 'are filtered by collection and by id',
    config: magazine,
    steps: [
      ...IDS,
      finds('where[lead.collection][eq]=posts', 'a'),
      finds('where[lead.collection][in]=posts,pages', 'a', 'b'),
      finds('where[lead.collection][ne]=posts', 'b', 'c', 'd'),
      finds('where[lead.id][eq]={page}', 'b'),
      finds('where[lead.id][in]={page},{post}', 'a', 'b'),
      finds('where[lead.id][nin]={page},{post}', 'c', 'd'),
      finds('where[lead.id][exists]=false', 'd'),
      finds('where[not][lead.collection][exists]=true', 'd'),
      finds('where[meta.about.id][eq]={page}', 'a'),
      finds('where[said.id][eq]={post}', 'c'),
      finds('where[related.collection][in]=pages', 'a'),
      finds('where[related.collection][all]=pages,posts', 'a'),
      finds('where[related.collection][all]=posts', 'a', 'b'),
      finds('where[related.collection][nin]=pages', 'b', 'c', 'd'),
      finds('where[related.id][in]={post}', 'a', 'b'),
      finds('where[related.id][all]={post},{page}', 'a'),
      finds('where[related.id][nin]={page}', 'b', 'c', 'd'),
      finds('where[related.id][exists]=true', 'a', 'b'),
      get('/api/articles?where[lead.collection][eq]=posts&sort=-updatedAt', { body: slugs('a') }),
      get('/api/articles?sort=-lead.collection,title', { body: slugs('a', 'b', 'c', 'd') }),
    ],
  },
  {
    name: 'reject other filters and sorts with a suggestion',
    config: magazine,
    steps: [
      refused('/api/articles?where[lead][eq]=x', 'where[lead]', {
        body: {
          details: {
            issues: [
              {
                message:
                  'Filtering by "lead" is not possible, because lead refers to several collections. Filter by lead.collection or lead.id.',
              },
            ],
          },
        },
      }),
      refused('/api/articles?where[lead.title][eq]=x', 'where[lead.title]', {
        body: {
          details: {
            issues: [
              {
                message:
                  'Filtering by "lead.title" is not possible, because lead refers to several collections. Filter by lead.collection or lead.id.',
              },
            ],
          },
        },
      }),
      refused('/api/articles?where[related.title][eq]=x', 'where[related.title]'),
      refused('/api/articles?where[lead.collection][eq]=people', 'where[lead.collection][eq]', {
        body: { details: { issues: [{ message: 'where[lead.collection][eq] must be one of: posts, pages.' }] } },
      }),
      refused('/api/articles?where[lead.collection][startsWith]=po', 'where[lead.collection][startsWith]'),
      refused('/api/articles?where[lead.id][lt]=x', 'where[lead.id][lt]'),
      refused('/api/articles?where[related.id][eq]=x', 'where[related.id][eq]'),
      refused('/api/articles?where[loose.id][exists]=true', 'where[loose.id]'),
      refused('/api/articles?where[rows.id][exists]=true', 'where[rows.id]'),
      refused('/api/articles?where[hidden.id][exists]=true', 'where[hidden.id]', { lacks: ['several'] }),
      refused('/api/articles?where[hidden][exists]=true', 'where[hidden]', { lacks: ['several'] }),
      refused('/api/articles?sort=lead', 'sort'),
      refused('/api/articles?sort=related.id', 'sort'),
    ],
  },
  {
    name: 'reveal nothing about a collection that the caller may not read',
    config: magazine,
    steps: [
      ...IDS,
      get('/api/articles/c?include=lead', { body: { lead: null }, lacks: ['Note'] }),
      get('/api/articles/c?include=lead', { auth: true, body: { lead: { collection: 'notes', title: 'Note' } } }),
      get('/api/articles/c?include=lead.author', { body: { lead: null } }),
      refused('/api/articles?where[lead.collection][eq]=notes', 'where[lead.collection][eq]'),
      get('/api/articles?where[lead.collection][eq]=notes', { auth: true, body: slugs('c') }),
      get('/openapi.json', { lacks: ['"notes"', 'NotesEntry'] }),
    ],
  },
  {
    name: 'reject missing targets, targets in other collections, and values that are not references',
    config: magazine,
    steps: [
      ...IDS,
      put('/api/articles/{d}', { lead: { collection: 'posts', id: '{page}' } }, faults('/lead')),
      put(
        '/api/articles/{d}',
        { lead: { collection: 'people', id: '{ann}' } },
        {
          status: 400,
          body: {
            details: {
              issues: [
                {
                  path: '/lead',
                  code: 'reference',
                  message: 'lead cannot refer to the collection "people". Use one of: posts, pages, notes.',
                },
              ],
            },
          },
        },
      ),
      put('/api/articles/{d}', { related: [post, { collection: 'notes', id: '{note}' }] }, faults('/related')),
      put('/api/articles/{d}', { lead: '{post}' }, faults('/lead')),
      put('/api/articles/{d}', { lead: { collection: 'posts' } }, faults('/lead/id')),
      put('/api/articles/{d}', { lead: { id: '{post}' } }, faults('/lead/collection')),
      put('/api/articles/{d}', { lead: { ...post, title: 'Post' } }, faults('/lead/title')),
      put('/api/articles/{d}', { lead: { collection: 'posts', id: 'post' } }, faults('/lead/id')),
      put('/api/articles/{d}', { lead: [post] }, faults('/lead')),
      put('/api/articles/{d}', { related: post }, faults('/related')),
      put('/api/articles/{d}', { related: [post, post] }, faults('/related')),
      patch('/api/articles/{d}', { lead: { id: '{post}' } }, faults('/lead/collection')),
      patch('/api/articles/{a}', { lead: { id: '{draft}' } }, faults('/lead/collection')),
      patch('/api/articles/{a}', { lead: draft }, { body: { lead: draft } }),
    ],
  },
  {
    name: 'are removed with their target, or prevent its deletion',
    config: magazine,
    steps: [
      ...IDS,
      get('/api/posts/{post}/references', {
        auth: true,
        body: { total: 8 },
      }),
      put('/api/articles/{d}', { needed: post }),
      remove('/api/posts/{post}', {
        status: 409,
        body: { details: { references: [{ collection: 'articles', id: '{d}', field: 'needed' }] } },
      }),
      put('/api/articles/{d}', { needed: null }),
      remove('/api/posts/{post}'),
      get('/api/articles/a', { body: { lead: null, related: [page, draft] } }),
      get('/api/articles/b', {
        body: { lead: page, related: [], rows: [page], parts: [{ of: null }, { of: '{ann}' }, { of: page }] },
      }),
      get('/api/pages/page', { body: { up: null } }),
    ],
  },
  {
    name: 'can form cycles and be written in batches',
    config: magazine,
    steps: [
      ...IDS,
      put('/api/pages/{page}', { up: page }),
      get('/api/pages/page?include=up.up.up', {
        body: { up: { ...page, up: { ...page, up: { ...page, up: page } } } },
      }),
      batch([
        { op: 'create', collection: 'articles', data: { title: 'New', related: [page] } },
        { op: 'update', collection: 'articles', id: '{d}', data: { lead: post } },
      ]),
      get('/api/articles/new?include=related', { body: { related: [{ ...page, title: 'Page' }] } }),
      get('/api/articles/d?include=lead', { body: { lead: { ...post, title: 'Post' } } }),
      batch(
        [
          { op: 'delete', collection: 'posts', id: '{draft}' },
          { op: 'update', collection: 'articles', id: '{d}', data: { lead: draft } },
        ],
        faults('/operations/1/data/lead'),
      ),
    ],
  },
  {
    name: 'have a reverse field in each collection',
    config: magazine,
    steps: [
      ...IDS,
      get('/api/posts/post?include=leads,mentions', {
        body: { leads: { total: 1, ...slugs('a') }, mentions: { total: 2, ...slugs('b', 'a') } },
      }),
      get('/api/pages/page?include=leads', { body: { leads: { total: 1, ...slugs('b') } } }),
      get('/api/posts/post?include=mentions&reverse[mentions][limit]=1', { keep: { next: '/mentions/nextCursor' } }),
      get('/api/articles?where[related.id][in]={post}&limit=1&cursor={next}', { body: slugs('a') }),
    ],
  },
  {
    name: 'have a value for each locale if they are localized',
    config: magazine,
    steps: [
      ...IDS,
      put('/api/articles/{c}?locale=de', { said: page }),
      get('/api/articles/c?locale=de&include=said', { body: { said: { ...page, title: 'Page' } } }),
      get('/api/articles/c?locale=all&include=said', {
        auth: true,
        body: { said: { en: { ...post, title: 'Post' }, de: { ...page, title: 'Page' } } },
      }),
      get('/api/articles?locale=de&where[said.collection][eq]=pages', { body: slugs('c') }),
    ],
  },
  {
    name: 'are described with their target collections',
    config: magazine,
    steps: [get('/api/cms/model', { auth: true, body: { collections: described('posts', 'pages', 'notes') } })],
  },
])

describe.each(STORES)('relations to several collections on $name', (store) => {
  test('take one statement for each collection and level, however many references there are', async () => {
    const service = await store.open(magazine)
    const statements = async (query: string): Promise<number> => {
      const { statements: count } = service as unknown as { statements(): number }
      const before = count()
      expect((await sendRequest(service, `/api/articles?sort=title&${query}`)).status).toBe(200)
      return count() - before
    }
    try {
      // The counters of collections are read once, as long as nothing is written.
      await statements('limit=3&include=related.up,related.author')
      const plain = await statements('limit=1')
      const statementsForOne = await statements('limit=1&include=related')
      expect(await statements('limit=4&include=related')).toBe(statementsForOne)
      // The entries and the counters of each of the two collections.
      expect(statementsForOne).toBeLessThanOrEqual(plain + 4)
      // Pages lead to two collections, posts to one.
      expect(await statements('limit=4&include=related.up,related.author')).toBeLessThanOrEqual(plain + 4 + 6)
    } finally {
      await service.close()
    }
  })
})
