import { type DaybookConfig, defineCollection, defineConfig, f, isAuthenticated, SYSTEM } from 'daybook'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../../src/auth/adapter.ts'
import { Access } from '../../../src/content/access/access.ts'
import { ContentContext } from '../../../src/content/context.ts'
import { readList } from '../../../src/content/reads/list.ts'
import { compileModel } from '../../../src/model/compile.ts'
import type { CollectionModel } from '../../../src/model/model.ts'
import { listParameters } from '../../../src/query/list-query.ts'
import { parseQueryString, readParameters } from '../../../src/query/parameters.ts'
import type { Database } from '../../../src/store/database.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { slowMachinePostgres } from '../../support/postgres/slow-machine-postgres.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { CANARY } from '../../support/scenarios/sane.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { get, put, refused, remove } from '../../support/scenarios/steps.ts'
import { Folder } from '../../support/stores/folder.ts'
import { type NotedStatement, notedStore } from '../../support/stores/noted-store.ts'
import { create, type Place } from '../../support/stores/place.ts'
import { STORES } from '../../support/stores/stores.ts'

const SESSION_ONLY = { read: isAuthenticated } as const

/** Authors with reverse fields for a single reference, many references, a hidden one, and one of a closed collection. */
const magazine = defineConfig({
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    authors: defineCollection({
      fields: {
        name: f.text({ required: true }),
        slug: f.slug({ from: 'name' }),
        posts: f.reverse('posts.author', { description: 'What the author has written.' }),
        coauthored: f.reverse('posts.helpers'),
        edited: f.reverse('posts.meta.editor'),
        ghosted: f.reverse('posts.ghost'),
        guarded: f.reverse('posts.author', { access: SESSION_ONLY }),
        letters: f.reverse('letters.to'),
        reviews: f.reverse('reviews.critic'),
      },
    }),
    posts: defineCollection({
      maxLimit: 10,
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        rank: f.integer(),
        secret: f.text({ access: SESSION_ONLY }),
        author: f.relation('authors'),
        helpers: f.relation('authors', { many: true }),
        ghost: f.relation('authors', { access: SESSION_ONLY }),
        meta: f.group({ editor: f.relation('authors') }),
        reviews: f.reverse('reviews.post'),
      },
    }),
    // Anonymous callers only see entries of rank 1.
    reviews: defineCollection({
      access: { read: ({ principal }) => principal !== null || { stars: { eq: 5 } } },
      fields: { stars: f.integer(), post: f.relation('posts'), critic: f.relation('authors') },
    }),
    letters: defineCollection({
      access: { read: isAuthenticated },
      fields: { text: f.text(), to: f.relation('authors') },
    }),
  },
  seed: async (content) => {
    const make = async (collection: string, data: object): Promise<string> =>
      String((await content.create(collection as 'posts', data as never)).id)
    const ann = await make('authors', { name: 'Ann' })
    const bob = await make('authors', { name: 'Bob' })
    await make('authors', { name: 'Cyd' })
    const firstPost = await make('posts', { title: 'One', rank: 3, author: ann, helpers: [bob], meta: { editor: bob } })
    await make('posts', { title: 'Two', rank: 1, author: ann, helpers: [bob, ann], ghost: bob })
    await make('posts', { title: 'Three', rank: 2, author: ann, secret: CANARY })
    await make('posts', { title: `Four ${CANARY}`, slug: 'four', author: ann, helpers: [bob], status: 'draft' })
    await make('posts', { title: 'Five', author: bob })
    await make('reviews', { stars: 5, post: firstPost, critic: bob })
    await make('reviews', { stars: 1, post: firstPost, critic: bob })
    await make('letters', { text: CANARY, to: ann })
  },
})

const IDS: readonly Step[] = ['ann', 'bob'].map((slug) => get(`/api/authors/${slug}`, { keep: { [slug]: '/id' } }))

/** One page of posts, as a reverse field shows it. */
const posts = (total: number, ...slugs: readonly string[]): object => ({
  collection: 'posts',
  total,
  items: slugs.map((slug) => ({ slug })),
})

const ann = '/api/authors/ann'

