import { type AccessWhere, createService, defineCollection, defineConfig, f } from 'daybook'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ANONYMOUS } from '../../src/auth/adapter.ts'
import { Access } from '../../src/content/access/access.ts'
import { ContentContext } from '../../src/content/context.ts'
import { readList } from '../../src/content/reads/list.ts'
import { compileModel } from '../../src/model/compile.ts'
import type { CollectionModel, FilterableField } from '../../src/model/model.ts'
import { listParameters } from '../../src/query/list-query.ts'
import { parseQueryString, readParameters } from '../../src/query/parameters.ts'
import { readRuleWhere } from '../../src/query/rule-where.ts'
import { indexOrder } from '../../src/query/sort-order.ts'
import type { Database } from '../../src/store/database.ts'
import { Reader } from '../../src/store/reads/reader.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { SQLITE } from '../../src/store/sqlite/sqlite-dialect.ts'
import type { Store } from '../../src/store/store.ts'
import { Folder } from '../support/stores/folder.ts'
import { type NotedStatement, notedStore } from '../support/stores/noted-store.ts'

let rule: AccessWhere | true = true

const config = defineConfig({
  collections: {
    articles: defineCollection({
      fields: {
        title: f.text({ required: true }),
        status: f.status(),
        category: f.text(),
        minutes: f.integer(),
        day: f.date(),
        labels: f.select({ options: ['red', 'green'], many: true }),
      },
      access: { read: ({ principal }) => principal !== null || rule },
    }),
  },
})

const COUNT = 200

/** A store with articles that records the statements it runs. */
class Scene implements AsyncDisposable {
  readonly #folder: Folder
  readonly #database: Database
  readonly store: Store
  /** Reads the same store without the planner. */
  readonly unplanned: Reader
  readonly model = compileModel(config)
  readonly statements: NotedStatement[] = []

  private constructor(folder: Folder) {
    this.#folder = folder
    this.#database = openSqlite(folder.file)
    this.store = notedStore(this.#database, (statement) => this.statements.push(statement))
    this.unplanned = new Reader({ ...SQLITE, planner: undefined }, this.#database.reader)
  }

  static async make(): Promise<Scene> {
    const folder = await Folder.make()
    const service = await createService(config, { data: folder.address })
    for (let n = 0; n < COUNT; n++) {
      const entry = {
        title: `Word ${n}`,
        status: n % 4 === 0 ? ('draft' as const) : ('published' as const),
        category: ['release', 'event', null][n % 3] ?? null,
        minutes: n % 7 === 0 ? null : n % 13,
        day: `2026-01-${String(1 + (n % 28)).padStart(2, '0')}`,
        labels: n % 2 === 0 ? (['red'] as const) : [],
      }
      await service.content.create('articles', entry)
    }
    await service.close()
    return new Scene(folder)
  }

  get articles(): CollectionModel {
    return this.model.collections.get('articles') as CollectionModel
  }

  /** Explains SQLite's plans of the statements of a public list. */
  async explainList(query: string): Promise<readonly string[]> {
    this.statements.length = 0
    const context = new ContentContext({
      model: this.model,
      store: this.store,
      tools: { renderMarkdown: async () => '' },
    })
    const access = new Access(this.model, ANONYMOUS)
    const parameters = readParameters(listParameters(this.articles, this.model.locales), parseQueryString(query))
    await (await readList(context, access, this.articles, parameters)).read()
    const plans = this.statements.map(async ({ sql, parameters }) => {
      const rows = await this.#database.reader.all<{ detail: string }>({
        sql: `EXPLAIN QUERY PLAN ${sql}`,
        bind: () => [...parameters],
      })
      return rows.map(({ detail }) => detail).join('\n')
    })
    return Promise.all(plans)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database.close()
    await this.#folder[Symbol.asyncDispose]()
  }
}

