import { isRecord } from '../../fields/field.ts'
import type { CollectionModel, Comparable, ManyValued } from '../../model/model.ts'
import type { CompareOperator, Condition, QueryValue } from '../../query/where.ts'
import { membersOf } from '../../store/tables/members.ts'
import { referencesOf, type Values } from '../document.ts'

/** A document as it was at one time. */
export interface PastEntry {
  readonly collection: CollectionModel
  readonly values: Values
  /** `null`: nobody is known; `undefined`: the journal no longer says. */
  readonly createdBy: string | null | undefined
  readonly updatedBy: string | null
}

/** A related entry at the same time; `null`: it was not there; `undefined`: its state was erased. */
export type FindPast = (collection: CollectionModel, id: string) => PastEntry | null | undefined

type Leaf<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>

/**
 * Whether an entry held a condition, as the database would have found it (`store/where.ts`).
 *
 * @returns `undefined` where that depends on what was erased
 */
export function conditionHolds(condition: Condition, entry: PastEntry, find: FindPast): boolean | undefined {
  if (condition.kind === 'compare') return compareHolds(condition, entry)
  if (condition.kind === 'member') return memberHolds(condition, entry)
  if (condition.kind === 'related') return relatedHolds(condition, entry, find)
  const isAll = condition.kind === 'all'
  const results = condition.of.map((one) => conditionHolds(one, entry, find))
  if (results.includes(!isAll)) return !isAll
  return results.includes(undefined) ? undefined : isAll
}

/** The entries of other collections that a condition looks at. */
export function relatedIn(
  condition: Condition,
  entry: PastEntry,
): readonly { readonly to: CollectionModel; readonly id: string }[] {
  if (condition.kind === 'related') return targetsOf(condition, entry).map((id) => ({ to: condition.to, id }))
  return condition.kind === 'all' || condition.kind === 'any'
    ? condition.of.flatMap((one) => relatedIn(one, entry))
    : []
}

const valueAt = (values: Values, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), values)

function ownValue({ column, path, derived }: Comparable, { values, createdBy, updatedBy }: PastEntry): unknown {
  if (derived) {
    const text = valueAt(values, derived.path)
    return typeof text === 'string' ? derived.derive(text) : null
  }
  if (column === 'created_by') return createdBy
  return column === 'updated_by' ? updatedBy : (valueAt(values, path) ?? null)
}

function compareHolds({ by, operator, values, negated }: Leaf<'compare'>, entry: PastEntry): boolean | undefined {
  const own = ownValue(by, entry)
  if (own === undefined) return undefined
  if (operator === 'exists') return (own !== null) !== negated
  // A missing value differs from every value.
  return own === null ? negated : COMPARE[operator](own, values) !== negated
}

const COMPARE: Readonly<
  Record<Exclude<CompareOperator, 'exists'>, (own: unknown, values: readonly QueryValue[]) => boolean>
> = {
  eq: (own, [value]) => own === value,
  in: (own, values) => values.includes(own as QueryValue),
  lt: (own, [value]) => order(own, value) < 0,
  lte: (own, [value]) => order(own, value) <= 0,
  gt: (own, [value]) => order(own, value) > 0,
  gte: (own, [value]) => order(own, value) >= 0,
  startsWith: (own, [value]) => String(own).startsWith(String(value)),
  contains: (own, [value]) => String(own).includes(String(value)),
}

/** Less than 0, 0, or more: texts by code point. */
function order(own: unknown, value: QueryValue | undefined): number {
  if (typeof own === 'number' && typeof value === 'number') return own - value
  return Buffer.compare(Buffer.from(String(own)), Buffer.from(String(value)))
}

function memberHolds({ of, operator, values, negated }: Leaf<'member'>, entry: PastEntry): boolean {
  const members = membersAt(of, entry)
  const given = new Set(values.map(String))
  const found = members.filter((one) => given.has(one))
  if (operator === 'exists') return members.length > 0 !== negated
  if (operator === 'in') return found.length > 0 !== negated
  const counted = of.part?.name === 'collection' ? new Set(found).size : found.length
  return (counted === values.length) !== negated
}

function membersAt({ path, to, part }: ManyValued, { collection, values }: PastEntry): readonly string[] {
  if (to === undefined && !part) {
    const members = membersOf(collection, values)
    return members.filter(({ field }) => field === path).map(({ value }) => value)
  }
  const references = referencesOf(collection, values).filter(({ field }) => field === (part?.relation ?? path))
  return references.map((one) => (part?.name === 'collection' ? one.collection : one.id))
}

function targetsOf({ through, isMany }: Leaf<'related'>, entry: PastEntry): readonly string[] {
  if (isMany) return membersAt(through as ManyValued, entry)
  const own = ownValue(through as Comparable, entry)
  return typeof own === 'string' ? [own] : []
}

function relatedHolds(condition: Leaf<'related'>, entry: PastEntry, find: FindPast): boolean | undefined {
  const { to, statuses, where, negated } = condition
  const results = targetsOf(condition, entry).map((id) => {
    const target = find(to, id)
    if (!target) return target === null ? false : undefined
    const isShown = statuses === undefined || statuses.includes(String(to.status && target.values[to.status.key]))
    return isShown && conditionHolds(where, target, find)
  })
  if (results.includes(true)) return !negated
  return results.includes(undefined) ? undefined : negated
}
