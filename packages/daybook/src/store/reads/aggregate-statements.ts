import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Scalar } from '../../fields/field.ts'
import type { CollectionModel, FilterableField } from '../../model/model.ts'
import {
  type Aggregate,
  type CountAggregate,
  MAX_COUNTED_VALUES,
  PERIODS,
  type ValueAggregate,
} from '../../query/aggregates.ts'
import { indexOrder } from '../../query/sort-order.ts'
import type { Dialect, ListSize } from '../dialect.ts'
import { param } from '../statement.ts'
import { valueIndexName } from '../tables/tables.ts'

export interface CountRow {
  readonly value: string | number | null
  readonly count: number
}

/** One value of all entries: the least, the greatest, or the sum, with the number of its terms. */
export interface ValueRow {
  readonly value: string | number | null
  readonly count: number
}

export interface AggregateScope {
  readonly dialect: Dialect
  readonly collection: CollectionModel
  readonly conditions: readonly RawBuilder<SqlBool>[]
  /** True if the index of the values is walked, and entries that do not match are skipped. */
  readonly walksIndex: boolean
}

/** The cost of reading and parsing a document for a value, in steps through an index. */
const DOCUMENT_STEPS = 200

/** True if walking the index of the values costs less than reading the matching entries. */
export const isIndexWalkCheaper = ({ matching, total: all }: ListSize): boolean => all < matching * DOCUMENT_STEPS

const whereClause = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`` : sql` WHERE ${sql.join(conditions, sql` AND `)}`

/** Returns the table, in SQLite with the index that holds the value, since the engine would read documents instead. */
function fromTable(
  { dialect, collection: { table }, walksIndex }: AggregateScope,
  { column, path }: FilterableField,
): RawBuilder<unknown> {
  const index =
    walksIndex && dialect.hasCoveringIndexes && !column
      ? sql` INDEXED BY ${sql.id(valueIndexName(table, path))}`
      : sql``
  return sql`${sql.table(table)} AS entry${index}`
}

/** By descending count, then by value. */
const ORDER = sql`ORDER BY 2 DESC, 1 ASC NULLS FIRST LIMIT ${sql.lit(MAX_COUNTED_VALUES)}`

/** Casts the text of a member to the type of its field. */
const typed = (text: RawBuilder<unknown>, scalar: Scalar): RawBuilder<unknown> =>
  scalar === 'number' ? sql`CAST(${text} AS numeric)` : text

export function countsStatement(aggregate: CountAggregate, scope: AggregateScope): RawBuilder<CountRow> {
  if (aggregate.kind === 'members') return membersStatement(aggregate, scope)
  const { by, period } = aggregate
  const byValue = sql`SELECT ${scope.dialect.fullValue(by)} AS value, count(*) AS count
    FROM ${fromTable(scope, by)}${whereClause(scope.conditions)} GROUP BY 1`
  if (period === undefined) return sql`${byValue} ${ORDER}`
  // Grouping by value first uses the index, and leaves fewer rows to cut to periods.
  return sql`SELECT substr(value, 1, ${sql.lit(PERIODS[period])}) AS value, CAST(sum(count) AS bigint) AS count
    FROM (${byValue}) AS single GROUP BY 1 ${ORDER}`
}

/** Counts entries by the members of a list. SQLite walks the tables in this order. */
function membersStatement(
  { of }: Extract<CountAggregate, { kind: 'members' }>,
  { collection: { key, table }, conditions, walksIndex }: AggregateScope,
): RawBuilder<CountRow> {
  const allConditions = [
    sql<SqlBool>`m.from_collection = ${sql.lit(key)}`,
    sql<SqlBool>`m.field = ${sql.lit(of.path)}`,
    ...(conditions.length === 0 ? [] : [sql<SqlBool>`m.from_id = entry.id`, ...conditions]),
  ]
  const members = sql`daybook$choices AS m`
  const entries = sql`${sql.table(table)} AS entry`
  const joined = walksIndex ? sql`${members} CROSS JOIN ${entries}` : sql`${entries} CROSS JOIN ${members}`
  return sql`SELECT ${typed(sql`m.value`, of.scalar)} AS value, count(*) AS count
    FROM ${conditions.length === 0 ? members : joined}${whereClause(allConditions)} GROUP BY 1 ${ORDER}`
}

/** Reads the counters that each write updates. Parameters: those of the statuses. */
export function countersStatement(
  { key }: CollectionModel,
  { path, scalar }: { readonly path: string; readonly scalar: Scalar },
  isMany: boolean,
  statuses: readonly string[] | undefined,
): RawBuilder<CountRow> {
  const names = statuses?.map((_, index) => param<string>(`status${index}`))
  const allConditions = [
    sql<SqlBool>`collection = ${sql.lit(key)}`,
    sql<SqlBool>`field = ${sql.lit(path)}`,
    ...(names ? [sql<SqlBool>`status IN (${sql.join(names)})`] : []),
  ]
  const text = typed(sql`substr(value, 2)`, scalar)
  const value = isMany ? text : sql`CASE value WHEN '' THEN NULL ELSE ${text} END`
  return sql`SELECT ${value} AS value, CAST(sum(count) AS bigint) AS count
    FROM daybook$tallies${whereClause(allConditions)} GROUP BY 1 HAVING sum(count) > 0 ${ORDER}`
}

/** Selects the least or the greatest value, or the sum and the number of values. */
export function valueStatement({ kind, by }: ValueAggregate, scope: AggregateScope): RawBuilder<ValueRow> {
  const { dialect, conditions } = scope
  const indexed = dialect.indexedValue(by)
  if (kind === 'sum' || kind === 'avg') {
    const from = sql`FROM ${fromTable(scope, by)}${whereClause(conditions)}`
    if (dialect.hasCoveringIndexes)
      return sql`SELECT ${dialect.exactSum(indexed)} AS value, count(${indexed}) AS count ${from}`
    // OFFSET 0 keeps the engine from parsing the document for each use of its value.
    const value = sql.ref('value')
    return sql`SELECT ${dialect.exactSum(value)} AS value, count(value) AS count
      FROM (SELECT ${indexed} AS value ${from} OFFSET 0) AS single`
  }
  const filled = [sql<SqlBool>`${indexed} IS NOT NULL`, ...conditions]
  return sql`SELECT ${dialect.fullValue(by)} AS value, 1 AS count FROM ${fromTable(scope, by)}${whereClause(filled)}
    ORDER BY ${dialect.orderTerm(indexOrder(by, kind === 'max'))} LIMIT 1`
}

export const getScalar = (aggregate: Aggregate): Scalar =>
  aggregate.kind === 'members' ? aggregate.of.scalar : aggregate.by.scalar
