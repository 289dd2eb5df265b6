import { ANONYMOUS } from '../../packages/daybook/src/auth/adapter.ts'
import { Access } from '../../packages/daybook/src/content/access/access.ts'
import { Engine } from '../../packages/daybook/src/content/engine.ts'
import { planEntry } from '../../packages/daybook/src/content/reads/entry.ts'
import { planList } from '../../packages/daybook/src/content/reads/list.ts'
import type { CollectionModel, Model } from '../../packages/daybook/src/model/model.ts'
import { listParameters } from '../../packages/daybook/src/query/list-query.ts'
import { type Params, readParameters } from '../../packages/daybook/src/query/parameters.ts'
import type { Database } from '../../packages/daybook/src/store/database.ts'
import { type NotedStatement, notedStore } from '../../packages/daybook/test/support/stores/noted-store.ts'
import type { BenchStore, EngineName } from '../databases/databases.ts'
import { CATEGORIES, COMMONEST, randomFrom, type Targets } from '../databases/text.ts'

/** A statement as Daybook ran it. */
export interface Call extends NotedStatement {
  /** Whether the engine may keep it prepared, as opposed to planning it for its parameters each time. */
  readonly isKept: boolean
}

/** What the floor answers a list request with: rows between constant text, the total among it. */
export interface PagePlan {
  readonly counters: Call
  readonly page: Call
  /** How many of the rows are shown; one more is read to see whether there are others. */
  readonly shown: number
  /** The text before the total, between total and rows, and after the rows. */
  readonly parts: readonly [string, string, string]
}

/** An answer that the floor gives by running Daybook's statements and sending its bytes. */
export interface ReplayPlan {
  readonly calls: readonly Call[]
  readonly json: string
}

/** What the floor needs to know to answer as Daybook does. */
export interface FloorPlan {
  readonly engine: EngineName
  /** The database that Daybook serves. */
  readonly address: string
  /** Another database for the floor's own inserts. */
  readonly writeAddress: string
  /** Takes a slug as its only parameter. */
  readonly entry: Call
  readonly pages: Readonly<Record<string, PagePlan>>
  readonly replays: Readonly<Record<string, ReplayPlan>>
}

/** Addresses to ask for, and what new posts refer to. */
export interface Targeting {
  readonly entries: readonly string[]
  readonly list: string
  readonly pages: readonly string[]
  readonly include: string
  readonly reverse: string
  readonly where: readonly string[]
  readonly localized: string
  /** The present tag of the list. */
  readonly listTag: string
  readonly search: string
  readonly targets: Targets
}

const LIST = '/api/posts'
const INCLUDE = `${LIST}?include=author`
const REVERSE = '/api/authors?sort=slug&include=posts&reverse[posts][limit]=5'
const LOCALIZED = '/api/pages?locale=fr'
/** How many different entries are asked for, at most. */
const ENTRIES = 10_000
/** How many places of the collection pages are asked from. */
const LIST_PAGES = 50

/** A list, and the statements that it took. */
interface NotedList {
  readonly json: string
  readonly tag: string
  readonly calls: readonly Call[]
}

/** A store that notes the statements it runs. */
class Notebook {
  readonly calls: Call[] = []
  readonly engine: Engine
  readonly posts: CollectionModel
  readonly #access: Access
  readonly #database: Database

  constructor(database: Database, model: Model) {
    this.#database = database
    const store = notedStore(database, (statement, by) => {
      this.calls.push({ ...statement, isKept: by === 'reader' })
    })
    this.engine = new Engine({ model, store, tools: { renderMarkdown: async () => '' } })
    this.#access = new Access(model, ANONYMOUS)
    this.posts = model.collections.get('posts') as CollectionModel
  }

  rows<Row>(sql: string, ...values: unknown[]): Promise<readonly Row[]> {
    return this.#database.reader.all<Row>({ sql, bind: () => values })
  }

