import { hash } from 'node:crypto'
import { RANK } from '../fields/rank.ts'
import type { Violation } from '../issues.ts'
import type { CollectionModel, FilterableField, MultiValuedField } from '../model/model.ts'
import { didYouMean, findNearestField } from '../nearest.ts'
import { NEVER_SCHEMA } from './locale-parameters.ts'
import { type Faults, namesParameter, type Parameter } from './parameters.ts'
import { findFilterableField, findPolymorphicRelation, listFilterableNames, type QueryScope } from './where.ts'

export const DEFAULT_LIMIT = 20
export const MAX_SORT_KEYS = 5

export interface SortBy {
  readonly by: FilterableField
  readonly descending: boolean
  /** True if entries without a value come first, else they come last. */
  readonly nullsFirst: boolean
}

/** Returns a sort key in the order of the value's index: missing values come first, or last if it descends. */
export const indexOrder = (by: FilterableField, descending: boolean): SortBy => ({
  by,
  descending,
  nullsFirst: !descending,
})

/** True if the value's index has the order of a sort key. */
export const isIndexOrder = ({ by, descending, nullsFirst }: SortBy): boolean =>
  by.isNeverNull || nullsFirst !== descending

/** Returns a name of a sort order, which no other order has. */
export const nameOrder = (sort: readonly SortBy[]): string =>
  sort.map((key) => `${key.descending ? '-' : ''}${key.by.path}${isIndexOrder(key) ? '' : ' nulls'}`).join()

/** The values of `nulls`. */
export const NULLS = ['first', 'last'] as const

interface RequestedOrder {
  readonly sort?: readonly string[] | undefined
  readonly nulls?: string | undefined
}

/** The names of the order's parameters in a request, for faults. */
interface OrderNames {
  readonly sort: string
  readonly nulls: string
}

/**
 * Reads the order of a list. By default, an orderable collection is in its order by hand, and any other one newest first.
 *
 * @param scope the fields that the caller can use
 */
export function readSort(
  faults: Faults,
  names: OrderNames,
  collection: CollectionModel,
  { sort, nulls }: RequestedOrder,
  scope: QueryScope,
): readonly SortBy[] {
  if (nulls !== undefined && !sort) {
    const message = 'requires sort. Name the fields to sort by, or leave it out.'
    faults.add(names.nulls, 'requires', message, { name: names.sort })
  }
  const keys: SortBy[] = []
  for (const name of sort ?? getDefaultSort(collection)) {
    const path = name.replace(/^-/, '')
    const descending = name.startsWith('-')
    const field = findFilterableField(scope, collection, path)
    const by = field && (collection.sortKeys.get(path) ?? field)
    if (!by) faults.add(names.sort, ...unsortableViolation(collection, path, scope))
    else if (keys.some((key) => key.by === by))
      faults.add(names.sort, 'repeated', `must not contain "${path}" twice`, { name: path })
    else if (nulls === undefined || by.isNeverNull) keys.push(indexOrder(by, descending))
    else keys.push({ by, descending, nullsFirst: nulls === 'first' })
  }
  const limit = MAX_SORT_KEYS
  if (keys.length > limit) faults.add(names.sort, 'maxItems', `must have at most ${limit} keys`, { limit })
  return withTieBreak(keys, collection.filterableFields)
}

const getDefaultSort = ({ orderable }: CollectionModel): readonly string[] => [orderable ? RANK : '-createdAt']

/** Returns the violation of a name that cannot be sorted by, with advice if the caller can see the field. */
function unsortableViolation(collection: CollectionModel, path: string, scope: QueryScope): Violation {
  const { filterableFields, multiValuedFields } = collection
  const hidden = scope.hiddenFields(collection)
  const name = path.slice(0, 64)
  const refusal = `Sorting by "${name}" is not possible`
  const isShown = (by: FilterableField | MultiValuedField | undefined): boolean =>
    by !== undefined && !hidden.has(by.owner)
  if (isShown(multiValuedFields.get(path))) {
    const message = `${refusal}, because it has several values. Filter by it with where[${path}][in].`
    return ['unknown_field', message, { name }]
  }
  const polymorphic = findPolymorphicRelation(path, collection, scope)
  if (polymorphic !== undefined) {
    const values = filterableFields.has(`${polymorphic}.id`)
      ? [`${polymorphic}.collection`, `${polymorphic}.id`]
      : undefined
    const advice = values ? `Sort by ${values.join(' or ')}.` : `Filter by it with where[${polymorphic}.id][in].`
    const message = `${refusal}, because ${polymorphic} refers to several collections. ${advice}`
    return ['unknown_field', message, { name, values }]
  }
  const relation = [...filterableFields.values()].find(
    ({ path: prefix, to }) => to !== undefined && path.startsWith(`${prefix}.`),
  )
  if (!relation || !isShown(relation)) {
    const nearest = findNearestField(path, listFilterableNames(collection, scope))
    return ['unknown_field', `${refusal}.${didYouMean(nearest)}`, { name, nearest }]
  }
  const message = `${refusal}, because it is a field of a related entry. Store the value in the entry as well, or list the related entries sorted and filter by where[${relation.path}][in].`
  return ['unknown_field', message, { name }]
}

/**
 * Ends a sort order with the id, in the direction of its last key, so that an index serves both. Ids begin with the milliseconds of
 * `createdAt`, so sorting by id is sorting by creation, which every index that ends with the id serves.
 */
function withTieBreak(keys: readonly SortBy[], comparables: CollectionModel['filterableFields']): readonly SortBy[] {
  const id = comparables.get('id') as FilterableField
  const last = keys.at(-1)
  if (!last || keys.some(({ by }) => by === id)) return keys
  const ending = indexOrder(id, last.descending)
  return keys.length === 1 && last.by.column === 'created_at' ? [ending] : [...keys, ending]
}

export function statusParameter(status: CollectionModel['status']): Parameter<readonly string[]> {
  const description = 'Statuses to return. By default all that the caller can see.'
  if (status) return namesParameter(description, { enum: status.values })
  const parse: Parameter<readonly string[]>['parse'] = ([parameter], faults) => {
    faults.add(parameter?.name ?? 'status', 'unknown_param', 'is not available, because this collection has no status')
    return undefined
  }
  return { ...namesParameter(description, {}), schema: NEVER_SCHEMA, parse }
}

interface ListedQuery {
  readonly sort: readonly SortBy[]
  readonly q?: string | undefined
  readonly statuses: readonly string[] | undefined
  /** The filter, as the request writes it. */
  readonly where: string | undefined
}

/** Returns an identifier of a query without the page, which cursors contain. */
export function listFingerprint({ table }: CollectionModel, { sort, q, statuses, where }: ListedQuery): string {
  return hash('sha256', JSON.stringify([table, nameOrder(sort), q, statuses, where]), 'base64url').slice(0, 12)
}
