import type { CollectionModel, ManyValued } from '../../model/model.ts'
import type { CompareOperator, Condition, QueryValue } from '../../query/where.ts'
import type { Reader } from '../../store/reads/read.ts'
import { membersOf, valueAt } from '../../store/tables/members.ts'
import { referencesOf, type Values } from '../document.ts'

type Compare = Extract<Condition, { kind: 'compare' }>
type Member = Extract<Condition, { kind: 'member' }>
type Related = Extract<Condition, { kind: 'related' }>

/** An entry that need not be stored as it is here: as a change left it, say. */
export interface EntryState {
  readonly collection: CollectionModel
  readonly values: Values
}

/**
 * Whether an entry holds a condition, as SQL would find it. Other documents that the condition looks into are as they are stored
 * now. What it asks of people does not hold, since the values do not tell who made and changed the entry.
 */
export async function matches(read: Reader, state: EntryState, condition: Condition): Promise<boolean> {
  if (condition.kind === 'compare') return matchesValue(state, condition)
  if (condition.kind === 'member') return matchesMembers(state, condition)
  if (condition.kind === 'related') return matchesRelated(read, state, condition)
  const isAll = condition.kind === 'all'
  for (const one of condition.of) if ((await matches(read, state, one)) !== isAll) return !isAll
  return isAll
}

function matchesValue({ values }: EntryState, { by, operator, values: given, negated }: Compare): boolean {
  if (by.column === 'created_by' || by.column === 'updated_by') return false
  const own = valueAt(values, by.path) as QueryValue | null | undefined
  const isMissing = own === null || own === undefined
  if (operator === 'exists') return isMissing === negated
  // A missing value differs from every value.
  return isMissing ? negated : compareValues(own, operator, given) !== negated
}

function compareValues(own: QueryValue, operator: CompareOperator, given: readonly QueryValue[]): boolean {
  const [value = ''] = given
  switch (operator) {
    case 'in':
      return given.includes(own)
    case 'eq':
      return own === value
    case 'startsWith':
      return String(own).startsWith(String(value))
    case 'contains':
      return String(own).includes(String(value))
    case 'exists':
      return true
    default:
      return isOrdered(order(own, value), operator)
  }
}

const isOrdered = (difference: number, operator: 'lt' | 'lte' | 'gt' | 'gte'): boolean => {
  if (difference === 0) return operator === 'lte' || operator === 'gte'
  return difference < 0 ? operator === 'lt' || operator === 'lte' : operator === 'gt' || operator === 'gte'
}

/** Texts are in the order of their code points, which is that of their bytes in UTF-8. */
const order = (a: QueryValue, b: QueryValue): number =>
  typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : Number(a) - Number(b)

function matchesMembers(state: EntryState, { of, operator, values, negated }: Member): boolean {
  const held = new Set(membersIn(state, of))
  const given = values.map(String)
  const holds =
    operator === 'exists'
      ? held.size > 0
      : operator === 'in'
        ? given.some((one) => held.has(one))
        : given.every((one) => held.has(one))
  return holds !== negated
}

function membersIn({ collection, values }: EntryState, { path, to, part }: ManyValued): readonly string[] {
  if (to === undefined && !part)
    return membersOf(collection, values).flatMap(({ field, value }) => (field === path ? [value] : []))
  const references = referencesOf(collection, values).filter(({ field }) => field === (part?.relation ?? path))
  return references.map((one) => (part?.name === 'collection' ? one.collection : one.id))
}

async function matchesRelated(
  read: Reader,
  { collection, values }: EntryState,
  { through, to, statuses, where, negated }: Related,
): Promise<boolean> {
  const references = referencesOf(collection, values).filter(({ field }) => field === through.path)
  const ids = references.map(({ id }) => id)
  if (ids.length === 0) return negated
  const found = await read.entries.statuses(to, ids, where)
  const isFound = found.some(({ status }) => statuses === undefined || statuses.includes(String(status)))
  return isFound !== negated
}
