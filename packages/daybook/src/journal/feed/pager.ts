import type { Engine } from '../../content/engine.ts'
import { seenWithin } from '../../content/past/seen-within.ts'
import { blankRow, globalIn } from '../../content/reads/globals.ts'
import { present } from '../../content/reads/present.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import { readLocale } from '../../query/locale.ts'
import { relatedCollections } from '../../query/where.ts'
import { isStateAction } from '../../store/journal-actions.ts'
import type { FeedPlace, FeedRow } from '../../store/reads/feed-reader.ts'
import type { JournalRow } from '../../store/reads/rows.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import type { Followed, Following } from './follow.ts'
import {
  type CollectionPosition,
  type DependentsPosition,
  type FeedPosition,
  isFirstWalk,
  viewsOfLastWalk,
} from './position.ts'
import { anyOf } from './reader-views.ts'

/** One item of the feed. */
export interface FeedItem {
  readonly action: 'upsert' | 'delete'
  /** As JSON text without line breaks. */
  readonly json: string
}

/** The most records that are read together. */
const RECORDS = 1000
/** The most entries that are read together: as many as a list has. */
const SET = 100
/** A page of so many characters is not added to. */
const MAX_PAGE_LENGTH = 8 * 1024 * 1024
/** How many steps make a page at most: what passes over many records without an item leaves the rest to the next page. */
const MAX_STEPS = 12

/** A page, and where the next one begins. */
export interface PagerResult {
  readonly items: readonly FeedItem[]
  readonly position: FeedPosition
  /** Whether nothing more was to be told when it was made. */
  readonly isLast: boolean
}

/** Makes one page of the feed: from a position as far as its items reach. */
export class Pager {
  readonly #engine: Engine
  readonly #following: Following
  readonly #limit: number
  /** By document: of each, only its present state is told. */
  readonly #items = new Map<string, FeedItem>()
  #position: FeedPosition
  /** Of all items, in characters. */
  #length = 0

  /** @param limit how many items it has at most */
  constructor(engine: Engine, following: Following, limit: number) {
    this.#engine = engine
    this.#following = following
    this.#limit = limit
    this.#position = following.position
  }

  async make(): Promise<PagerResult> {
    let isLast = false
    for (let step = 0; step < MAX_STEPS && this.#room > 0 && !isLast; step += 1) isLast = !(await this.#step())
    const told = await this.#engine.store.journal.head()
    return { items: [...this.#items.values()], position: { ...this.#position, told }, isLast }
  }

  /** How many items may be added in this step. */
  get #room(): number {
    return this.#length < MAX_PAGE_LENGTH ? Math.min(SET, this.#limit - this.#items.size) : 0
  }

  /** @returns whether there may be more */
  async #step(): Promise<boolean> {
    const walk = Object.entries(this.#position.collections).find(([, { walked }]) => walked !== undefined)
    if (walk) await this.#walk(...walk)
    else if (this.#position.dependents) await this.#tellDependents(this.#position.dependents)
    else return this.#stream()
    return true
  }

  async #walk(key: string, position: CollectionPosition): Promise<void> {
    if (key === GLOBALS) return this.#walkGlobals(position)
    const followed = this.#followed(key)
    const { walked = 0 } = position
    const places = isFirstWalk(position)
      ? await this.#tellNext(followed, walked)
      : await this.#tellAgain(followed, walked)
    const last = places.at(-1)
    if (last) this.#setCollection(key, { ...position, walked: last.pk })
    else await this.#endWalk(key, position)
  }

  /** Tells the next entries to a reader who has none yet. */
  async #tellNext({ view, now }: Followed, walked: number): Promise<readonly FeedPlace[]> {
    if (now.length === 0) return []
    const seen = { where: anyOf(now), hasPeople: view.projection.hasPeople ?? false }
    const rows = await this.#engine.store.read.feed.after(view.collection, walked, this.#room, seen)
    for (const row of rows) this.#upsert(view, row)
    return rows
  }

  /** Tells the next entries that the reader sees now, or saw under a view of earlier. */
  async #tellAgain(followed: Followed, walked: number): Promise<readonly FeedPlace[]> {
    const { view, now, before } = followed
    const either = [...now, ...before.map(({ where }) => where)]
    if (either.length === 0) return []
    const { feed } = this.#engine.store.read
    const places = await feed.placesAfter(view.collection, walked, this.#room, anyOf(either))
    const ids = places.map(({ id }) => id)
    await this.#tellOf(followed, ids, this.#position.told)
    return places
  }

  /** Former views count until the stream has come to all that changed while the walk went on. */
  async #endWalk(key: string, position: CollectionPosition): Promise<void> {
    const settledAt = isFirstWalk(position) ? undefined : await this.#engine.store.journal.head()
    this.#setCollection(key, { views: position.views, settledAt })
  }