runScenarios('reverse fields', [
  {
    name: 'are absent until they are included',
    config: magazine,
    steps: [
      get(ann, { lacks: ['posts', 'coauthored'] }),
      get('/api/authors', { lacks: ['posts', 'coauthored'] }),
      get(`${ann}?select=name`, { lacks: ['posts'] }),
      refused(`${ann}?select=posts`, 'select'),
    ],
  },
  {
    name: 'show one page of the referring entries, newest first, like a list',
    config: magazine,
    steps: [
      get(`${ann}?include=posts`, {
        body: { name: 'Ann', posts: { ...posts(3, 'three', 'two', 'one'), limit: 10, offset: 0, nextCursor: null } },
      }),
      get('/api/authors?sort=slug&include=posts,coauthored', {
        body: {
          total: 3,
          items: [
            { slug: 'ann', posts: posts(3, 'three', 'two', 'one'), coauthored: posts(1, 'two') },
            { slug: 'bob', posts: posts(1, 'five'), coauthored: posts(2, 'two', 'one') },
            { slug: 'cyd', posts: posts(0), coauthored: posts(0) },
          ],
        },
      }),
      get('/api/authors/bob?include=edited', { body: { edited: posts(1, 'one') } }),
      get(`${ann}?depth=1`, { body: { posts: posts(3, 'three', 'two', 'one'), coauthored: posts(1, 'two') } }),
    ],
  },
  {
    name: 'have limit, offset and sort of their own; limit=0 counts',
    config: magazine,
    steps: [
      get(`${ann}?include=posts&reverse[posts][limit]=2`, {
        body: { posts: { ...posts(3, 'three', 'two'), limit: 2 } },
      }),
      get(`${ann}?include=posts&reverse[posts][limit]=2&reverse[posts][offset]=2`, {
        body: { posts: { ...posts(3, 'one'), limit: 2, offset: 2, nextCursor: null } },
      }),
      get(`${ann}?include=posts&reverse[posts][offset]=9`, { body: { posts: { ...posts(3), offset: 9 } } }),
      get(`${ann}?include=posts&reverse[posts][limit]=0`, { body: { posts: { ...posts(3), limit: 0 } } }),
      get(`${ann}?include=posts&reverse[posts][limit]=99`, { body: { posts: { limit: 10 } } }),
      get(`${ann}?include=posts&reverse[posts][sort]=rank`, { body: { posts: posts(3, 'two', 'three', 'one') } }),
      get('/api/authors/bob?include=coauthored&reverse[coauthored][sort]=-rank', {
        body: { coauthored: posts(2, 'one', 'two') },
      }),
      get(`${ann}?include=posts&reverse[posts][status]=published,draft`, {
        auth: true,
        body: { posts: posts(4, 'four', 'three', 'two', 'one') },
      }),
      get(`${ann}?include=posts&reverse[posts][status]=draft`, { body: { posts: posts(0) } }),
    ],
  },
  {
    name: 'continue in the list of the collection by their cursor',
    config: magazine,
    steps: [
      ...IDS,
      get(`${ann}?include=posts&reverse[posts][limit]=2`, { keep: { next: '/posts/nextCursor' } }),
      get('/api/posts?where[author][eq]={ann}&limit=2&cursor={next}', { body: { items: [{ slug: 'one' }] } }),
      get('/api/authors/bob?include=coauthored&reverse[coauthored][limit]=1&reverse[coauthored][sort]=rank', {
        keep: { later: '/coauthored/nextCursor' },
      }),
      get('/api/posts?where[helpers][in]={bob}&sort=rank&cursor={later}', { body: { items: [{ slug: 'one' }] } }),
      get(`${ann}?include=posts&reverse[posts][sort]=meta.editor&reverse[posts][nulls]=last&reverse[posts][limit]=1`, {
        body: { posts: posts(3, 'one') },
        keep: { empty: '/posts/nextCursor' },
      }),
      get('/api/posts?where[author][eq]={ann}&sort=meta.editor&nulls=last&cursor={empty}', {
        body: { items: [{ slug: 'two' }, { slug: 'three' }] },
      }),
      refused(`${ann}?include=posts&reverse[posts][nulls]=first`, 'reverse[posts][nulls]'),
    ],
  },
  {
    name: 'show and count only entries that the caller may see',
    config: magazine,
    steps: [
      get(`${ann}?include=posts`, { auth: true, body: { posts: posts(4, 'four', 'three', 'two', 'one') } }),
      get('/api/authors/bob?include=reviews', { body: { reviews: { total: 1, items: [{ stars: 5 }] } } }),
      get('/api/authors/bob?include=reviews', { auth: true, body: { reviews: { total: 2 } } }),
      get('/api/authors/bob?include=ghosted', { auth: true, body: { ghosted: posts(1, 'two') } }),
      ...['ghosted', 'guarded', 'letters', 'nothing', 'letters.to', 'posts.secret'].map((name) =>
        refused(`${ann}?include=${name}`, 'include'),
      ),
      refused(`${ann}?include=posts&reverse[posts][sort]=secret`, 'reverse[posts][sort]'),
      refused(`${ann}?include=posts&reverse[posts][sort]=nothing`, 'reverse[posts][sort]'),
      refused(`${ann}?reverse[letters][limit]=1`, 'reverse[letters]'),
      get(`${ann}?depth=1`, { lacks: ['letters', 'ghosted', 'guarded'] }),
      get(`${ann}?depth=1`, { auth: true, body: { letters: { total: 1 }, ghosted: posts(0), guarded: { total: 4 } } }),
    ],
  },
  {
    name: 'can be included inside relations and each other, each with its own page',
    config: magazine,
    steps: [
      get('/api/posts/one?include=author.posts&reverse[author.posts][limit]=1', {
        body: { author: { name: 'Ann', posts: posts(3, 'three') } },
      }),
      get(`${ann}?include=posts.reviews.critic&reverse[posts.reviews][limit]=1&reverse[posts][sort]=slug`, {
        body: {
          posts: {
            total: 3,
            items: [{ slug: 'one', reviews: { total: 1, items: [{ critic: { name: 'Bob' } }] } }, {}, {}],
          },
        },
      }),
      get(`${ann}?include=posts.author&select=posts.title,posts.author.name`, {
        body: { posts: { items: [{ title: 'Three', author: { name: 'Ann' } }, {}, {}] } },
        lacks: ['rank'],
      }),
      get(`${ann}?depth=2`, { body: { posts: { items: [{ author: { name: 'Ann' } }, {}, {}] } } }),
    ],
  },
  {
    name: 'reject invalid pages with a suggestion',
    config: magazine,
    steps: [
      refused(`${ann}?reverse[posts][limit]=1`, 'reverse[posts]'),
      refused(`${ann}?include=posts&reverse[nothing][limit]=1`, 'reverse[nothing]'),
      refused('/api/posts/one?include=author&reverse[author][limit]=1', 'reverse[author]'),
      refused(`${ann}?include=posts&reverse[posts][size]=1`, 'reverse[posts][size]'),
      refused(`${ann}?include=posts&reverse[posts]=1`, 'reverse[posts]'),
      refused(`${ann}?include=posts&reverse=1`, 'reverse'),
      refused(`${ann}?include=posts&reverse[posts][limit]=x`, 'reverse[posts][limit]'),
      refused(`${ann}?include=posts&reverse[posts][limit]=1&reverse[posts][limit]=2`, 'reverse[posts][limit]'),
      refused(`${ann}?include=posts&reverse[posts][status]=gone`, 'reverse[posts][status]'),
      refused(`${ann}?include=reviews&reverse[reviews][status]=draft`, 'reverse[reviews][status]'),
      refused(`/api/authors?sort=posts`, 'sort'),
      refused(`/api/authors?where[posts][exists]=true`, 'where[posts]'),
    ],
  },
  {
    name: 'are ignored in bodies, so that a document can be written back as it was read',
    config: magazine,
    steps: [
      get(`${ann}?include=posts`, { keep: { id: '/id' } }),
      put('/api/authors/{id}', { name: 'Anna', posts: { total: 0, items: [] } }, { lacks: ['posts'] }),
      get(`${ann}?include=posts`, { body: { name: 'Anna', posts: { total: 3 } } }),
    ],
  },
  {
    name: 'follow every change of the relation',
    config: magazine,
    steps: [
      ...IDS,
      get('/api/posts/two', { keep: { two: '/id' } }),
      put('/api/posts/{two}', { author: '{bob}', helpers: [] }),
      get('/api/authors?sort=slug&include=posts,coauthored', {
        body: {
          items: [
            { posts: posts(2, 'three', 'one'), coauthored: posts(0) },
            { posts: posts(2, 'five', 'two'), coauthored: posts(1, 'one') },
            {},
          ],
        },
      }),
      remove('/api/posts/{two}'),
      get('/api/authors/bob?include=posts', { body: { posts: posts(1, 'five') } }),
    ],
  },
  {
    name: 'show the requested locale',
    config: magazine,
    steps: [
      get('/api/posts/one', { keep: { one: '/id' } }),
      put('/api/posts/{one}?locale=de', { title: 'Eins' }),
      get(`${ann}?include=posts&locale=de&fallbackLocale=en&reverse[posts][sort]=rank`, {
        body: { posts: { total: 3, items: [{ title: 'Two' }, { title: 'Three' }, { title: 'Eins' }] } },
      }),
      get(`${ann}?include=posts&locale=de&reverse[posts][sort]=-rank&reverse[posts][limit]=1`, {
        body: { posts: { items: [{ title: 'Eins' }] } },
      }),
      get(`${ann}?include=posts&locale=all&reverse[posts][sort]=-rank&reverse[posts][limit]=1`, {
        auth: true,
        body: { posts: { items: [{ title: { en: 'One', de: 'Eins' } }] } },
      }),
    ],
  },
  {
    name: 'change the tag of a response only if their entries may have changed',
    config: magazine,
    steps: [
      get(`${ann}?include=posts`, { keep: { tag: 'ETag' } }),
      get('/api/posts/one', { keep: { one: '/id' } }),
      get('/api/posts/four', { auth: true, keep: { four: '/id' } }),
      put('/api/posts/{four}', { rank: 9 }),
      get(`${ann}?include=posts`, { status: 304, headers: { 'If-None-Match': '{tag}' } }),
      get(`${ann}?include=posts&reverse[posts][limit]=1`, { headers: { 'If-None-Match': '{tag}' } }),
      get(`${ann}?include=posts&reverse[posts][sort]=rank`, { headers: { 'If-None-Match': '{tag}' } }),
      put('/api/posts/{one}', { rank: 9 }),
      get(`${ann}?include=posts`, { headers: { 'If-None-Match': '{tag}' }, keep: { later: 'ETag' } }),
      get(ann, { keep: { own: 'ETag' } }),
      put('/api/posts/{one}', { rank: 8 }),
      get(ann, { status: 304, headers: { 'If-None-Match': '{own}' } }),
      get('/api/authors?include=posts', { keep: { list: 'ETag' } }),
      put('/api/posts/{one}', { rank: 7 }),
      get('/api/authors?include=posts', { headers: { 'If-None-Match': '{list}' } }),
    ],
  },
])