  #read(params: Params, collection: CollectionModel) {
    return readParameters(listParameters(collection, this.engine.model.locales), params)
  }

  /** Lists like a reader without a session. */
  async list(params: Params, collection = this.posts): Promise<NotedList> {
    this.calls.length = 0
    const plan = await planList(this.engine, this.#access, collection, this.#read(params, collection))
    return { tag: await plan.etag(), json: await plan.read(), calls: [...this.calls] }
  }

  /** Lists what an address asks for, once the count of its matches is known. */
  async ask(path: string): Promise<NotedList> {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    const collection = this.engine.model.collections.get(pathname.split('/').at(-1) ?? '')
    const params = new Map([...searchParams].map(([name, value]) => [name, [value]] as const))
    await this.list(params, collection)
    return this.list(params, collection)
  }

  async entry(slug: string): Promise<readonly Call[]> {
    this.calls.length = 0
    const plan = await planEntry(this.engine, this.#access, this.posts, slug, readParameters({}, new Map()))
    await plan.read()
    return [...this.calls]
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}

/** What the floor answers, wherever its database is. */
export type Answers = Pick<FloorPlan, 'entry' | 'pages' | 'replays'>

/** Looks up what to ask a seeded store, and how Daybook answers it. */
export async function makePlan(
  store: BenchStore,
  model: Model,
): Promise<{ readonly answers: Answers; readonly targeting: Targeting }> {
  const notebook = new Notebook(await store.open(), model)
  try {
    const slugs = await someSlugs(notebook)
    const pages = await somePages(notebook)
    const targets = { authors: await idsOf(notebook, 'authors'), tags: await idsOf(notebook, 'tags') }
    const where = CATEGORIES.map((category) => `${LIST}?where[category][eq]=${category}`)
    const targeting: Targeting = {
      entries: slugs.map((slug) => `${LIST}/${slug}`),
      list: LIST,
      pages,
      include: INCLUDE,
      reverse: REVERSE,
      where,
      localized: LOCALIZED,
      listTag: (await notebook.ask(LIST)).tag,
      search: `${LIST}?q=${COMMONEST}`,
      targets,
    }
    const [call, ...others] = await notebook.entry(slugs[0] ?? '')
    if (!call || others.length > 0) throw new Error('Daybook no longer reads an entry with one statement: see plan.ts.')
    const plans: Record<string, PagePlan> = {}
    for (const path of [LIST, ...pages]) plans[path] = await pagePlan(notebook, path)
    const replays: Record<string, ReplayPlan> = {}
    for (const path of [INCLUDE, REVERSE, LOCALIZED, ...where]) {
      const { calls, json } = await notebook.ask(path)
      replays[path] = { calls, json }
    }
    return { answers: { entry: call, pages: plans, replays }, targeting }
  } finally {
    await notebook.close()
  }
}

async function idsOf(notebook: Notebook, table: string): Promise<readonly string[]> {
  return (await notebook.rows<{ id: string }>(`SELECT id FROM "${table}"`)).map(({ id }) => id)
}

/** Slugs of published posts from all over the collection, in no order. */
async function someSlugs(notebook: Notebook): Promise<readonly string[]> {
  const [{ last } = { last: 0 }] = await notebook.rows<{ last: number }>('SELECT max(pk) AS last FROM posts')
  const random = randomFrom(7)
  const slugs = new Set<string>()
  for (let tries = 0; tries < Math.min(ENTRIES, last) * 1.1; tries++) {
    const at = 1 + Math.floor(random() * last)
    const [row] = await notebook.rows<{ slug: string; status: string }>(
      'SELECT slug, status FROM posts WHERE pk = ?',
      at,
    )
    if (row?.status === 'published') slugs.add(row.slug)
  }
  return [...slugs]
}

/** Addresses of pages anywhere in the collection. */
async function somePages(notebook: Notebook): Promise<readonly string[]> {
  const { json } = await notebook.list(new Map([['limit', ['0']]]))
  const { total } = JSON.parse(json) as { total: number }
  const pages: string[] = []
  for (let n = 0; n < LIST_PAGES; n++) {
    const offset = Math.floor((n / LIST_PAGES) * Math.max(0, total - 25))
    const { json: page } = await notebook.list(new Map(Object.entries({ limit: ['1'], offset: [String(offset)] })))
    const { nextCursor } = JSON.parse(page) as { nextCursor: string }
    pages.push(`${LIST}?cursor=${nextCursor}`)
  }
  return pages
}

async function pagePlan(notebook: Notebook, path: string): Promise<PagePlan> {
  const query = new URLSearchParams(path.split('?')[1] ?? '')
  const { json, calls } = await notebook.list(new Map([...query].map(([name, value]) => [name, [value]])))
  const [counters, page, ...others] = calls
  if (!counters || !page || others.length > 0) {
    throw new Error('Daybook no longer reads a page with two statements: see plan.ts.')
  }
  const [, head = '', middle = ''] = /^(\{"collection":"\w+","total":)\d+(,.*?"items":\[)/.exec(json) ?? []
  const tail = json.slice(json.lastIndexOf('],"nextCursor"'))
  return { counters, page, shown: JSON.parse(json).items.length, parts: [head, middle, tail] }
}
