import type { CollectionModel } from '../../../model/model.ts'
import type { Condition } from '../../../query/where.ts'
import { type DocumentState, parseWhole } from '../../../store/journal.ts'
import type { Store } from '../../../store/store.ts'
import { personOf } from '../../engine.ts'
import { type EntryState, type FindState, listRelated, matchesWhere } from './match-where.ts'

/** Positions of the journal, from the first to the last. */
export interface JournalRange {
  readonly from: number
  readonly to: number
}

/**
 * Finds the entries that matched a filter at any position of a range. An entry whose state was erased counts as one.
 *
 * The filter evaluates related entries as they were at the end of the range: they must not have changed within it.
 *
 * @param where `undefined`: every entry matches
 * @returns ids
 */
export async function findVisibleDuring(
  store: Store,
  collection: CollectionModel,
  ids: readonly string[],
  where: Condition | undefined,
  range: JournalRange,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const states = await readStates(store, collection, ids, range)
  const find = where ? await readRelated(store, states, where, range.to) : () => null
  const matches = ({ state }: DatedState): boolean => {
    if (!state || !where) return state !== null
    return matchesWhere(where, state, find) !== false
  }
  return new Set(states.filter(matches).map(({ id }) => id))
}

/** An entry from one change to the next. */
interface DatedState {
  readonly id: string
  /** `null`: the entry was deleted; `undefined`: its state was erased. */
  readonly state: EntryState | null | undefined
}

async function readStates(
  { journal, read }: Store,
  collection: CollectionModel,
  ids: readonly string[],
  { from, to }: JournalRange,
): Promise<readonly DatedState[]> {
  const states = await journal.statesBetween(collection.key, ids, from, to)
  const authors = await read.feed.authors(collection, ids)
  return states.map((stored) => {
    const { id } = stored.record
    return { id, state: toEntryState(collection, stored, authors.get(id)) }
  })
}

function toEntryState(
  collection: CollectionModel,
  { record, doc }: DocumentState,
  createdBy: string | null | undefined,
): DatedState['state'] {
  if (record.action === 'delete') return null
  if (doc === undefined) return undefined
  const { values } = parseWhole(doc)
  return { collection, values, createdBy, updatedBy: personOf(record.actor) }
}

/** The entries that a filter reads through relations, as they were at one position. */
async function readRelated(
  store: Store,
  states: readonly DatedState[],
  where: Condition,
  position: number,
): Promise<FindState> {
  const related = new Map<string, DatedState['state']>()
  const targets = states.flatMap(({ state }) => (state ? listRelated(where, state) : []))
  for (const [to, references] of Map.groupBy(targets, (target) => target.to)) {
    const ids = [...new Set(references.map(({ id }) => id))]
    for (const { id, state } of await readStates(store, to, ids, { from: position, to: position }))
      related.set(`${to.key} ${id}`, state)
  }
  return ({ key }, id) => (related.has(`${key} ${id}`) ? related.get(`${key} ${id}`) : null)
}
