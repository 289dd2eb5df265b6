import type { Violation } from '../issues.ts'
import type { CollectionModel, FilterableField, MultiValuedField } from '../model/model.ts'
import { unknownName } from '../nearest.ts'
import { type Faults, namesParameter, type Parameter } from './parameters.ts'

/** The maximum number of aggregates of a list. */
export const MAX_AGGREGATES = 10
export const MAX_COUNTED_VALUES = 1000

/** The periods by which entries are counted, with the length of each in an ISO 8601 date. */
export const PERIODS = { day: 10, month: 7, year: 4 } as const

export type Period = keyof typeof PERIODS

/** The numbers of entries by their values. */
export type CountAggregate =
  | { readonly kind: 'count'; readonly name: string; readonly by: FilterableField; readonly period: Period | undefined }
  | { readonly kind: 'members'; readonly name: string; readonly of: MultiValuedField }

/** One value for all entries. */
export interface ValueAggregate {
  readonly kind: 'min' | 'max' | 'sum' | 'avg'
  readonly name: string
  readonly by: FilterableField
}

export type Aggregate = CountAggregate | ValueAggregate

export const AGGREGATE_PARAMETER: Parameter<readonly string[]> = {
  ...namesParameter(
    `Up to ${MAX_AGGREGATES} figures about all matching entries, on all pages: \`count:FIELD\`, for dates also \`count:FIELD:day\`, \`month\` or \`year\`, \`min:FIELD\`, \`max:FIELD\`, \`sum:FIELD\`, \`avg:FIELD\`.`,
    {},
    MAX_AGGREGATES,
  ),
  nameKind: 'aggregates',
}

const OF_MEMBERS: readonly string[] = ['count']
const OF_NUMBERS: readonly string[] = ['count', 'min', 'max', 'sum', 'avg']
const OF_DATES: readonly string[] = ['count', 'count:day', 'count:month', 'count:year', 'min', 'max']
const NONE: readonly string[] = []

/** Returns the aggregates of a field: `count`, `count:month`, `sum` …; none if it has no index. */
export function aggregatesAt(
  { filterableFields, multiValuedFields }: CollectionModel,
  path: string,
): readonly string[] {
  const by = filterableFields.get(path)
  const many = multiValuedFields.get(path)
  if (!by) return many && many.to === undefined && !many.part ? OF_MEMBERS : NONE
  if (by.isDate) return OF_DATES
  return by.scalar === 'number' ? OF_NUMBERS : OF_MEMBERS
}

/** Returns the name of an aggregate of a field in requests. */
export function toAggregateName(path: string, what: string): string {
  const [kind, period] = what.split(':')
  return period === undefined ? `${kind}:${path}` : `${kind}:${path}:${period}`
}

/** The aggregates that an in-process call requests: names, or kinds by field. */
export type Aggregates = string | readonly string[] | { readonly [field: string]: string | readonly string[] }

export function toAggregateNames(requested: Aggregates): readonly string[] {
  if (typeof requested === 'string') return [requested]
  if (isNames(requested)) return requested
  return Object.entries(requested).flatMap(([path, kinds]) => [kinds].flat().map((kind) => toAggregateName(path, kind)))
}

const isNames = (requested: Exclude<Aggregates, string>): requested is readonly string[] => Array.isArray(requested)

/** Checks requested aggregates against the model. Hidden fields count as unknown. */
export function readAggregates(
  faults: Faults,
  collection: CollectionModel,
  requested: readonly string[] = [],
  hidden: ReadonlySet<string>,
): readonly Aggregate[] {
  const aggregates = new Map<string, Aggregate>()
  for (const name of requested) {
    const aggregate = toAggregate(collection, name, hidden)
    if (!aggregate) faults.add('aggregate', ...unknownAggregate(collection, name, hidden))
    else if (aggregates.has(name)) faults.add('aggregate', 'repeated', `must not contain "${name}" twice`, { name })
    else aggregates.set(name, aggregate)
  }
  return [...aggregates.values()]
}

function toAggregate(collection: CollectionModel, name: string, hidden: ReadonlySet<string>): Aggregate | undefined {
  const [kind = '', path = '', period, ...rest] = name.split(':')
  const what = period === undefined ? kind : `${kind}:${period}`
  if (rest.length > 0 || !aggregatesAt(collection, path).includes(what)) return undefined
  const of = collection.multiValuedFields.get(path)
  const by = collection.filterableFields.get(path)
  if (of) return hidden.has(of.owner) ? undefined : { kind: 'members', name, of }
  if (!by || hidden.has(by.owner)) return undefined
  if (kind === 'count') return { kind, name, by, period: period as Period | undefined }
  return { kind: kind as ValueAggregate['kind'], name, by }
}

/** The maximum number of names that an issue lists. */
const MAX_LISTED = 50

function unknownAggregate(collection: CollectionModel, name: string, hidden: ReadonlySet<string>): Violation {
  const allNames = listAggregateNames(collection, hidden)
  const [kind = '', path = ''] = name.split(':')
  const ofField = allNames.filter((candidate) => candidate.split(':')[1] === path)
  const similar = ofField.length > 0 ? ofField : allNames.filter((candidate) => candidate.startsWith(`${kind}:`))
  const values = (similar.length > 0 ? similar : allNames).slice(0, MAX_LISTED)
  const shown = name.slice(0, 64)
  const message = `${unknownName('aggregate', shown)} Use some of: ${values.join(', ')}.`
  return ['unknown_field', message, { name: shown, values }]
}

/** Returns the names of all aggregates of a collection that a caller can request. */
export function listAggregateNames(collection: CollectionModel, hidden: ReadonlySet<string>): readonly string[] {
  const fields = [...collection.filterableFields.values(), ...collection.multiValuedFields.values()]
  return fields
    .filter(({ owner }) => !hidden.has(owner))
    .flatMap(({ path }) => aggregatesAt(collection, path).map((what) => toAggregateName(path, what)))
}
