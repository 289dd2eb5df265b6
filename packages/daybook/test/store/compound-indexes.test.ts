import { type AccessWhere, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../src/auth/adapter.ts'
import { Access } from '../../src/content/access/access.ts'
import { ContentContext } from '../../src/content/context.ts'
import { readList } from '../../src/content/reads/list.ts'
import { compileModel } from '../../src/model/compile.ts'
import type { CollectionModel } from '../../src/model/model.ts'
import { listParameters } from '../../src/query/list-query.ts'
import { parseQueryString, readParameters } from '../../src/query/parameters.ts'
import type { Database } from '../../src/store/database.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { databaseFile } from '../../src/store/store.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'
import { Folder } from '../support/stores/folder.ts'
import { type NotedStatement, notedStore } from '../support/stores/noted-store.ts'
import { create, type Place } from '../support/stores/place.ts'
import { PostgresPlace } from '../support/stores/postgres-place.ts'
import { STORES } from '../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../support/timeouts.ts'

type Indexes = readonly (readonly string[])[]

const INDEXES: Indexes = [
  ['category', '-day'],
  ['category', 'featured', 'minutes'],
  ['category', 'day', '-minutes'],
  ['seo.rank', 'updatedAt'],
  ['category', 'featured'],
]

/** Builds a config of articles with a read rule for the public and compound indexes. */
function configWith(indexes: Indexes | undefined, rule: () => AccessWhere | true = () => true) {
  const articles = defineCollection({
    fields: {
      title: f.text({ required: true, localized: true }),
      status: f.status(),
      category: f.text({ maxLength: 100 }),
      day: f.date(),
      minutes: f.integer(),
      featured: f.boolean(),
      seo: f.group({ rank: f.integer() }),
    },
    access: { read: ({ identity }) => identity?.actorType === 'service' || rule() },
    ...(indexes ? { indexes } : {}),
  })
  return defineConfig({
    collections: { articles },
    locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
  })
}

const COUNT = 60

async function fill(place: Place, config: DaybookConfig): Promise<void> {
  await place.serve(config, async (service) => {
    for (let n = 0; n < COUNT; n++) {
      await create(service, 'articles', {
        title: `Word ${n}`,
        status: ['published', 'draft', 'published', 'archived', 'published'][n % 5],
        category: ['release', 'event', 'wg', null][n % 4],
        day: n % 6 === 0 ? null : `2026-01-${String(1 + (n % 11)).padStart(2, '0')}`,
        minutes: n % 7 === 0 ? null : n % 13,
        featured: n % 3 === 0 ? null : n % 3 === 1,
        seo: { rank: n % 4 },
      })
    }
  })
}

/** Filters on a prefix of an index, on more fields than it has, and on too few. */
const WHERES: readonly AccessWhere[] = [
  { category: { eq: 'release' } },
  { category: { eq: 'event' }, status: { in: ['draft', 'archived'] } },
  { category: { eq: 'wg' }, featured: { eq: true } },
  { category: { eq: 'event' }, day: { gt: '2026-01-04', lte: '2026-01-09' } },
  { category: { eq: 'event' }, day: { exists: true } },
  { category: { eq: 'event' }, day: { ne: '2026-01-04' } },
  { category: { eq: 'release' }, minutes: { in: [1, 2, 4] }, title: { contains: '1' } },
  { category: { eq: 'release' }, or: [{ minutes: { lt: 3 } }, { featured: { exists: false } }] },
  { category: { ne: 'release' } },
  { not: { category: { eq: 'release' } } },
  { or: [{ category: { eq: 'release' } }, { category: { eq: 'wg' } }] },
  { 'seo.rank': { eq: 2 } },
  { 'seo.rank': { eq: 2 }, category: { eq: 'nothing' } },
]

const ORDERS = ['-day', 'day', 'day,-minutes', '-day,minutes,title', 'minutes', '-updatedAt', '-createdAt', 'title']

interface Listed {
  readonly total: number
  readonly items: readonly { readonly title: string }[]
  readonly nextCursor: string | null
}

type List = (query: object) => Promise<Listed>

/** Reads all pages of a list. Returns the titles and the distinct totals. */
async function readPages(list: List, query: object): Promise<unknown> {
  const titles: string[] = []
  const totals = new Set<number>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Listed = await list({ ...query, limit: 7, ...(cursor ? { cursor } : {}) })
    titles.push(...page.items.map(({ title }) => title))
    totals.add(page.total)
    cursor = page.nextCursor
  }
  return { titles, totals: [...totals] }
}

/** Reads lists by each filter in each order, once as a `where` and once as an access rule. */
async function readLists(place: Place, indexes: Indexes | undefined): Promise<readonly unknown[]> {
  let rule: AccessWhere | true = true
  const lists: unknown[] = []
  await place.serve(
    configWith(indexes, () => rule),
    async ({ content }) => {
      for (const where of WHERES) {
        for (const sort of ORDERS) {
          const filtered: List = (query) => content.list('articles', query) as unknown as Promise<Listed>
          lists.push({ where, sort, ...((await readPages(filtered, { where, sort: sort.split(',') })) as object) })
          rule = where
          const ruled: List = (query) => content.as(ANONYMOUS).list('articles', query) as never
          lists.push({ rule, sort, ...((await readPages(ruled, { sort: sort.split(',') })) as object) })
          for (const extra of [{ locale: 'de' }, { q: 'word' }]) {
            const query = { sort: sort.split(','), ...extra }
            lists.push({ rule, query, ...((await readPages(ruled, query)) as object) })
          }
          rule = true
        }
      }
    },
  )
  return lists
}

