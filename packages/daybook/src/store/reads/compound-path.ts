import type { CollectionModel, CompoundIndexModel, IndexKey } from '../../model/model.ts'
import { isIndexOrder, type SortBy } from '../../query/listing.ts'
import { type Condition, conjuncts } from '../../query/where.ts'
import { compoundIndex } from '../tables/tables.ts'

/** A declared index that leads to a page: to entries that hold parts of the condition, in the order that is asked for. */
export interface CompoundPath {
  /** The name of the index. */
  readonly index: string
  /** The parts of the condition that its entries hold. */
  readonly found: readonly Condition[]
}

/** The declared index that leads to a page by the most equalities, and that leaves the least to sort; `undefined`: none does. */
export function compoundPath(
  collection: CollectionModel,
  where: Condition | undefined,
  sort: readonly SortBy[],
): CompoundPath | undefined {
  if (collection.compoundIndexes.length === 0 || !where) return undefined
  const leaves = conjuncts(where)
  const paths = collection.compoundIndexes.map((one) => matchIndex(one, collection, leaves, sort))
  const [best] = paths.filter((one) => one.ordered > 0 && one.equal > 0).sort(compareMatches)
  return best && { index: best.index, found: best.found }
}

/** How far an index fits a page. */
interface IndexMatch extends CompoundPath {
  /** How many of its keys are held by equalities. */
  readonly equal: number
  /** How many keys of the order it serves. */
  readonly ordered: number
}

const compareMatches = (a: IndexMatch, b: IndexMatch): number => b.equal - a.equal || b.ordered - a.ordered

function matchIndex(
  index: CompoundIndexModel,
  { table, comparables }: CollectionModel,
  leaves: readonly Condition[],
  sort: readonly SortBy[],
): IndexMatch {
  const { keys } = index
  const isHeld = ({ by }: IndexKey): boolean => leaves.some((one) => isEquality(one) && isAbout(one, by))
  const held = keys.findIndex((key) => !isHeld(key))
  const equal = held < 0 ? keys.length : held
  const id = comparables.get('id')
  const ending = id ? [{ by: id, descending: keys.at(-1)?.descending === true }] : []
  const next = keys[equal]
  return {
    index: compoundIndex(table, index),
    found: leaves.filter(
      (one) =>
        (isEquality(one) && keys.slice(0, equal).some(({ by }) => isAbout(one, by))) ||
        (next && isRange(one) && isAbout(one, next.by)),
    ),
    equal,
    ordered: countOrdered([...keys.slice(equal), ...ending], sort),
  }
}

const isEquality = (one: Condition): boolean => one.kind === 'compare' && one.operator.keys === 'one' && !one.negated

const isRange = (one: Condition): boolean => one.kind === 'compare' && one.operator.keys === 'interval' && !one.negated

const isAbout = (one: Condition, by: IndexKey['by']): boolean => one.kind === 'compare' && one.by === by

/** How many keys of an order an index serves, read in one direction. */
function countOrdered(keys: readonly IndexKey[], sort: readonly SortBy[]): number {
  const isTurned = keys[0]?.descending !== sort[0]?.descending
  const differs = sort.findIndex(
    (key, place) =>
      keys[place]?.by !== key.by ||
      (keys[place].descending === key.descending) === isTurned ||
      // A page is read in two parts where the leading key has its empty values elsewhere.
      (place > 0 && !isIndexOrder(key)),
  )
  return differs < 0 ? sort.length : differs
}