const WHERES: readonly AccessWhere[] = [
  { category: { eq: 'release' } },
  { category: { ne: 'release' } },
  { category: { exists: false } },
  { minutes: { lt: 9 } },
  { minutes: { in: [1, 2] }, category: { eq: 'event' } },
  { title: { contains: '7' } },
  { title: { startsWith: 'Word 1' }, not: { minutes: { gt: 6 } } },
  { or: [{ category: { eq: 'event' } }, { minutes: { lt: 2 } }] },
  { or: [{ status: { eq: 'draft' } }, { minutes: { gte: 11 } }] },
  { labels: { in: ['red'] }, minutes: { gt: 3 } },
]

/** Sizes for which the planner chooses each of its forms. */
const size = fc
  .constantFrom(1, 100, 10_000, 1_000_000)
  .chain((all) =>
    fc
      .constantFrom(...[1, 10, 1000, 100_000].filter((matching) => matching <= all))
      .map((matching) => ({ matching, visible: all, total: all })),
  )

const list = fc.record({
  wheres: fc.subarray([...WHERES], { minLength: 1, maxLength: 2 }),
  by: fc.constantFrom('day', 'id', 'minutes', 'title'),
  descending: fc.boolean(),
  nullsFirst: fc.boolean(),
  limit: fc.constantFrom(1, 7, COUNT),
  offset: fc.constantFrom(0, 0, 5, 40),
  size,
})

test('a list has the same entries with and without the planner', async () => {
  await using scene = await Scene.make()
  const { articles, store, model } = scene
  const by = (path: string): FilterableField => articles.filterableFields.get(path) as FilterableField
  const statements = new Set<string>()
  await fc.assert(
    fc.asyncProperty(list, async ({ wheres, descending, nullsFirst, ...page }) => {
      const where = readRuleWhere({ and: wheres }, articles, model.collections)
      const lead = { by: by(page.by), descending, nullsFirst: page.by === 'id' ? !descending : nullsFirst }
      const sort = page.by === 'id' ? [lead] : [lead, indexOrder(by('id'), descending)]
      const unlimited = { statuses: undefined, search: undefined, after: undefined, hasAuthors: false }
      const query = { ...unlimited, ...page, where, sort }
      const { rows } = await store.read.lists.page(articles, query)
      statements.add(scene.statements.at(-1)?.sql ?? '')
      expect(rows).toEqual((await scene.unplanned.lists.page(articles, query)).rows)
      const counted = { where, search: undefined, statuses: ['published'] }
      expect(await store.read.lists.count(articles, counted)).toBe(await scene.unplanned.lists.count(articles, counted))
    }),
    { numRuns: 300, seed: 1 },
  )
  expect(statements.size).toBeGreaterThan(WHERES.length * 3)
})

test.each<AccessWhere>([
  { status: { eq: 'published' } },
  { category: { eq: 'release' } },
  { minutes: { lt: 12 } },
  { minutes: { lt: 12 }, category: { eq: 'release' } },
  { or: [{ category: { eq: 'release' } }, { minutes: { lt: 12 } }] },
  { category: { ne: 'release' } },
])('a list under the rule %j walks the index of its order', async (where) => {
  await using scene = await Scene.make()
  rule = where
  for (const plan of await scene.explainList('sort=-day&limit=10')) {
    expect(plan).not.toMatch(/TEMP B-TREE FOR ORDER BY|sqlite_autoindex_articles_1 \(id=\?\)/)
  }
  for (const plan of await scene.explainList('q=word&limit=10')) {
    // `=` would run one search for each candidate entry.
    expect(plan).not.toMatch(/VIRTUAL TABLE INDEX \d+:=|sqlite_autoindex_articles_1 \(id=\?\)/)
  }
})

test('a list walks the index of its order wherever empty values are sorted', async () => {
  await using scene = await Scene.make()
  rule = true
  for (const query of [
    'sort=minutes&nulls=last&limit=10',
    'sort=-minutes&nulls=first&limit=100',
    'sort=minutes&nulls=last&offset=10',
  ]) {
    const plans = (await scene.explainList(query)).filter((plan) => plan.includes('entry'))
    expect(plans).not.toEqual([])
    for (const plan of plans) {
      expect(plan).toContain('articles$by$minutes')
      expect(plan).not.toMatch(/TEMP B-TREE/)
    }
  }
})
