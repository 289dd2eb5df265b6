import { isRecord } from '../../fields/field.ts'
import type { CollectionModel, FilterableField, MultiValuedField } from '../../model/model.ts'
import type { Condition } from '../../query/where.ts'
import { collectMembers } from '../../store/tables/document-values.ts'
import type { Values } from '../documents/document.ts'
import { findReferences } from '../documents/find-references.ts'

/** The state of an entry at one position of the journal, against which a filter is evaluated in memory. */
export interface EntryState {
  readonly collection: CollectionModel
  readonly values: Values
  /** `null` if no author is stored; `undefined` if the journal no longer has the first change. */
  readonly createdBy: string | null | undefined
  readonly updatedBy: string | null
}

/** Returns the state of a related entry; `null` if it did not exist; `undefined` if its state was erased. */
export type FindState = (collection: CollectionModel, id: string) => EntryState | null | undefined

type Leaf<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>

/**
 * Returns true if a state matches a filter, with the same result as the SQL of `store/where-sql.ts` for a stored row.
 *
 * @returns `undefined` if the result depends on an erased state
 */
export function matchesWhere(where: Condition, state: EntryState, find: FindState): boolean | undefined {
  if (where.kind === 'compare') return matchesCompare(where, state)
  if (where.kind === 'member') return matchesMember(where, state)
  if (where.kind === 'related') return matchesRelated(where, state, find)
  const isAll = where.kind === 'all'
  const results = where.of.map((part) => matchesWhere(part, state, find))
  if (results.includes(!isAll)) return !isAll
  return results.includes(undefined) ? undefined : isAll
}

export function listRelated(
  where: Condition,
  state: EntryState,
): readonly { readonly to: CollectionModel; readonly id: string }[] {
  if (where.kind === 'related') return getTargetIds(where, state).map((id) => ({ to: where.to, id }))
  return where.kind === 'all' || where.kind === 'any' ? where.of.flatMap((part) => listRelated(part, state)) : []
}

const getValueAt = (values: Values, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), values)

function getFieldValue(
  { column, path, derived }: FilterableField,
  { values, createdBy, updatedBy }: EntryState,
): unknown {
  if (derived) {
    const text = getValueAt(values, derived.path)
    return typeof text === 'string' ? derived.derive(text) : null
  }
  if (column === 'created_by') return createdBy
  return column === 'updated_by' ? updatedBy : (getValueAt(values, path) ?? null)
}

function matchesCompare({ by, operator, values, negated }: Leaf<'compare'>, state: EntryState): boolean | undefined {
  const value = getFieldValue(by, state)
  if (value === undefined) return undefined
  // A missing value differs from every value.
  return value === null ? negated : operator.matches(value, ...values) !== negated
}

function matchesMember({ of, operator, values, negated }: Leaf<'member'>, state: EntryState): boolean {
  return operator.matches(new Set(getMembers(of, state)), ...values.map(String)) !== negated
}

function getMembers({ path, to, part }: MultiValuedField, { collection, values }: EntryState): readonly string[] {
  if (to === undefined && !part) {
    const members = collectMembers(collection, values)
    return members.filter(({ field }) => field === path).map(({ value }) => value)
  }
  const references = findReferences(collection, values).filter(({ field }) => field === (part?.relation ?? path))
  return references.map((reference) => (part?.name === 'collection' ? reference.collection : reference.id))
}

function getTargetIds({ through, isMany }: Leaf<'related'>, state: EntryState): readonly string[] {
  if (isMany) return getMembers(through as MultiValuedField, state)
  const id = getFieldValue(through as FilterableField, state)
  return typeof id === 'string' ? [id] : []
}

function matchesRelated(leaf: Leaf<'related'>, state: EntryState, find: FindState): boolean | undefined {
  const { to, statuses, where, negated } = leaf
  const results = getTargetIds(leaf, state).map((id) => {
    const target = find(to, id)
    if (!target) return target === null ? false : undefined
    const isVisible = statuses === undefined || statuses.includes(String(to.status && target.values[to.status.key]))
    return isVisible && matchesWhere(where, target, find)
  })
  if (results.includes(true)) return !negated
  return results.includes(undefined) ? undefined : negated
}
