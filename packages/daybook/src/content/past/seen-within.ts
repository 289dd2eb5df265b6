import type { CollectionModel } from '../../model/model.ts'
import type { Condition } from '../../query/where.ts'
import type { DocumentState } from '../../store/journal.ts'
import { parseWhole } from '../../store/journal.ts'
import type { Store } from '../../store/store.ts'
import { personOf } from '../engine.ts'
import { conditionHolds, type FindPast, type PastEntry, relatedIn } from './condition-holds.ts'

/** Positions of the journal, from the first to the last. */
export interface Window {
  readonly from: number
  readonly to: number
}

/** What entries had to hold to be seen, and the positions between which that was so. */
export interface PastFilter extends Window {
  /** `undefined`: nothing. */
  readonly where: Condition | undefined
}

/**
 * Which entries could be seen at any position of a window: a reader that came meanwhile may have been told of them. One
 * whose state was erased counts.
 *
 * @param filters each by itself
 */
export async function seenWithin(
  store: Store,
  collection: CollectionModel,
  ids: readonly string[],
  filters: readonly PastFilter[],
  { from: start, to: end }: Window,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0 || filters.length === 0) return new Set()
  // What was told under a view of earlier stands as it was at the end of that.
  const window = { from: Math.min(start, ...filters.map(({ to }) => to)), to: end }
  const histories = await historiesOf(store, collection, ids, window)
  const related = await relatedHistories(store, [...histories.values()], filters, window)
  const isSeen = (history: History): boolean => history.some((state, at) => isSeenIn(state, history[at + 1]))
  const isSeenIn = (state: PastState, next: PastState | undefined): boolean => {
    if (state.entry === null) return false
    const { entry } = state
    return filters.some(({ where, from, to }) => {
      const first = Math.max(state.seq, window.from, from)
      const last = Math.min(to, window.to, next ? next.seq - 1 : to)
      if (first > last) return false
      if (where === undefined || entry === undefined) return true
      const positions = positionsOf(related, entry, where, first, last)
      return positions.some((at) => conditionHolds(where, entry, findAt(related, at)) !== false)
    })
  }
  return new Set([...histories].filter(([, history]) => isSeen(history)).map(([id]) => id))
}

/** A document from one change to the next. */
interface PastState {
  readonly seq: number
  /** `null`: it was deleted; `undefined`: its state was erased. */
  readonly entry: PastEntry | null | undefined
}

/** The states of a document, in order. */
type History = readonly PastState[]

async function historiesOf(
  { journal, read }: Store,
  collection: CollectionModel,
  ids: readonly string[],
  { from, to }: Window,
): Promise<ReadonlyMap<string, History>> {
  const states = await journal.statesBetween(collection.key, ids, from, to)
  const makers = await read.feed.makers(collection, ids)
  const histories = new Map<string, PastState[]>()
  for (const state of states) {
    const { id, seq } = state.record
    const history = histories.get(id) ?? []
    history.push({ seq, entry: entryOf(collection, state, makers.get(id)) })
    histories.set(id, history)
  }
  return histories
}

function entryOf(
  collection: CollectionModel,
  { record, doc }: DocumentState,
  createdBy: string | null | undefined,
): PastState['entry'] {
  if (record.action === 'delete') return null
  if (doc === undefined) return undefined
  const { values } = parseWhole(doc)
  return { collection, values, createdBy, updatedBy: personOf(record.actor) }
}

/** Histories of the entries that conditions look at, by collection and id. */
type RelatedHistories = ReadonlyMap<string, History>

const nameOf = (collection: CollectionModel, id: string): string => `${collection.key} ${id}`

async function relatedHistories(
  store: Store,
  histories: readonly History[],
  filters: readonly PastFilter[],
  window: Window,
): Promise<RelatedHistories> {
  const entries = histories.flatMap((history) => history.map(({ entry }) => entry)).filter((one) => one != null)
  const targets = entries.flatMap((entry) => filters.flatMap(({ where }) => (where ? relatedIn(where, entry) : [])))
  const found = new Map<string, History>()
  for (const [to, ids] of Map.groupBy(targets, (one) => one.to)) {
    const own = await historiesOf(store, to, [...new Set(ids.map(({ id }) => id))], window)
    for (const [id, history] of own) found.set(nameOf(to, id), history)
  }
  return found
}

/** The positions, from the first one to the last, at which a related entry may have been another one than before. */
function positionsOf(
  related: RelatedHistories,
  entry: PastEntry,
  where: Condition,
  first: number,
  last: number,
): readonly number[] {
  const changes = relatedIn(where, entry).flatMap(({ to, id }) => related.get(nameOf(to, id)) ?? [])
  return [first, ...changes.map(({ seq }) => seq).filter((seq) => seq > first && seq <= last)]
}

const findAt =
  (related: RelatedHistories, position: number): FindPast =>
  (collection, id) => {
    const state = related.get(nameOf(collection, id))?.findLast(({ seq }) => seq <= position)
    return state ? state.entry : null
  }