  async #walkGlobals(position: CollectionPosition): Promise<void> {
    const before = new Set(position.views.flatMap(({ rule }) => (Array.isArray(rule) ? rule : [])))
    for (const key of before) if (!this.#globals().some((one) => one.key === key)) this.#delete(GLOBALS, key)
    for (const global of this.#globals()) await this.#upsertGlobal(global)
    await this.#endWalk(GLOBALS, position)
  }

  /** @returns whether there were records */
  async #stream(): Promise<boolean> {
    const records = this.#fitting(await this.#engine.store.journal.records(this.#position.seq, RECORDS))
    const end = records.at(-1)?.seq
    if (end === undefined) return false
    await this.#tellChanged(records, end)
    const next = this.#dependentsIn(records, end)
    if (next) this.#position = { ...this.#position, dependents: next }
    else this.#goTo(end)
    return true
  }

  /** As many of these records as have documents for the rest of the page. */
  #fitting(records: readonly JournalRow[]): readonly JournalRow[] {
    const documents = new Set<string>()
    const end = records.findIndex((record) => {
      const { collection, id } = record
      if (isTold(record) && collection in this.#position.collections) documents.add(`${collection} ${id}`)
      return documents.size > this.#room
    })
    return end === -1 ? records : records.slice(0, end)
  }

  async #tellChanged(records: readonly JournalRow[], end: number): Promise<void> {
    const changed = Map.groupBy(records.filter(isTold), ({ collection }) => collection)
    for (const [key, own] of changed) {
      const ids = [...new Set(own.map(({ id }) => id))]
      if (key === GLOBALS) await this.#tellGlobals(ids)
      else if (this.#following.collections.has(key)) await this.#tellOf(this.#followed(key), ids, end)
    }
  }