describe.each(STORES)('reverse fields on $name', (store) => {
  test('a page of 20 authors with their five newest posts each takes two statements, over an index', async () => {
    const config = defineConfig({
      collections: {
        authors: defineCollection({ fields: { name: f.text(), posts: f.reverse('posts.author') } }),
        posts: defineCollection({ fields: { title: f.text(), status: f.status(), author: f.relation('authors') } }),
      },
    })
    await using place = await store.at()
    await place.serve(config, async (service) => {
      const ids: string[] = []
      for (let n = 0; n < 20; n++) ids.push((await create(service, 'authors', { name: `Author ${n}` })).id)
      for (let n = 0; n < 140; n++) await create(service, 'posts', { title: `Post ${n}`, author: ids[n % 20] })
    })
    await using reader = await StatementReader.open(place, config)
    const { items } = await reader.list('authors', 'include=posts&reverse[posts][limit]=5')
    expect(items).toHaveLength(20)
    for (const { posts: page } of items) expect(page).toMatchObject({ total: 7, items: Array(5).fill({}) })
    expect(reader.calls).toHaveLength(2)
    await reader.expectIndexed('posts$by$author')
    const again = await reader.list('authors', 'include=posts&reverse[posts][limit]=5')
    expect(again.items).toEqual(items)
    expect(reader.calls.at(-1)?.parameters, 'no post is counted twice').toContain('[]')
  })

  test('adding or removing one in the config rewrites nothing', async () => {
    const posts = defineCollection({ fields: { author: f.relation('authors') } })
    const without = { collections: { authors: defineCollection({ fields: { name: f.text() } }), posts } }
    const authors = defineCollection({ fields: { name: f.text(), posts: f.reverse('posts.author') } })
    await using place = await store.at()
    const stored = (): Promise<readonly object[]> => place.rows('SELECT seq, schema_hash, orphaned, doc FROM authors')
    const id = await place.serve(without, async (service) => (await create(service, 'authors', { name: 'Ann' })).id)
    const before = await stored()
    await place.serve({ collections: { authors, posts } }, async (service) => {
      await create(service, 'posts', { author: id })
      expect(await service.content.as(ANONYMOUS).get('authors', id, { include: ['posts'] })).toMatchObject({
        posts: { total: 1 },
      })
    })
    await place.start(without)
    expect(await stored()).toEqual(before)
  })

  test('a token sees no reverse field of a relation beyond its scopes', async () => {
    await using service = await store.open(magazine)
    const ghosted = (scopes: readonly string[]): Promise<unknown> =>
      service.content.as({ ...SYSTEM, scopes }).get('authors', 'bob', { include: ['ghosted'] })
    expect(await ghosted(['authors:read', 'posts:read'])).toMatchObject({ ghosted: { total: 1 } })
    await expect(ghosted(['authors:read'])).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  test('a response includes at most 2,000 documents, those of reverse fields among them', async () => {
    const config = defineConfig({
      collections: {
        tags: defineCollection({ fields: { name: f.text(), posts: f.reverse('posts.tag') } }),
        posts: defineCollection({ fields: { tag: f.relation('tags') } }),
      },
      seed: async (content) => {
        const tag = await content.create('tags', { name: 'a' })
        for (let n = 0; n < 50; n++) await content.create('posts', { tag: tag.id })
      },
    })
    await using service = await store.open(config)
    const path = '/api/tags?include=posts.tag.posts&reverse[posts][limit]=50'
    // 50 posts, each with its tag and 38 posts of that tag.
    const within = await sendRequest(service, `${path}&reverse[posts.tag.posts][limit]=38`)
    expect(parseBody(within)).toMatchObject({ items: [{ posts: { total: 50, limit: 50 } }] })
    const refusal = await sendRequest(service, `${path}&reverse[posts.tag.posts][limit]=39`)
    expect(parseBody(refusal)).toMatchObject({ code: 'VALIDATION_ERROR', details: { issues: [{ path: 'include' }] } })
  })
})

/** Records the statements that lists of an anonymous caller take once their tags are known. */
class StatementReader implements AsyncDisposable {
  readonly calls: NotedStatement[] = []
  readonly #database: Database
  readonly #engine: ContentContext

  private constructor(database: Database, config: DaybookConfig) {
    this.#database = database
    const noted = notedStore(database, (statement) => this.calls.push(statement))
    const tools = { renderMarkdown: async () => '' }
    this.#engine = new ContentContext({ model: compileModel(config), store: noted, tools })
  }

  static async open(place: Place, config: DaybookConfig): Promise<StatementReader> {
    const database = place instanceof Folder ? openSqlite(place.file) : await slowMachinePostgres(place.address).open()
    return new StatementReader(database, config)
  }

  async list(key: string, query: string): Promise<{ readonly items: readonly Readonly<Record<string, unknown>>[] }> {
    const { model } = this.#engine
    const collection = model.collections.get(key) as CollectionModel
    const parameters = readParameters(listParameters(collection, model.locales), parseQueryString(query))
    const response = await readList(this.#engine, new Access(model, ANONYMOUS), collection, parameters)
    this.calls.length = 0
    return JSON.parse(await response.read())
  }

  /** PostgreSQL would scan a table as small as this one. */
  async expectIndexed(index: string): Promise<void> {
    const { sql = '', parameters = [] } = this.calls.at(-1) ?? {}
    if (this.#database.dialect.hasCoveringIndexes) {
      const plan = await this.#database.reader.all<{ detail: string }>({
        sql: `EXPLAIN QUERY PLAN ${sql}`,
        bind: () => [...parameters],
      })
      const details = plan.map(({ detail }) => detail).join('\n')
      expect(details).toContain(`SEARCH entry USING COVERING INDEX ${index}`)
      expect(details).toContain('SEARCH entry USING INTEGER PRIMARY KEY')
      expect(details).not.toContain('SCAN entry')
    } else {
      await this.#database.alter(async (connection) => {
        await connection.run({ sql: 'SET LOCAL enable_seqscan = off', bind: () => [] })
        const plan = await connection.all<{ 'QUERY PLAN': string }>({
          sql: `EXPLAIN ${sql}`,
          bind: () => [...parameters],
        })
        const details = plan.map((row) => row['QUERY PLAN']).join('\n')
        expect(details).toMatch(new RegExp(`Index (Only )?Scan.* using "?${index.replaceAll('$', '\\$')}"? on posts`))
        expect(details).toMatch(/Index Scan using posts_pkey on posts/)
        expect(details).not.toContain('Seq Scan')
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database.close()
  }
}
