import type { ContentContext } from '../../content/context.ts'
import { findVisibleDuring, type JournalRange } from '../../content/drafts/index.ts'
import { resolveLocale } from '../../content/locales/locale.ts'
import { localizeGlobal, present, toBlankRow } from '../../content/reads/index.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import { isStateAction } from '../../store/journal-actions.ts'
import type { FeedRow } from '../../store/reads/feed-reader.ts'
import type { JournalRow } from '../../store/rows.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import type { CallerView, CollectionView } from './caller-view.ts'
import type { FeedPosition, WalkPosition } from './feed-tokens.ts'

/** A document as it is now, or its removal from the copy. */
export interface FeedItem {
  readonly action: 'upsert' | 'delete'
  /** JSON without line breaks. */
  readonly json: string
}

/** The maximum number of records that are read at a time. */
const RECORDS_PER_READ = 1000
/** The maximum number of entries that are read at a time, as in a list. */
const ENTRIES_PER_READ = 100
/** The length at which a page is full, in characters. */
const MAX_PAGE_LENGTH = 8 * 1024 * 1024
/** The maximum number of reads for a page: many records without an item are left to the next page. */
const MAX_STEPS = 12

export interface PagerResult {
  readonly items: readonly FeedItem[]
  readonly position: FeedPosition
  /** True if there was nothing more when the page was read. */
  readonly isLast: boolean
}

/** Returns the start of a walk through all documents of a view. */
export const startWalk = (view: CallerView): WalkPosition | undefined => getNextWalk(view, undefined)

/** Returns the start of the collection after `key`, or of the first one. */
function getNextWalk({ collections, globals }: CallerView, key: string | undefined): WalkPosition | undefined {
  const keys = [...collections.keys(), ...(globals.size > 0 ? [GLOBALS] : [])]
  const next = keys[key === undefined ? 0 : keys.indexOf(key) + 1]
  return next === undefined ? undefined : { key: next, after: 0 }
}

/** Reads one page of the feed: first the walk through all documents, then the records of the journal. */
export class Pager {
  readonly #context: ContentContext
  readonly #view: CallerView
  readonly #limit: number
  /** The items by document; a page has one for each. */
  readonly #items = new Map<string, FeedItem>()
  #position: FeedPosition
  /** The length of all items, in characters. */
  #length = 0

  /** @param limit the maximum number of items */
  constructor(context: ContentContext, view: CallerView, position: FeedPosition, limit: number) {
    this.#context = context
    this.#view = view
    this.#position = position
    this.#limit = limit
  }

  /**
   * Reads the page, which ends before a record that changed an entry that rules read.
   *
   * @returns `undefined` if that is the first record: other entries may have become visible or hidden
   */
  async read(): Promise<PagerResult | undefined> {
    const { journal } = this.#context.store
    for (let step = 0; step < MAX_STEPS && this.#capacity > 0; step += 1) {
      const { seq, walk } = this.#position
      if (walk) {
        await this.#walk(walk)
        continue
      }
      const records = await journal.records(seq, RECORDS_PER_READ)
      if (records.length === 0) return this.#toResult(true)
      if (records.some((record) => this.#changesVisibility(record))) return step > 0 ? this.#toResult(false) : undefined
      await this.#stream(records)
    }
    return this.#toResult(false)
  }

  #toResult(isLast: boolean): PagerResult {
    return { items: [...this.#items.values()], position: this.#position, isLast }
  }

  /** The number of items that may be added in this step. */
  get #capacity(): number {
    return this.#length < MAX_PAGE_LENGTH ? Math.min(ENTRIES_PER_READ, this.#limit - this.#items.size) : 0
  }

  async #walk(walk: WalkPosition): Promise<void> {
    const capacity = this.#capacity
    const view = this.#view.collections.get(walk.key)
    const offsets = view ? await this.#walkEntries(view, walk.after) : await this.#walkGlobals(walk.after)
    const last = offsets.at(-1)
    const isOver = last === undefined || offsets.length < capacity
    const next = isOver ? getNextWalk(this.#view, walk.key) : { key: walk.key, after: last }
    this.#position = { ...this.#position, walk: next }
  }

  /** @returns the `pk` of each entry */
  async #walkEntries(view: CollectionView, after: number): Promise<readonly number[]> {
    const { feed } = this.#context.store.read
    const rows = await feed.after(view.collection, after, this.#capacity, toFilter(view))
    for (const row of rows) this.#upsert(view, row)
    return rows.map(({ pk }) => pk)
  }

  /** @returns the position of each global in the order of the view, from 1 on */
  async #walkGlobals(after: number): Promise<readonly number[]> {
    const globals = [...this.#view.globals.keys()].slice(after, after + this.#capacity)
    for (const global of globals) await this.#upsertGlobal(global)
    return globals.map((_, index) => after + index + 1)
  }

  async #stream(records: readonly JournalRow[]): Promise<void> {
    const { seq, view } = this.#position
    const fitting = this.#takeFitting(records)
    const end = fitting.at(-1)?.seq ?? seq
    const changes = Map.groupBy(fitting.filter(isStateChange), ({ collection }) => collection)
    for (const [key, group] of changes) {
      const ids = [...new Set(group.map(({ id }) => id))]
      const collection = this.#view.collections.get(key)
      if (collection) await this.#addChanged(collection, ids, { from: seq, to: end })
      else if (key === GLOBALS) await this.#addGlobals(ids)
    }
    this.#position = { seq: end, view }
  }

  /** Returns the first records whose documents fit into the rest of the page. */
  #takeFitting(records: readonly JournalRow[]): readonly JournalRow[] {
    const documents = new Set<string>()
    const end = records.findIndex((record) => {
      const { collection, id } = record
      const isInView = collection === GLOBALS || this.#view.collections.has(collection)
      if (isInView && isStateChange(record)) documents.add(`${collection} ${id}`)
      return documents.size > this.#capacity
    })
    return end === -1 ? records : records.slice(0, end)
  }

