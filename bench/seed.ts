import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SYSTEM } from '../packages/daybook/src/auth/adapter.ts'
import { fillViews } from '../packages/daybook/src/content/draft.ts'
import type { Engine, RunWrite } from '../packages/daybook/src/content/engine.ts'
import { renderMarkdown } from '../packages/daybook/src/content/markdown.ts'
import { createEntry, updateEntry } from '../packages/daybook/src/content/write-entries.ts'
import type { CollectionModel, Model } from '../packages/daybook/src/model/model.ts'
import { databaseFile } from '../packages/daybook/src/service.ts'
import { openSqlite, type SqliteStore } from '../packages/daybook/src/store/sqlite.ts'
import { Store } from '../packages/daybook/src/store/store.ts'
import { makePage, makePost, type Targets } from './text.ts'

/** Changes when the content of a seeded store would: an older store is then made anew. */
const VERSION = 2
/** Posts in one transaction. */
const BATCH = 2000
const AUTHORS = 50
const TAGS = 40
/** Pages in several languages, at most. */
const PAGES = 10_000
const FIRST_POST_AT = Date.UTC(2020, 0, 1)
const MINUTE_MS = 60_000
/** Every so many posts, block-wise rendering is compared with that of the whole text. */
const RENDER_CHECK = 5000

/** Says what goes on. */
export type Say = (line: string) => void

/**
 * The folder of a store with `entries` posts, written by Daybook's own writer; one that an earlier run left in
 * `root` is used again when it still fits.
 */
export async function seededStore(root: string, entries: number, model: Model, say: Say): Promise<string> {
  const folder = join(root, `entries-${entries}`)
  const stampFile = join(folder, 'stamp.json')
  const stamp = JSON.stringify({ version: VERSION, entries, shapes: shapesOf(model) })
  const found = await readFile(stampFile, 'utf8').catch(() => undefined)
  if (found === stamp) {
    // Indexes may have come or gone since; Daybook's own start would see to that, and its time would count.
    await withStore(folder, model, async () => {})
    return folder
  }
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await fill(folder, entries, model, say)
  await writeFile(stampFile, stamp)
  return folder
}

const shapesOf = ({ collections }: Model): readonly string[] => [...collections.values()].map(({ shape }) => shape)

/** A seeded store holds nothing that a change of the config could lose. */
const acceptChange = async (): Promise<void> => {}

async function withStore(
  folder: string,
  model: Model,
  work: (store: Store, database: SqliteStore) => Promise<void>,
): Promise<void> {
  const database = openSqlite(databaseFile(folder))
  const store = new Store(database)
  try {
    await store.prepare(model, (writer, collection) => fillViews(model, writer, collection), acceptChange)
    await work(store, database)
  } finally {
    await store.close()
  }
}

async function fill(folder: string, entries: number, model: Model, say: Say): Promise<void> {
  await withStore(folder, model, async (store, database) => {
    const engine: Engine = { model, store, tools: { renderMarkdown: blockRenderer() }, totals: new Map() }
    hasten(database, entries)
    const targets = await store.transaction((writer) => addTargets(engine, (work) => work(writer)))
    await addPosts(engine, entries, targets, say)
    await addPages(engine, Math.min(entries, PAGES))
  })
}

/** Settings of this one connection for large transactions; what is written is the same. */
function hasten(database: SqliteStore, entries: number): void {
  const megabytes = Math.min(4096, 64 + Math.ceil(entries / 250))
  database.exec(`PRAGMA cache_size = -${megabytes * 1024}; PRAGMA wal_autocheckpoint = 100000`)
}

function collectionOf({ model }: Engine, key: string): CollectionModel {
  const found = model.collections.get(key)
  if (!found) throw new Error(`The config has no collection "${key}".`)
  return found
}

async function addTargets(engine: Engine, run: RunWrite): Promise<Targets> {
  const add = async (key: string, name: string): Promise<string> =>
    (await createEntry(engine, collectionOf(engine, key), { name }, SYSTEM, {}, run)).id
  const authors: string[] = []
  const tags: string[] = []
  for (let n = 1; n <= AUTHORS; n++) authors.push(await add('authors', `Author ${n}`))
  for (let n = 1; n <= TAGS; n++) tags.push(await add('tags', `Tag ${n}`))
  return { authors, tags }
}

async function addPosts(engine: Engine, entries: number, targets: Targets, say: Say): Promise<void> {
  const posts = collectionOf(engine, 'posts')
  const startedAt = performance.now()
  for (let first = 0; first < entries; first += BATCH) {
    const last = Math.min(first + BATCH, entries)
    await engine.store.transaction(async (writer) => {
      for (let number = first; number < last; number++) {
        const createdAt = new Date(FIRST_POST_AT + number * MINUTE_MS).toISOString()
        await createEntry(engine, posts, makePost(number, targets), SYSTEM, { createdAt }, (work) => work(writer))
      }
    })
    if (last % 50_000 === 0) {
      const seconds = (performance.now() - startedAt) / 1000
      say(`seeded ${last} of ${entries} entries, ${Math.round(last / seconds)} a second`)
    }
  }
}

/** Pages in English, every second one also in French. */
async function addPages(engine: Engine, count: number): Promise<void> {
  const pages = collectionOf(engine, 'pages')
  for (let first = 0; first < count; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index)
    const ids: string[] = []
    await engine.store.transaction(async (writer) => {
      for (const number of numbers) {
        const made = await createEntry(engine, pages, makePage(number, 'en'), SYSTEM, {}, (work) => work(writer))
        ids.push(made.id)
      }
    })
    const french = numbers.filter((number) => number % 2 === 0)
    await Promise.all(
      french.map((number) =>
        updateEntry(engine, pages, ids[number - first] ?? '', makePage(number, 'fr'), SYSTEM, { locale: 'fr' }),
      ),
    )
  }
}

/**
 * Renders each block once and puts texts together from that: blocks that blank lines separate do not touch each
 * other. Now and then a whole text is rendered as well, and must come out the same.
 */
function blockRenderer(): (source: string) => Promise<string> {
  const known = new Map<string, string>()
  const render = (block: string): string => {
    const html = known.get(block) ?? renderMarkdown(block)
    known.set(block, html)
    return html
  }
  let count = 0
  return async (source) => {
    const html = source.split('\n\n').map(render).join('\n')
    if (count++ % RENDER_CHECK === 0 && html !== renderMarkdown(source)) {
      throw new Error(`Blocks of this text touch each other:\n${source}`)
    }
    return html
  }
}
