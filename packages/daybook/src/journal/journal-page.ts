import type { Access } from '../content/access/access.ts'
import { findVisibleDrafts } from '../content/drafts/draft-access.ts'
import type { Engine } from '../content/engine.ts'
import { seenWithin } from '../content/past/seen-within.ts'
import { DaybookError, invalidAt } from '../errors.ts'
import { unknownCollection } from '../query/parameters.ts'
import { isStateAction } from '../store/journal-actions.ts'
import type { JournalRow } from '../store/reads/rows.ts'
import { GLOBALS } from '../store/tables/tables.ts'
import { anyOf, type CollectionView, isReadable, type ReaderViews, viewsOf } from './feed/reader-views.ts'

/** How many records are read together, and how often for one page. */
const RECORDS = 1000
const MAX_READS = 10

/** What is asked of the journal. */
export interface JournalQuestion {
  /** A number of the journal; records after it are listed. */
  readonly since: number
  /** Only what this subject did. */
  readonly actor?: string | undefined
  /** Keys of collections, and `globals`. @default all that the reader may read */
  readonly collections?: readonly string[] | undefined
  readonly limit: number
}

/** A change, as a reader may know it. */
export interface ListedRecord extends Omit<JournalRow, 'actor'> {
  /** Absent where the reader may not know who changes documents. */
  readonly actor?: string
}

/** Records in order, and the number to go on after. */
export interface JournalPage {
  readonly items: readonly ListedRecord[]
  readonly next: number
}

/**
 * Lists who changed what, of documents that the reader may read; of deleted ones, that could be read in the end.
 *
 * @throws VALIDATION_ERROR; GONE when the journal no longer has what came after the number
 */
export async function listJournal(engine: Engine, access: Access, question: JournalQuestion): Promise<JournalPage> {
  const { journal } = engine.store
  const floor = await journal.floor()
  if (question.since > 0 && question.since < floor)
    throw new DaybookError('GONE', 'The journal no longer has what came after this number.', { restart: floor })
  const reader = await readerOf(engine, access, question)
  const items: ListedRecord[] = []
  let next = question.since
  for (let reads = 0; reads < MAX_READS && items.length < question.limit; reads += 1) {
    const records = await journal.records(next, RECORDS)
    const shown = await reader.shown(records)
    const taken = shown.slice(0, question.limit - items.length)
    items.push(...taken)
    next = (taken.length < shown.length ? taken : records).at(-1)?.seq ?? next
    if (records.length < RECORDS) break
  }
  return { items, next }
}

async function readerOf(
  engine: Engine,
  access: Access,
  { collections, actor }: JournalQuestion,
): Promise<RecordReader> {
  const views = await viewsOf(access, collections)
  for (const key of collections ?? []) {
    const view = key === GLOBALS ? views.globals.view : views.collections.get(key)?.view
    if (!view || !isReadable(view)) throw unknownCollection(key)
  }
  const reader = new RecordReader(engine, access, views, actor)
  if (actor !== undefined && !reader.knowsPeople) throw invalidAt('actor', 'unknown_param', 'is no parameter here')
  return reader
}

/** Tells which records a reader may see. */
class RecordReader {
  readonly #engine: Engine
  readonly #access: Access
  readonly #views: ReaderViews
  readonly #actor: string | undefined

  constructor(engine: Engine, access: Access, views: ReaderViews, actor: string | undefined) {
    this.#engine = engine
    this.#access = access
    this.#views = views
    this.#actor = actor
  }

  /** Whether the reader may know who changes the documents of any collection. */
  get knowsPeople(): boolean {
    const { collections, globals } = this.#views
    const projections = [
      ...[...collections.values()].map(({ projection }) => projection),
      ...globals.projections.values(),
    ]
    return projections.some(({ hasPeople }) => hasPeople)
  }

  async shown(records: readonly JournalRow[]): Promise<readonly ListedRecord[]> {
    const asked = records.filter((record) => this.#isAsked(record))
    const readable = new Set<string>()
    for (const [key, own] of Map.groupBy(asked, ({ collection }) => collection)) {
      const ids = [...new Set(own.map(({ id }) => id))]
      for (const id of await this.#readable(key, ids)) readable.add(`${key} ${id}`)
    }
    const drafts = await this.#visibleDrafts(asked)
    const shown = asked.filter(({ action, collection, id }) => {
      const document = `${collection} ${id}`
      return readable.has(document) && (isStateAction(action) || drafts.has(document))
    })
    return shown.map((record) => this.#toListed(record))
  }

  /** The documents among those of records about drafts whose drafts exist for the reader. */
  async #visibleDrafts(records: readonly JournalRow[]): Promise<ReadonlySet<string>> {
    const visible = new Set<string>()
    const aboutDrafts = records.filter(({ action }) => !isStateAction(action))
    for (const [key, own] of Map.groupBy(aboutDrafts, ({ collection }) => collection)) {
      const collection = this.#views.collections.get(key)?.collection
      const ids = [...new Set(own.map(({ id }) => id))]
      const shown = collection ? await findVisibleDrafts(this.#access, this.#engine.store.read, collection, ids) : ids
      for (const id of shown) visible.add(`${key} ${id}`)
    }
    return visible
  }

  #isAsked(record: JournalRow): boolean {
    return this.#actor === undefined || (record.actor === this.#actor && this.#knows(record))
  }

  #knows({ collection, id }: JournalRow): boolean {
    const { collections, globals } = this.#views
    const global = collection === GLOBALS && [...globals.projections].find(([{ key }]) => key === id)
    const projection = global ? global[1] : collections.get(collection)?.projection
    return projection?.hasPeople ?? false
  }

  #toListed(record: JournalRow): ListedRecord {
    const { seq, at, actor, action, collection, id } = record
    return { seq, at, ...(this.#knows(record) ? { actor } : {}), action, collection, id }
  }

  async #readable(key: string, ids: readonly string[]): Promise<readonly string[]> {
    if (key === GLOBALS) return ids.filter((id) => this.#views.globals.view.rule.includes(id))
    const view = this.#views.collections.get(key)
    return view && view.seen.length > 0 ? this.#readableEntries(view, ids) : []
  }

  async #readableEntries(view: CollectionView, ids: readonly string[]): Promise<readonly string[]> {
    const { entries } = this.#engine.store.read
    const { collection, seen } = view
    const present = new Set((await entries.statuses(collection, ids)).map(({ id }) => id))
    const readable = (await entries.statuses(collection, ids, anyOf(seen))).map(({ id }) => id)
    const gone = ids.filter((id) => !present.has(id))
    const last: string[] = []
    for (const id of gone) if (await this.#wasReadable(view, id)) last.push(id)
    return [...readable, ...last]
  }

  /** Whether a deleted entry could be read in its last state. */
  async #wasReadable({ collection, seen }: CollectionView, id: string): Promise<boolean> {
    const { store } = this.#engine
    const last = await store.journal.stateAt(collection.key, id, await store.journal.head())
    if (!last) return false
    const at = { from: last.record.seq - 1, to: last.record.seq - 1 }
    const filters = seen.map((where) => ({ where, ...at }))
    return (await seenWithin(store, collection, [id], filters, at)).has(id)
  }
}