  #changesVisibility(record: JournalRow): boolean {
    return isStateChange(record) && this.#view.dependencies.has(record.collection)
  }

  /** Adds entries as they are now. A hidden entry is removed if it was visible in the range, and never named if it was not. */
  async #addChanged(view: CollectionView, ids: readonly string[], range: JournalRange): Promise<void> {
    const { store } = this.#context
    const { collection, visible } = view
    const visibleRows = await store.read.feed.byIds(collection, ids, toFilter(view))
    const rows = new Map(visibleRows.map((row) => [row.id, row]))
    const hidden = ids.filter((id) => !rows.has(id))
    const removed = await findVisibleDuring(store, collection, hidden, visible, range)
    for (const id of ids) {
      const row = rows.get(id)
      if (row) this.#upsert(view, row)
      else if (removed.has(id)) this.#add('delete', collection.key, id, '')
    }
  }

  async #addGlobals(keys: readonly string[]): Promise<void> {
    for (const global of this.#view.globals.keys()) if (keys.includes(global.key)) await this.#upsertGlobal(global)
  }

  #upsert({ collection, projection }: CollectionView, row: FeedRow): void {
    const slug = writeSlugMember(collection, projection.hidden, row)
    this.#add('upsert', collection.key, row.id, `${slug},"data":${present(collection, row, projection)}`)
  }

  async #upsertGlobal(global: GlobalModel): Promise<void> {
    const { model, store } = this.#context
    const projection = this.#view.globals.get(global) ?? { hidden: new Set() }
    const row = (await store.read.globals.byKey(global.key)) ?? toBlankRow(global)
    const localized = localizeGlobal(this.#context, global, row, resolveLocale({}, model.locales))
    this.#add('upsert', GLOBALS, global.key, `,"data":${present(global, localized, projection)}`)
  }

  #add(action: FeedItem['action'], collection: string, id: string, rest: string): void {
    const key = `${collection} ${id}`
    const json = `{"action":"${action}","collection":"${collection}","id":"${id}"${rest}}`
    // Re-insert, so that the newest item is last.
    this.#items.delete(key)
    this.#items.set(key, { action, json })
    this.#length += json.length
  }
}

const isStateChange = ({ action }: JournalRow): boolean => isStateAction(action)

const toFilter = ({ visible, projection }: CollectionView) => ({
  where: visible,
  hasAuthors: projection.hasAuthors ?? false,
})

function writeSlugMember({ slug }: CollectionModel, hidden: ReadonlySet<string>, row: FeedRow): string {
  return slug && row.slug !== null && !hidden.has(slug.key) ? `,"slug":${JSON.stringify(row.slug)}` : ''
}