describe.each(STORES)('compound indexes on $name', (store) => {
  test('change no result', { timeout: LARGE_TEST_MS }, async () => {
    await using place = await store.at()
    await fill(place, configWith(undefined))
    const without = await readLists(place, undefined)
    expect(await readLists(place, INDEXES)).toEqual(without)
  })

  test('are created for every locale when declared, and dropped when no longer declared', async () => {
    await using place = await store.at()
    const declared = async (): Promise<readonly string[]> =>
      (await place.names('index')).filter((name) => name.includes('category,'))
    await fill(place, configWith(undefined))
    expect(await declared()).toEqual([])
    const before = await place.schema()
    await place.start(configWith([['category', '-day']]))
    expect(await declared()).toEqual(['articles$by$category,-day', 'articles$de$by$category,-day'])
    await place.start(configWith([['category', 'day']]))
    expect(await declared()).toEqual(['articles$by$category,day', 'articles$de$by$category,day'])
    await place.start(configWith(undefined))
    expect(await place.schema()).toEqual(before)
  })

  test('accept the longest texts that their fields accept', async () => {
    await using place = await store.at()
    const fields = { title: f.text({ maxLength: 400 }), name: f.text({ maxLength: 200 }) }
    const config = { collections: { notes: { fields, indexes: [['title', 'name']] } } }
    await place.serve(config, async (service) => {
      const long = Array.from({ length: 600 }, (_, n) => String.fromCodePoint(0x1f300 + ((n * 7919) % 700)))
      const note = { title: long.slice(0, 400).join(''), name: long.slice(400).join('') }
      await create(service, 'notes', note)
      const where = { title: { eq: note.title } }
      expect(await service.content.list('notes', { where, sort: 'name' })).toMatchObject({ items: [note] })
    })
  })
})

/** An engine whose query plans are checked. */
interface Planned {
  readonly name: string
  at(): Promise<Place>
  open(address: string): Promise<Database>
  readonly explain: string
  /** Collects the engine's statistics. SQLite plans without them. */
  readonly analyze: string
  /** Matches a plan that sorts, or reads documents that are not on the page. */
  readonly isSlow: RegExp
}

const PLANNED: readonly Planned[] = [
  {
    name: 'sqlite',
    at: () => Folder.make(),
    open: async (address) => openSqlite(databaseFile(address)),
    explain: 'EXPLAIN QUERY PLAN',
    analyze: '',
    isSlow: /TEMP B-TREE|autoindex/,
  },
  {
    name: 'postgres',
    at: () => PostgresPlace.make(),
    open: (address) => slowMachinePostgres(address).open(),
    explain: 'EXPLAIN',
    analyze: 'ANALYZE articles',
    isSlow: /Seq Scan|Bitmap|Sort|Filter: .*category/,
  },
]

const INDEXED_WHERES: readonly AccessWhere[] = [
  { category: { eq: 'release' } },
  { category: { eq: 'release' }, day: { gte: '2026-01-03' } },
  { category: { eq: 'release' }, day: { exists: true } },
]

/** Inserts enough articles for an engine with statistics to have a choice. */
const MANY = `INSERT INTO articles (id, status, created_at, updated_at, seq, schema_hash, doc)
  SELECT id || 'x' || n, status, created_at, updated_at, seq, schema_hash, doc
  FROM articles, (SELECT pk AS n FROM articles ORDER BY pk LIMIT 40) AS many`

/** Explains the statements that read the entries of a public list. */
async function explainList(database: Database, explain: string, where: AccessWhere, query: string): Promise<string[]> {
  const statements: NotedStatement[] = []
  const store = notedStore(database, (statement) => statements.push(statement))
  const model = compileModel(configWith([['category', '-day']], () => where))
  const articles = model.collections.get('articles') as CollectionModel
  const context = new ContentContext({ model, store, tools: { renderMarkdown: async () => '' } })
  const parameters = readParameters(listParameters(articles, model.locales), parseQueryString(query))
  await (await readList(context, new Access(model, ANONYMOUS), articles, parameters)).read()
  const plans = statements
    .filter(({ sql }) => /order by/i.test(sql))
    .map(async ({ sql, parameters }) => {
      const rows = await database.reader.all<object>({ sql: `${explain} ${sql}`, bind: () => [...parameters] })
      return rows.map((row) => Object.values(row).join(' ')).join('\n')
    })
  return Promise.all(plans)
}

describe.each(PLANNED)('a compound index on $name', ({ at, open, explain, analyze, isSlow }) => {
  test.each(INDEXED_WHERES)(
    'serves a list under the rule %j without sorting or extra reads',
    { timeout: LARGE_TEST_MS },
    async (where) => {
      await using place = await at()
      const config = configWith([['category', '-day']])
      await fill(place, config)
      await place.exec(MANY)
      await place.exec(analyze)
      await place.exec(`UPDATE daybook$collections SET counts = '{"published":${COUNT * 41}}' WHERE key = 'articles'`)
      const database = await open(place.address)
      for (const query of [
        'sort=-day&limit=5',
        'sort=day&limit=5',
        'sort=-day&limit=5&offset=50',
        'sort=day&nulls=last&limit=5',
        'sort=-day&nulls=first&limit=5',
      ]) {
        const plans = await explainList(database, explain, where, query)
        expect(plans).not.toEqual([])
        for (const plan of plans) {
          expect(plan).toContain('articles$by$category,-day')
          expect(plan).not.toMatch(isSlow)
        }
      }
      await database.close()
    },
  )
})