  /** Tells of entries what they are now; of those that are not seen, that they are gone, if they were seen since the position. */
  async #tellOf(followed: Followed, ids: readonly string[], end: number): Promise<void> {
    const told = await this.#tellSeen(followed, ids)
    const { collection } = followed.view
    const others = ids.filter((id) => !told.has(id))
    const window = { from: this.#position.seq, to: end }
    const lost = await seenWithin(this.#engine.store, collection, others, followed.before, window)
    for (const id of others) {
      // It may have been told of a moment ago, on this page.
      if (lost.has(id) || this.#items.has(nameOf(collection.key, id))) this.#delete(collection.key, id)
    }
  }

  /** @returns ids of those that are seen */
  async #tellSeen({ view, now }: Followed, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (now.length === 0 || ids.length === 0) return new Set()
    const seen = { where: anyOf(now), hasPeople: view.projection.hasPeople ?? false }
    const rows = await this.#engine.store.read.feed.byIds(view.collection, ids, seen)
    const found = new Map(rows.map((row) => [row.id, row]))
    for (const id of ids) {
      const row = found.get(id)
      if (row) this.#upsert(view, row)
    }
    return new Set(found.keys())
  }

  async #tellGlobals(keys: readonly string[]): Promise<void> {
    for (const global of this.#globals()) if (keys.includes(global.key)) await this.#upsertGlobal(global)
  }

  /** The globals that the reader may read. */
  #globals(): readonly GlobalModel[] {
    return [...(this.#following.globals?.projections.keys() ?? [])]
  }

  /** Where telling of entries begins that refer to documents of these records, if a rule looks at those. */
  #dependentsIn(records: readonly JournalRow[], end: number): DependentsPosition | undefined {
    const [first] = this.#dependents(records)
    return first === undefined ? undefined : { end, collection: first, pk: 0 }
  }

  /** Keys of followed collections whose rules look at documents of any of these records. */
  #dependents(records: readonly JournalRow[]): readonly string[] {
    const touched = new Set(records.filter(isTold).map(({ collection }) => collection))
    const looksAt = ({ now, before }: Followed): boolean =>
      [...now, ...before.map(({ where }) => where)].some((where) =>
        relatedCollections(where).some(({ key }) => touched.has(key)),
      )
    return [...this.#following.collections].filter(([, one]) => looksAt(one)).map(([key]) => key)
  }

  async #tellDependents({ end, collection: key, pk }: DependentsPosition): Promise<void> {
    const { store } = this.#engine
    const records = (await store.journal.records(this.#position.seq, RECORDS)).filter(({ seq }) => seq <= end)
    const followed = this.#following.collections.get(key)
    const targets = [...new Set(records.filter(isTold).map(({ id }) => id))]
    const places = followed
      ? await store.read.feed.referrersAfter(followed.view.collection, targets, pk, this.#room)
      : []
    const last = places.at(-1)
    if (followed && last) {
      const ids = places.map(({ id }) => id)
      await this.#tellOf(followed, ids, end)
      this.#position = { ...this.#position, dependents: { end, collection: key, pk: last.pk } }
    } else this.#endDependents(key, records, end)
  }

  #endDependents(key: string, records: readonly JournalRow[], end: number): void {
    const all = this.#dependents(records)
    const next = all[all.indexOf(key) + 1]
    if (next === undefined || !all.includes(key)) this.#goTo(end)
    else this.#position = { ...this.#position, dependents: { end, collection: next, pk: 0 } }
  }

  #goTo(seq: number): void {
    const collections = Object.entries(this.#position.collections).map(([key, one]) => {
      const isSettled = one.settledAt !== undefined && seq >= one.settledAt
      return [key, isSettled ? { views: viewsOfLastWalk(one) } : one] as const
    })
    this.#position = { seq, told: this.#position.told, collections: Object.fromEntries(collections) }
  }

  #setCollection(key: string, one: CollectionPosition): void {
    const collections = { ...this.#position.collections, [key]: one }
    this.#position = { ...this.#position, collections }
    // All of the journal may be told already.
    if (one.settledAt !== undefined && !this.#position.dependents) this.#goTo(this.#position.seq)
  }

  #followed(key: string): Followed {
    const followed = this.#following.collections.get(key)
    if (!followed) throw new Error(`${key} is not followed`)
    return followed
  }

  #upsert({ collection, projection }: Followed['view'], row: FeedRow): void {
    const slug = slugOf(collection, projection.hidden, row)
    this.#add('upsert', collection.key, row.id, `${slug},"data":${present(collection, row, projection)}`)
  }

  async #upsertGlobal(global: GlobalModel): Promise<void> {
    const { model, store } = this.#engine
    const projection = this.#following.globals?.projections.get(global) ?? { hidden: new Set() }
    const row = (await store.read.globals.byKey(global.key)) ?? blankRow(global)
    const shown = globalIn(this.#engine, global, row, readLocale({}, model.locales))
    this.#add('upsert', GLOBALS, global.key, `,"data":${present(global, shown, projection)}`)
  }

  #delete(collection: string, id: string): void {
    this.#add('delete', collection, id, '')
  }

  #add(action: FeedItem['action'], collection: string, id: string, rest: string): void {
    const name = nameOf(collection, id)
    const json = `{"action":"${action}","collection":"${collection}","id":"${id}"${rest}}`
    // It comes last that was told last.
    this.#items.delete(name)
    this.#items.set(name, { action, json })
    this.#length += json.length
  }
}

const nameOf = (collection: string, id: string): string => `${collection} ${id}`

const isTold = ({ action }: JournalRow): boolean => isStateAction(action)

function slugOf({ slug }: CollectionModel, hidden: ReadonlySet<string>, row: FeedRow): string {
  return slug && row.slug !== null && !hidden.has(slug.key) ? `,"slug":${JSON.stringify(row.slug)}` : ''
}
