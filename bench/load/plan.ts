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
import type { LeanPage, LeanRow, LeanTable } from '../floor/lean-store.ts'

/** A statement as Daybook ran it. */
export interface Call extends NotedStatement {
  /** Whether the engine may keep it prepared, as opposed to planning it for its parameters each time. */
  readonly isKept: boolean
}

/** A list as text around its total and its documents. */
interface ListText {
  /** How many documents are shown. */
  readonly shown: number
  /** The text before the total, between total and documents, and after them. */
  readonly parts: readonly [string, string, string]
}

/** What the replaying floor answers a list request with; one more row is read than shown, to see whether there are others. */
export interface PagePlan extends ListText {
  readonly counters: Call
  readonly page: Call
}

/** An answer that the replaying floor gives by running Daybook's statements and sending its bytes. */
export interface ReplayPlan {
  readonly calls: readonly Call[]
  readonly json: string
}

/** What the replaying floor needs to know to answer as Daybook does. */
export interface StatementsPlan {
  readonly engine: EngineName
  /** The database that Daybook serves. */
  readonly address: string
  /** Takes a slug as its only parameter. */
  readonly entry: Call
  readonly pages: Readonly<Record<string, PagePlan>>
  readonly replays: Readonly<Record<string, ReplayPlan>>
}

/** The same for the lean floor. */
export interface LeanPlan {
  readonly engine: EngineName
  /** The floor's own database. */
  readonly address: string
  readonly pages: Readonly<Record<string, LeanPage>>
}

/** Addresses to ask for, and what new posts refer to. */
export interface Targeting {
  readonly entries: readonly string[]
  /** The present tags of the first of them. */
  readonly entryTags: readonly string[]
  readonly list: string
  readonly pages: readonly string[]
  readonly include: string
  readonly reverse: string
  readonly where: readonly string[]
  readonly localized: string
  /** The present tag of the list. */
  readonly listTag: string
  readonly search: string
  /** A page far from the list's beginning by `offset`, and the same one by cursor. */
  readonly deep: { readonly byOffset: string; readonly byCursor: string }
  /** The list with fields that make half of its bytes. */
  readonly half: string
  readonly targets: Targets
}

