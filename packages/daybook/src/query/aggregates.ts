import type { Violation } from '../issues.ts'
import type { CollectionModel, FilterableField, MultiValuedField } from '../model/model.ts'
import { type Faults, namesParameter, type Parameter } from './parameters.ts'

/** The most aggregates of one list. */
export const MAX_AGGREGATES = 10
/** The most values that one count answers with. */
export const MAX_COUNTED_VALUES = 1000

/** How much of a date entries are counted by, and how many of its characters that is. */
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

/** Something that is worked out over all entries of a list. */
export type Aggregate = CountAggregate | ValueAggregate

/** The aggregates of a list. */
export const AGGREGATE_PARAMETER: Parameter<readonly string[]> = {
  ...namesParameter(
    `Up to ${MAX_AGGREGATES} figures about all entries that match, on whatever page: \`count:FIELD\`, for dates also \`count:FIELD:day\`, \`month\` or \`year\`, \`min:FIELD\`, \`max:FIELD\`, \`sum:FIELD\`, \`avg:FIELD\`.`,
    {},
    MAX_AGGREGATES,
  ),
  nameKind: 'aggregates',
}

const OF_MEMBERS: readonly string[] = ['count']
const OF_NUMBERS: readonly string[] = ['count', 'min', 'max', 'sum', 'avg']
const OF_DATES: readonly string[] = ['count', 'count:day', 'count:month', 'count:year', 'min', 'max']
const NONE: readonly string[] = []

/** What can be worked out of a field: `count`, `count:month`, `sum` …; none where it has no index. */
export function aggregatesAt(
  { filterableFields: comparables, multiValuedFields: manyValued }: CollectionModel,
  path: string,
): readonly string[] {
  const by = comparables.get(path)
  const many = manyValued.get(path)
  if (!by) return many && many.to === undefined && !many.part ? OF_MEMBERS : NONE
  if (by.isDate) return OF_DATES
  return by.scalar === 'number' ? OF_NUMBERS : OF_MEMBERS
}

/** The name under which a request asks for an aggregate of a field. */
export function toAggregateName(path: string, what: string): string {
  const [kind, period] = what.split(':')
  return period === undefined ? `${kind}:${path}` : `${kind}:${path}:${period}`
}

/** What a call inside the process asks for: names, or by field what is worked out of it. */
export type Aggregates = string | readonly string[] | { readonly [field: string]: string | readonly string[] }

/** The names of what a call asks for. */
export function toAggregateNames(asked: Aggregates): readonly string[] {
  if (typeof asked === 'string') return [asked]
  if (isNames(asked)) return asked
  return Object.entries(asked).flatMap(([path, what]) => [what].flat().map((one) => toAggregateName(path, one)))
}

const isNames = (asked: Exclude<Aggregates, string>): asked is readonly string[] => Array.isArray(asked)

/** Checks what is asked against the model. Fields that do not exist for the reader answer as unknown ones do. */
export function readAggregates(
  faults: Faults,
  collection: CollectionModel,
  asked: readonly string[] = [],
  hidden: ReadonlySet<string>,
): readonly Aggregate[] {
  const found = new Map<string, Aggregate>()
  for (const name of asked) {
    const aggregate = toAggregate(collection, name, hidden)
    if (!aggregate) faults.add('aggregate', ...unknownAggregate(collection, name, hidden))
    else if (found.has(name)) faults.add('aggregate', 'repeated', `names "${name}" twice`, { name })
    else found.set(name, aggregate)
  }
  return [...found.values()]
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

/** The most names that an issue lists. */
const MAX_LISTED = 50

function unknownAggregate(collection: CollectionModel, name: string, hidden: ReadonlySet<string>): Violation {
  const known = listAggregateNames(collection, hidden)
  const [kind = '', path = ''] = name.split(':')
  const own = known.filter((one) => one.split(':')[1] === path)
  const alike = own.length > 0 ? own : known.filter((one) => one.startsWith(`${kind}:`))
  const values = (alike.length > 0 ? alike : known).slice(0, MAX_LISTED)
  const shown = name.slice(0, 64)
  const message = `cannot work out "${shown}"; write some of: ${values.join(', ')}`
  return ['unknown_field', message, { name: shown, values }]
}

/** The names of all that a reader may ask of a collection. */
export function listAggregateNames(collection: CollectionModel, hidden: ReadonlySet<string>): readonly string[] {
  const fields = [...collection.filterableFields.values(), ...collection.multiValuedFields.values()]
  return fields
    .filter(({ owner }) => !hidden.has(owner))
    .flatMap(({ path }) => aggregatesAt(collection, path).map((what) => toAggregateName(path, what)))
}
