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

/** How many entries hold a value, as a statement answers it. */
export interface CountRow {
  readonly value: string | number | null
  readonly count: number
}

/** One value of all entries: the least, the greatest, or the sum and of how many. */
export interface ValueRow {
  readonly value: string | number | null
  readonly count: number
}

/** The entries that are counted. */
export interface AggregateScope {
  readonly dialect: Dialect
  readonly collection: CollectionModel
  readonly conditions: readonly RawBuilder<SqlBool>[]
  /** Whether all values are looked up in their index, and those that are not meant passed over. */
  readonly walksIndex: boolean
}

/** A document is read and parsed for a value that is not in the index, at so many steps through an index. */
const DOCUMENT_STEPS = 200

/** Whether it takes less to go through the index of the values than to read the entries that are found. */
export const isIndexWalkCheaper = ({ found, all }: ListSize): boolean => all < found * DOCUMENT_STEPS

const whereOf = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`` : sql` WHERE ${sql.join(conditions, sql` AND `)}`

/** The table, in SQLite by the index that holds the value where the engine would rather read documents. */
function sourceOf(
  { dialect, collection: { table }, walksIndex: isWalk }: AggregateScope,
  { column, path }: FilterableField,
): RawBuilder<unknown> {
  const index =
    isWalk && dialect.hasCoveringIndexes && !column ? sql` INDEXED BY ${sql.id(valueIndexName(table, path))}` : sql``
  return sql`${sql.table(table)} AS entry${index}`
}

/** By falling count, then by value. */
const ORDER = sql`ORDER BY 2 DESC, 1 ASC NULLS FIRST LIMIT ${sql.lit(MAX_COUNTED_VALUES)}`

/** A member as text, as a value of its own type. */
const typed = (text: RawBuilder<unknown>, scalar: Scalar): RawBuilder<unknown> =>
  scalar === 'number' ? sql`CAST(${text} AS numeric)` : text

/** Counts entries by their values. */
export function countsStatement(aggregate: CountAggregate, counted: AggregateScope): RawBuilder<CountRow> {
  if (aggregate.kind === 'members') return membersStatement(aggregate, counted)
  const { by, period } = aggregate
  const own = sql`SELECT ${counted.dialect.fullValue(by)} AS value, count(*) AS count
    FROM ${sourceOf(counted, by)}${whereOf(counted.conditions)} GROUP BY 1`
  if (period === undefined) return sql`${own} ${ORDER}`
  // Equal values come together in the index, and there are fewer of them than entries.
  return sql`SELECT substr(value, 1, ${sql.lit(PERIODS[period])}) AS value, CAST(sum(count) AS bigint) AS count
    FROM (${own}) AS single GROUP BY 1 ${ORDER}`
}

/** Counts entries by the members of a list. The order of the tables is that in which SQLite goes through them. */
function membersStatement(
  { of }: Extract<CountAggregate, { kind: 'members' }>,
  { collection: { key, table }, conditions, walksIndex: isWalk }: AggregateScope,
): RawBuilder<CountRow> {
  const own = [
    sql<SqlBool>`m.from_collection = ${sql.lit(key)}`,
    sql<SqlBool>`m.field = ${sql.lit(of.path)}`,
    ...(conditions.length === 0 ? [] : [sql<SqlBool>`m.from_id = entry.id`, ...conditions]),
  ]
  const members = sql`daybook$choices AS m`
  const entries = sql`${sql.table(table)} AS entry`
  const joined = isWalk ? sql`${members} CROSS JOIN ${entries}` : sql`${entries} CROSS JOIN ${members}`
  return sql`SELECT ${typed(sql`m.value`, of.scalar)} AS value, count(*) AS count
    FROM ${conditions.length === 0 ? members : joined}${whereOf(own)} GROUP BY 1 ${ORDER}`
}

/** Counts by what is kept with each write. Parameters: those of the statuses. */
export function countersStatement(
  { key }: CollectionModel,
  { path, scalar }: { readonly path: string; readonly scalar: Scalar },
  isMany: boolean,
  statuses: readonly string[] | undefined,
): RawBuilder<CountRow> {
  const names = statuses?.map((_, index) => param<string>(`status${index}`))
  const own = [
    sql<SqlBool>`collection = ${sql.lit(key)}`,
    sql<SqlBool>`field = ${sql.lit(path)}`,
    ...(names ? [sql<SqlBool>`status IN (${sql.join(names)})`] : []),
  ]
  const text = typed(sql`substr(value, 2)`, scalar)
  const value = isMany ? text : sql`CASE value WHEN '' THEN NULL ELSE ${text} END`
  return sql`SELECT ${value} AS value, CAST(sum(count) AS bigint) AS count
    FROM daybook$tallies${whereOf(own)} GROUP BY 1 HAVING sum(count) > 0 ${ORDER}`
}

/** The least or the greatest value, or the sum of all and their number. */
export function valueStatement({ kind, by }: ValueAggregate, counted: AggregateScope): RawBuilder<ValueRow> {
  const { dialect, conditions } = counted
  const own = dialect.indexedValue(by)
  if (kind === 'sum' || kind === 'avg') {
    const from = sql`FROM ${sourceOf(counted, by)}${whereOf(conditions)}`
    if (dialect.hasCoveringIndexes) return sql`SELECT ${dialect.exactSum(own)} AS value, count(${own}) AS count ${from}`
    // A document is parsed for each use of its value; behind OFFSET 0 it is one.
    const value = sql.ref('value')
    return sql`SELECT ${dialect.exactSum(value)} AS value, count(value) AS count
      FROM (SELECT ${own} AS value ${from} OFFSET 0) AS single`
  }
  const filled = [sql<SqlBool>`${own} IS NOT NULL`, ...conditions]
  return sql`SELECT ${dialect.fullValue(by)} AS value, 1 AS count FROM ${sourceOf(counted, by)}${whereOf(filled)}
    ORDER BY ${dialect.orderTerm(indexOrder(by, kind === 'max'))} LIMIT 1`
}

/** The scalar of the values that an aggregate answers with. */
export const getScalar = (aggregate: Aggregate): Scalar =>
  aggregate.kind === 'members' ? aggregate.of.scalar : aggregate.by.scalar