const LIST = '/api/posts'
const INCLUDE = `${LIST}?include=author`
const REVERSE = '/api/authors?sort=slug&include=posts&reverse[posts][limit]=5'
const LOCALIZED = '/api/pages?locale=fr'
/** How many different entries are asked for, at most. */
const ENTRIES = 10_000
/** How many entries are asked for by their tags, at most. */
const TAGGED = 1000
/** How many places of the collection pages are asked from. */
const LIST_PAGES = 50
/** How deep a page by `offset` begins: nine tenths of a store with fewer posts than ten thousand. */
const DEEP = 9000
/** The fields of a post but the HTML of its text, which is half of it. */
const HALF = `${LIST}?select=title,slug,body,status,author,tags,category,publishedOn,createdAt,updatedAt`
/** What is asked of every store alike. */
export const QUESTIONS: Pick<Targeting, 'list' | 'include' | 'reverse' | 'where' | 'localized' | 'search' | 'half'> = {
  list: LIST,
  include: INCLUDE,
  reverse: REVERSE,
  where: CATEGORIES.map((category) => `${LIST}?where[category][eq]=${category}`),
  localized: LOCALIZED,
  search: `${LIST}?q=${COMMONEST}`,
  half: HALF,
}
/** Posts that are read together for the lean floor. */
const BATCH = 1000

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

  /** Reads an entry like a reader without a session; answers its tag, and what it took. */
  async entry(slug: string): Promise<{ readonly tag: string; readonly calls: readonly Call[] }> {
    this.calls.length = 0
    const plan = await planEntry(this.engine, this.#access, this.posts, slug, readParameters({}, new Map()))
    await plan.read()
    return { tag: plan.tag, calls: [...this.calls] }
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}

/** What the floors answer, wherever their databases are. */
export interface Answers {
  readonly statements: Pick<StatementsPlan, 'entry' | 'pages' | 'replays'>
  readonly lean: Pick<LeanPlan, 'pages'>
}

/** Looks up what to ask a seeded store, and how Daybook answers it. */
export async function makePlan(
  store: BenchStore,
  model: Model,
): Promise<{ readonly answers: Answers; readonly targeting: Targeting }> {
  const notebook = new Notebook(await store.open(), model)
  try {
    const slugs = await someSlugs(notebook)
    const pages = await somePages(notebook)
    const targeting: Targeting = {
      ...QUESTIONS,
      entries: slugs.map((slug) => `${LIST}/${slug}`),
      entryTags: await tagsOf(notebook, slugs.slice(0, TAGGED)),
      pages: pages.map(({ path }) => path),
      listTag: (await notebook.ask(LIST)).tag,
      deep: await deepPage(notebook),
      targets: { authors: await idsOf(notebook, 'authors'), tags: await idsOf(notebook, 'tags') },
    }
    const statements = await notedStatements(notebook, targeting)
    const lean = await leanPages(notebook, pages)
    return { answers: { statements, lean: { pages: lean } }, targeting }
  } finally {
    await notebook.close()
  }
}

async function notedStatements(notebook: Notebook, targeting: Targeting): Promise<Answers['statements']> {
  const [slug = ''] = targeting.entries.map((path) => path.slice(LIST.length + 1))
  const [entry, ...others] = (await notebook.entry(slug)).calls
  if (!entry || others.length > 0) throw new Error('Daybook no longer reads an entry with one statement: see plan.ts.')
  const pages: Record<string, PagePlan> = {}
  for (const path of [LIST, ...targeting.pages]) pages[path] = await pagePlan(notebook, path)
  const replays: Record<string, ReplayPlan> = {}
  for (const path of [INCLUDE, REVERSE, LOCALIZED, targeting.search, ...targeting.where]) {
    const { calls, json } = await notebook.ask(path)
    replays[path] = { calls, json }
  }
  return { entry, pages, replays }
}

async function leanPages(notebook: Notebook, pages: readonly ListPlace[]): Promise<LeanPlan['pages']> {
  const plans: Record<string, LeanPage> = {}
  const add = async (table: LeanTable, path: string, first: number): Promise<void> => {
    const { shown, parts } = textOf((await notebook.ask(path)).json)
    plans[path] = { table, first, last: first + shown - 1, parts }
  }
  await add('posts', LIST, 1)
  await add('joined', INCLUDE, 1)
  for (const { path, first } of pages) await add('posts', path, first)
  return plans
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

/** The tags of entries. */
async function tagsOf(notebook: Notebook, slugs: readonly string[]): Promise<readonly string[]> {
  const tags: string[] = []
  for (const slug of slugs) tags.push((await notebook.entry(slug)).tag)
  return tags
}

/** A page, and the place of its first entry in the list, from 1 on. */
interface ListPlace {
  readonly path: string
  readonly first: number
}

/** The page after so many entries and one more. */
async function pageAfter(notebook: Notebook, offset: number): Promise<ListPlace> {
  const { json } = await notebook.list(new Map(Object.entries({ limit: ['1'], offset: [String(offset)] })))
  const { nextCursor } = JSON.parse(json) as { nextCursor: string }
  return { path: `${LIST}?cursor=${nextCursor}`, first: offset + 2 }
}

async function totalOf(notebook: Notebook): Promise<number> {
  const { json } = await notebook.list(new Map([['limit', ['0']]]))
  return (JSON.parse(json) as { total: number }).total
}

/** Pages anywhere in the collection. */
async function somePages(notebook: Notebook): Promise<readonly ListPlace[]> {
  const total = await totalOf(notebook)
  const pages: ListPlace[] = []
  for (let n = 0; n < LIST_PAGES; n++) {
    pages.push(await pageAfter(notebook, Math.floor((n / LIST_PAGES) * Math.max(0, total - 25))))
  }
  return pages
}

async function deepPage(notebook: Notebook): Promise<Targeting['deep']> {
  const offset = Math.min(DEEP, Math.floor((await totalOf(notebook)) * 0.9))
  return { byOffset: `${LIST}?offset=${offset}`, byCursor: (await pageAfter(notebook, offset - 1)).path }
}

async function pagePlan(notebook: Notebook, path: string): Promise<PagePlan> {
  const query = new URLSearchParams(path.split('?')[1] ?? '')
  const { json, calls } = await notebook.list(new Map([...query].map(([name, value]) => [name, [value]])))
  const [counters, page, ...others] = calls
  if (!counters || !page || others.length > 0) {
    throw new Error('Daybook no longer reads a page with two statements: see plan.ts.')
  }
  return { counters, page, ...textOf(json) }
}

function textOf(json: string): ListText {
  const [, head = '', middle = ''] = /^(\{"collection":"\w+","total":)\d+(,.*?"items":\[)/.exec(json) ?? []
  const tail = json.slice(json.lastIndexOf('],"nextCursor"'))
  return { shown: JSON.parse(json).items.length, parts: [head, middle, tail] }
}

/** All published posts in the order of the list, for the lean floor. */
export async function* leanRows(store: BenchStore): AsyncGenerator<readonly LeanRow[]> {
  const database = await store.open()
  const rows = <Row>(sql: string, ...values: unknown[]): Promise<readonly Row[]> =>
    Promise.resolve(database.reader.all<Row>({ sql, bind: () => values }))
  try {
    const authors = new Map(
      (await rows<{ id: string; doc: string }>('SELECT id, doc FROM authors')).map(({ id, doc }) => [id, doc]),
    )
    let position = 1
    let last: PostRow = { created_at: '~', id: '', slug: '', doc: '' }
    for (;;) {
      const batch = await rows<PostRow>(NEXT_POSTS, last.created_at, last.id, BATCH)
      if (batch.length === 0) return
      yield batch.map(({ slug, doc }) => ({ position: position++, slug, doc, joined: joinAuthor(doc, authors) }))
      last = batch.at(-1) ?? last
    }
  } finally {
    await database.close()
  }
}

interface PostRow {
  readonly created_at: string
  readonly id: string
  readonly slug: string
  readonly doc: string
}

// SQLite would begin with the index of the status, and sort a million entries for each batch.
const NEXT_POSTS = `SELECT created_at, id, slug, doc FROM posts WHERE status || '' = 'published' AND (created_at, id) < (?, ?)
  ORDER BY created_at DESC, id DESC LIMIT ?`

/** Every quote in a text of a document stands behind a backslash, so that this finds its field alone. */
const joinAuthor = (doc: string, authors: ReadonlyMap<string, string>): string =>
  doc.replace(/(?<=,"author":)"([^"]+)"/, (reference, id: string) => authors.get(id) ?? reference)
