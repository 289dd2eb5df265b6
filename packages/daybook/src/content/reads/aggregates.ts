import type { Scalar } from '../../fields/field.ts'
import { type Aggregate, type CountAggregate, MAX_COUNTED_VALUES, type ValueAggregate } from '../../query/aggregates.ts'
import { divideDecimal, parseDecimal, printDecimal } from '../../store/decimal.ts'
import type { ListSize } from '../../store/dialect.ts'
import { type CountRow, getScalar } from '../../store/reads/aggregate-statements.ts'
import type { Counters } from '../../store/reads/counters-reader.ts'
import type { ContentContext } from '../context.ts'
import type { ResolvedListQuery } from './resolved-list-query.ts'

/** The list whose aggregates are computed, with the counters and revisions that they depend on. */
export interface AggregateSource {
  readonly context: ContentContext
  readonly query: ResolvedListQuery
  readonly counters: Counters
  /** True if the counters count the same entries as the list. */
  readonly hasCounters: boolean
  /** The revisions of all collections that the list depends on. */
  readonly revisions: readonly number[]
  readonly size: ListSize
}

/** Formats the aggregates of a list as a JSON object. Each is cached until something that it depends on changes. */
export async function formatAggregates(source: AggregateSource): Promise<string> {
  const { aggregates } = source.query
  const members = await Promise.all(
    aggregates.map(async (aggregate) => `${JSON.stringify(aggregate.name)}:${await formatCached(source, aggregate)}`),
  )
  return `{${members.join(',')}}`
}

function formatCached(source: AggregateSource, aggregate: Aggregate): string | Promise<string> {
  const { context, query, revisions } = source
  const { aggregates, runningAggregates } = context.listCache
  const cacheKey = `${query.matchesCacheKey} ${aggregate.name} ${revisions.join()}`
  const cached = aggregates.get(cacheKey)
  if (cached !== undefined) return cached
  return runningAggregates.run(cacheKey, async () => {
    const text = await formatAggregate(source, aggregate)
    aggregates.set(cacheKey, text)
    return text
  })
}

function formatAggregate(source: AggregateSource, aggregate: Aggregate): Promise<string> {
  return aggregate.kind === 'count' || aggregate.kind === 'members'
    ? formatCounts(source, aggregate)
    : formatValue(source, aggregate)
}

async function formatCounts(source: AggregateSource, aggregate: CountAggregate): Promise<string> {
  const { context, query, hasCounters, size } = source
  const isOfStatus = aggregate.kind === 'count' && aggregate.by.column === 'status'
  const rows =
    hasCounters && isOfStatus
      ? countByStatus(source)
      : await context.store.read.lists.counts(query.collection, aggregate, { ...query, size, hasCounters })
  const scalar = getScalar(aggregate)
  return JSON.stringify(rows.map(({ value, count }) => ({ value: toValue(value, scalar), count })))
}

function countByStatus({ counters: { counts }, query: { statuses } }: AggregateSource): readonly CountRow[] {
  return Object.entries(counts)
    .filter(([status, count]) => count > 0 && (statuses === undefined || statuses.includes(status)))
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_COUNTED_VALUES)
}

async function formatValue(source: AggregateSource, aggregate: ValueAggregate): Promise<string> {
  const { context, query, size } = source
  const row = await context.store.read.lists.value(query.collection, aggregate, { ...query, size })
  const value = row?.value ?? null
  if (aggregate.kind === 'sum') return value === null ? '0' : printDecimal(parseDecimal(String(value)))
  if (value === null) return 'null'
  if (aggregate.kind === 'avg') return JSON.stringify(divideDecimal(parseDecimal(String(value)), row?.count ?? 1))
  return JSON.stringify(toValue(value, aggregate.by.scalar))
}

/** Converts a column's value to a document's. */
function toValue(value: string | number | null, scalar: Scalar): unknown {
  if (value === null) return null
  if (scalar === 'boolean') return value === 1 || value === 'true'
  return scalar === 'number' ? Number(value) : value
}
