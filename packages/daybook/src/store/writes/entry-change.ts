import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { JournalAction, StateAction } from '../journal-actions.ts'
import type { StoredEntry, WrittenEntry } from '../reads/rows.ts'
import { talliedValues } from '../tables/members.ts'
import { isPartlyPublished } from '../tables/tables.ts'
import type { CountChange } from './commit-batch.ts'
import { type TallyChange, tallyChanges } from './tallies.ts'

/** One record of the journal, before it has its number. */
export interface Change {
  readonly at: string
  /** The subject of the actor. */
  readonly actor: string
  readonly action: JournalAction
  /** A collection's key, or `globals`. */
  readonly collection: string
  /** An entry's id, or a global's key. */
  readonly id: string
}

/** What is known of a change besides its rows. */
export interface KnownChange {
  /** Whether searches find the entry by the same words and values and in the same status: its search rows stay. @default false */
  readonly isFoundAsBefore?: boolean
  /** Whether its references and the members of its many-valued fields are the same: their rows stay. @default false */
  readonly hasSameMembers?: boolean
  /** What the journal calls it. @default 'update' */
  readonly action?: StateAction
}

/** A change or a deletion of an entry. */
export interface EntryChange {
  readonly collection: CollectionModel
  readonly before: StoredEntry
  /** `undefined`: it is deleted. */
  readonly after: WrittenEntry | undefined
  /** ISO 8601. */
  readonly at: string
  /** The subject of the actor. */
  readonly actor: string
  readonly known: KnownChange
}

/** How an entry's coming, change or going moves the counters of its collection. */
export function countChange(
  collection: CollectionModel,
  seq: number,
  before: StoredEntry | undefined,
  after: WrittenEntry | undefined,
): CountChange {
  const { key, status, counted } = collection
  const tallies = counted.length === 0 ? [] : talliesOf(collection, before, after)
  const states = [before, after].filter((one) => one !== undefined)
  return {
    key,
    seq,
    isVisible: status === undefined || states.some((one) => one.status === PUBLISHED || isPartlyPublished(one)),
    from: before?.status,
    to: after?.status,
    partlyPublished:
      Number(after !== undefined && isPartlyPublished(after)) -
      Number(before !== undefined && isPartlyPublished(before)),
    tallies,
  }
}

function talliesOf(
  collection: CollectionModel,
  before: StoredEntry | undefined,
  after: WrittenEntry | undefined,
): readonly TallyChange[] {
  const { key } = collection
  const left = before && tallyChanges(key, before.status, talliedValues(collection, JSON.parse(before.doc)), -1)
  const came = after && tallyChanges(key, after.status, talliedValues(collection, after.value), 1)
  return [...(left ?? []), ...(came ?? [])]
}
