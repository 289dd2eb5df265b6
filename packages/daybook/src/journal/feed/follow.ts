import type { PastFilter } from '../../content/past/seen-within.ts'
import { DaybookError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import { unknownCollection } from '../../query/parameters.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import {
  type CollectionPosition,
  type FeedPosition,
  isFirstWalk,
  startOf,
  type ToldView,
  type View,
} from './position.ts'
import {
  both,
  type CollectionView,
  type GlobalsView,
  isReadable,
  type ReaderViews,
  type SeenWheres,
  seenUnder,
} from './reader-views.ts'

/** Says that a copy has to be made anew; the token to begin with is added where tokens are made. */
export class Outdated extends Error {
  override readonly name = 'Outdated'
}

/**
 * How often the view may change in the course of one walk until the changes no longer count: a token names each. After
 * those, entries that are out of sight by a later change may be named as deleted.
 */
const MAX_NARROWINGS = 8

/** A collection as a reader follows it. */
export interface Followed {
  readonly view: CollectionView
  /** What is seen now. */
  readonly now: SeenWheres
  /** What its reader may have been told of, under all views of the token, the present one too. */
  readonly before: readonly PastFilter[]
}

/** The collections that a token is about. */
export interface Following {
  readonly collections: ReadonlyMap<string, Followed>
  readonly globals: GlobalsView | undefined
  /** The position with what has changed in the reader's views. */
  readonly position: FeedPosition
}

/**
 * Brings a position together with what its holder may see now. A collection whose view is another one is walked again.
 *
 * @param asked keys of collections; `undefined`: all that the reader may read
 * @param head the last number of the journal: views that are new here begin with it
 * @throws {Outdated}; VALIDATION_ERROR when the reader may not read one of them, or there is none
 */
export function follow(
  model: Model,
  views: ReaderViews,
  position: FeedPosition,
  asked: readonly string[] | undefined,
  head: number,
): Following {
  const keys = new Set(asked ?? [...heldKeys(position), ...readableKeys(views)])
  requireKnown(views, position, keys)
  const collections = [...keys].map((key) => [key, positionIn(key, views, position, head)] as const)
  const own = { ...position, collections: Object.fromEntries(collections) }
  const followed = collections.flatMap(([key, { views: seen }]) => {
    const view = views.collections.get(key)
    return view ? [[key, followedAs(model, view, seen, position.told)] as const] : []
  })
  return { collections: new Map(followed), globals: keys.has(GLOBALS) ? views.globals : undefined, position: own }
}

/**
 * The position of a reader who is told what changes from now on, and nothing of what is there.
 *
 * @param asked see {@link follow}
 * @throws VALIDATION_ERROR
 */
export function fromNow(views: ReaderViews, asked: readonly string[] | undefined, head: number): FeedPosition {
  const start = startOf(head)
  const keys = new Set(asked ?? readableKeys(views))
  requireKnown(views, start, keys)
  const settled = [...keys].map((key) => [key, { views: [{ ...presentView(key, views), from: head }] }] as const)
  return { ...start, collections: Object.fromEntries(settled) }
}

/** Keys of the collections of which a reader may see anything, `globals` among them. */
function readableKeys({ collections, globals }: ReaderViews): readonly string[] {
  const readable = [...collections].filter(([, { view }]) => isReadable(view)).map(([key]) => key)
  return isReadable(globals.view) ? [...readable, GLOBALS] : readable
}

/** Keys of the collections of which the holder of a token may have been told anything. */
function heldKeys({ collections }: FeedPosition): readonly string[] {
  return Object.keys(collections).filter((key) => collections[key]?.views.some(isReadable))
}

/** A collection that a token is about may have come out of reach: its holder is told so. */
function requireKnown(views: ReaderViews, { collections }: FeedPosition, keys: ReadonlySet<string>): void {
  const readable = readableKeys(views)
  for (const key of keys) {
    if (readable.includes(key)) continue
    if (!(key in collections)) throw unknownCollection(key)
    if (key !== GLOBALS && !views.collections.has(key)) throw new Outdated()
  }
}

const presentView = (key: string, { collections, globals }: ReaderViews): View =>
  key === GLOBALS ? globals.view : (collections.get(key) as CollectionView).view

/** Where the walk and the stream of a collection stand, with its present view. */
function positionIn(
  key: string,
  views: ReaderViews,
  { collections, told }: FeedPosition,
  head: number,
): CollectionPosition {
  const now = presentView(key, views)
  const before = collections[key]
  const begun = { ...now, from: head }
  const last = before?.views.at(-1)
  if (!before || !last) return { views: [begun], walked: 0 }
  const isSettled = isFirstWalk(before) && before.walked === undefined
  if (last.name === now.name && !(isSettled && last.isNarrowing)) return before
  // A walk that has begun ends in its own view, as far as the present one allows: else it might never end. Another follows.
  if (!isSettled) return { ...before, views: narrowed(before.views, now, told) }
  return { views: [...ended(before.views, told), begun], walked: 0 }
}

/** Views that end where their holder has come to. */
const ended = (views: readonly ToldView[], told: number): readonly ToldView[] =>
  views.map((one) => ({ ...one, to: one.to ?? told }))

/** From here on its holder is told what is seen now too. */
function narrowed(views: readonly ToldView[], now: View, told: number): readonly ToldView[] {
  const narrowings = views.filter(({ isNarrowing }) => isNarrowing).length
  if (narrowings < MAX_NARROWINGS) return [...ended(views, told), { ...now, from: told, isNarrowing: true }]
  // It equals no present one.
  return views.map((one, at) => (views[at + 1] ? one : { ...one, name: '' }))
}

function followedAs(model: Model, view: CollectionView, views: readonly ToldView[], told: number): Followed {
  const seen = seenUnderEach(model, view, views)
  const last = seen.at(-1) ?? []
  const isPresent = views.at(-1)?.name === view.view.name
  const before = views.flatMap(({ from, to = told }, at) => (seen[at] ?? []).map((where) => ({ where, from, to })))
  return { view, now: isPresent ? last : both(view.seen, last), before }
}

/** What entries had to hold under each view of a token: under one that narrows, what those before it ask for too. */
function seenUnderEach(model: Model, view: CollectionView, views: readonly ToldView[]): readonly SeenWheres[] {
  const seen: SeenWheres[] = []
  for (const one of views) {
    const own = one.name === view.view.name ? view.seen : underFormer(model, view, one)
    seen.push(one.isNarrowing ? both(seen.at(-1) ?? [], own) : own)
  }
  return seen
}

function underFormer(model: Model, { collection }: CollectionView, view: View): SeenWheres {
  const seen = seenUnder(model, collection, view)
  if (!seen) throw new Outdated()
  return seen
}

/** Refuses a token; its holder begins anew. */
export const gone = (restart: string): DaybookError => new DaybookError('GONE', undefined, { restart })
