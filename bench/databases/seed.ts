import { SYSTEM } from '../../packages/daybook/src/auth/adapter.ts'
import { Access } from '../../packages/daybook/src/content/access/access.ts'
import { Engine } from '../../packages/daybook/src/content/engine.ts'
import { markdownRenderer } from '../../packages/daybook/src/content/markdown/markdown.ts'
import { storedContentOf } from '../../packages/daybook/src/content/stored-content.ts'
import { writeContext } from '../../packages/daybook/src/content/writes/context.ts'
import {
  type NewEntryOptions,
  prepareCreate,
  prepareUpdate,
} from '../../packages/daybook/src/content/writes/entries.ts'
import { carryOut, type Transact } from '../../packages/daybook/src/content/writes/prepared.ts'
import type { CollectionModel, Model } from '../../packages/daybook/src/model/model.ts'
import type { Database } from '../../packages/daybook/src/store/database.ts'
import { Store } from '../../packages/daybook/src/store/store.ts'
import type { Say } from './databases.ts'
import { makePage, makePost, type Targets } from './text.ts'

/** Changes when the content of a seeded store would: an older store is then made anew. */
const VERSION = 2
/** Posts in one transaction. */
const BATCH = 2000
const AUTHORS = 50
const TAGS = 40
/** Pages in several languages, at most. */
const IMPORTED_PAGES = 10_000
const FIRST_POST_AT = Date.UTC(2020, 0, 1)
const MINUTE_MS = 60_000
/** Every so many posts, block-wise rendering is compared with that of the whole text. */
const RENDER_CHECK = 5000

/** Tells what a seeded store holds: one whose stamp is another is made anew. */
export function stampOf(entries: number, { collections }: Model): string {
  return JSON.stringify({
    version: VERSION,
    entries,
    shapes: [...collections.values()].map(({ schemaHash }) => schemaHash),
  })
}

/** A seeded store holds nothing that a change of the config could lose. */
const acceptChange = async (): Promise<void> => {}

/** Brings a store into the form of the config, as Daybook's own start would, whose time would count. */
export async function prepareStore(database: Database, model: Model): Promise<Store> {
  const store = new Store(database)
  await store.prepare(model, storedContentOf(model), acceptChange)
  return store
}

/** Fills an empty store by Daybook's own writer. */
export async function fillStore(database: Database, entries: number, model: Model, say: Say): Promise<void> {
  const store = await prepareStore(database, model)
  const engine = new Engine({ model, store, tools: { renderMarkdown: blockRenderer() } })
  const targets = await store.transaction((writer) => addTargets(engine, (work) => work(writer)))
  await addPosts(engine, entries, targets, say)
  await addPages(engine, Math.min(entries, IMPORTED_PAGES))
}

function collectionOf({ model }: Engine, key: string): CollectionModel {
  const found = model.collections.get(key)
  if (!found) throw new Error(`The config has no collection "${key}".`)
  return found
}

/** Answers the id of a new entry. */
async function createSeed(
  engine: Engine,
  collection: CollectionModel,
  data: object,
  transact: Transact,
  options: NewEntryOptions = {},
): Promise<string> {
  const context = await writeContext(engine, new Access(engine.model, SYSTEM), { transact })
  return (await carryOut(context, () => prepareCreate(context, collection, data, options))).id
}

async function addTargets(engine: Engine, transact: Transact): Promise<Targets> {
  const add = async (key: string, name: string): Promise<string> =>
    createSeed(engine, collectionOf(engine, key), { name }, transact)
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
        await createSeed(engine, posts, makePost(number, targets), (work) => work(writer), { createdAt })
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
        ids.push(await createSeed(engine, pages, makePage(number, 'en'), (work) => work(writer)))
      }
    })
    const french = numbers.filter((number) => number % 2 === 0)
    const context = await writeContext(engine, new Access(engine.model, SYSTEM), { locale: 'fr' })
    const translate = (number: number): Promise<unknown> =>
      carryOut(context, () => prepareUpdate(context, pages, ids[number - first] ?? '', makePage(number, 'fr')))
    await Promise.all(french.map(translate))
  }
}

/**
 * Renders each block once and puts texts together from that: blocks that blank lines separate do not touch each
 * other. Now and then a whole text is rendered as well, and must come out the same.
 */
function blockRenderer(): (source: string) => Promise<string> {
  const renderMarkdown = markdownRenderer()
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
