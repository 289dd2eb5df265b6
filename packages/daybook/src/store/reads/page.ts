import { type Compilable, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import { indexOrder, isIndexOrder, type SortBy } from '../../query/sort-order.ts'
import type { Condition } from '../../query/where.ts'
import type { Dialect, ListSize, QueryPlan } from '../dialect.ts'
import type { EntryRow, SortedRow } from '../rows.ts'
import type { SearchQuery } from '../search.ts'
import { build, param, type StatementValues, type WhereSql } from '../statement.ts'
import { AUTHOR_COLUMNS, type EntryTable } from '../tables/tables.ts'

/**
 * The number of newest matches that are ranked by relevance. Ranking every match of a common word would cost more as the collection
 * grows.
 */
export const RANKED_MATCHES = 1000

/** The tables of a statement on one collection. */
interface EntryScope {
  readonly entry: EntryTable
}

export type EntrySelect<Row> = SelectQueryBuilder<EntryScope, 'entry', Row>

/** Selects from a collection's table with the alias `entry`, optionally by an index. */
export const selectFromTable = (table: string, index?: string): EntrySelect<Record<never, never>> => {
  const name = index === undefined ? sql`"entry"` : sql`"entry" INDEXED BY ${sql.id(index)}`
  return build.selectFrom(sql.table<EntryTable>(table).as<'entry'>(name)) as unknown as SelectQueryBuilder<
    EntryScope,
    'entry',
    Record<never, never>
  >
}

/** The columns that serving entries needs. */
const SHOWN_COLUMNS = ['id', 'seq', 'status', 'schema_hash', 'orphaned', 'doc'] as const
const SHOWN_WITH_PEOPLE = [...SHOWN_COLUMNS, ...AUTHOR_COLUMNS] as const

export const servedColumns = (hasAuthors: boolean): readonly (keyof EntryRow)[] =>
  hasAuthors ? SHOWN_WITH_PEOPLE : SHOWN_COLUMNS

/** Selects entries of a collection with the columns that serving them needs. */
export const selectEntries = (table: string, hasAuthors: boolean, index?: string): EntrySelect<EntryRow> =>
  selectFromTable(table, index).select(servedColumns(hasAuthors)) as EntrySelect<EntryRow>

/** The values of the sort keys of the last entry of a page, including the id. */
export type Position = readonly (string | number | null)[]

export interface PageQuery {
  /** `undefined` for any status. */
  readonly statuses: readonly string[] | undefined
  readonly search: SearchQuery | undefined
  readonly where: Condition | undefined
  /** Empty with `search` to sort by relevance. */
  readonly sort: readonly SortBy[]
  readonly limit: number
  readonly offset: number
  readonly after: Position | undefined
  /** True if the authors are read, too. */
  readonly hasAuthors: boolean
  /** The numbers of entries, for the planner. */
  readonly size: ListSize
}

/** Entries of one page, in order. */
export interface Page {
  readonly rows: readonly EntryRow[]
  /** The position of the last entry; `undefined` if no page follows. */
  readonly end: Position | undefined
}

/** One part of a sort order. If the leading value may be missing, entries with and without it are separate phases. */
export interface OrderPhase {
  readonly name: string
  /** The order within it. */
  readonly sort: readonly SortBy[]
  /** Returns its conditions, if no statement of this name is cached. */
  where(): readonly RawBuilder<SqlBool>[]
}

/** The conditions of a query, as SQL. */
export interface FilterSql extends Partial<Pick<QueryPlan, 'index' | 'walksSortIndex' | 'sortsMatches'>> {
  readonly cacheKey: string
  readonly values: StatementValues
  readonly where: WhereSql | undefined
}

/** Splits the order of a page into phases, to be read one after the other. */
export function splitOrder(
  dialect: Dialect,
  { sort, after, offset }: Pick<PageQuery, 'sort' | 'after' | 'offset'>,
): readonly OrderPhase[] {
  const [lead, ...minorKeys] = sort
  if (!lead) return [{ name: 'all', sort, where: () => [] }]
  const { by, descending, nullsFirst } = lead
  // If all leading values are missing, or none is, the index serves the order wherever missing values are sorted.
  const filledSort = [indexOrder(by, descending), ...minorKeys]
  const emptySort = dialect.ordersByEmptyKey ? filledSort : minorKeys
  const empty: OrderPhase = {
    name: 'empty',
    sort: emptySort,
    where: () => [sql<SqlBool>`${dialect.indexedValue(by)} IS NULL`],
  }
  const filled: OrderPhase = { name: 'filled', sort: filledSort, where: () => [dialect.hasValue(by)] }
  if (!after) {
    // The entries to skip may lie in both phases.
    if (isIndexOrder(lead) || offset > 0) return [{ name: 'all', sort, where: () => [] }]
    return nullsFirst ? [empty, filled] : [filled, empty]
  }
  const name = `after ${after.map((value) => (value === null ? '0' : '1')).join('')}`
  const isBeyond = (): RawBuilder<SqlBool> => isAfter(dialect, sort, after)
  if (after[0] === null) {
    const remainder: OrderPhase = { name, sort: emptySort, where: () => [...empty.where(), isBeyond()] }
    return nullsFirst ? [remainder, filled] : [remainder]
  }
  const remainder: OrderPhase = { name, sort: filledSort, where: () => [leadReached(dialect, lead), isBeyond()] }
  return nullsFirst || by.isNeverNull ? [remainder] : [remainder, empty]
}

/** Restricts the leading key, so that the engine starts at the position in the index. */
const leadReached = (dialect: Dialect, { by, descending }: SortBy): RawBuilder<SqlBool> =>
  sql<SqlBool>`${dialect.indexedValue(by)} ${descending ? sql`<=` : sql`>=`} ${dialect.indexedParameter(by, 'after0')}`

/** Matches rows after the position in lexicographic order. */
function isAfter({ fullValue }: Dialect, sort: readonly SortBy[], after: Position): RawBuilder<SqlBool> {
  const alternatives = sort.map((key, index) => {
    const equal = sort
      .slice(0, index)
      .map(({ by }, earlier) => sql<SqlBool>`${fullValue(by)} IS NOT DISTINCT FROM ${param(`after${earlier}`)}`)
    return sql<SqlBool>`(${sql.join([...equal, keyBeyond(fullValue(key.by), key, after[index] ?? null, `after${index}`)], sql` AND `)})`
  })
  return sql<SqlBool>`(${sql.join(alternatives, sql` OR `)})`
}

function keyBeyond(
  keyValue: RawBuilder<unknown>,
  { by, descending, nullsFirst }: SortBy,
  value: string | number | null,
  name: string,
): RawBuilder<SqlBool> {
  if (value === null) return nullsFirst ? sql<SqlBool>`${keyValue} IS NOT NULL` : sql<SqlBool>`1 = 0`
  const isBeyond = sql<SqlBool>`${keyValue} ${descending ? sql`<` : sql`>`} ${param(name)}`
  return nullsFirst || by.isNeverNull ? isBeyond : sql<SqlBool>`(${isBeyond} OR ${keyValue} IS NULL)`
}

export function getPosition(row: SortedRow, sort: readonly SortBy[]): Position {
  return sort.map((_, index) => row[`s${index}`] ?? null)
}

export function pageStatement(
  dialect: Dialect,
  collection: CollectionModel,
  query: PageQuery,
  phase: OrderPhase,
  filter: FilterSql,
): Compilable<SortedRow> {
  const { sort, statuses, search, hasAuthors } = query
  const keys = sort.map(({ by }, index) => dialect.fullValue(by).as(`s${index}`))
  let page = selectEntries(collection.table, hasAuthors, filter.index).select(keys)
  const isNewest = sort[0]?.by.column === 'id' && !filter.where && !search
  const narrowing = [...statusConditions(dialect, statuses, isNewest), ...phase.where()]
  for (const condition of search
    ? [...narrowing, dialect.search.condition(collection.table, !filter.walksSortIndex)]
    : narrowing)
    page = page.where(condition)
  if (filter.where) page = page.where(filter.where.build())
  // A unary plus keeps SQLite from using the sort index.
  const plus = filter.sortsMatches ? sql`+` : sql``
  for (const key of phase.sort) page = page.orderBy(sql`${plus}${dialect.orderTerm(key)}`)
  return page.limit(param<number>('limit')).offset(param<number>('offset')) as Compilable<SortedRow>
}

/** The query of entries for a bulk write. */
export interface MatchQuery extends Pick<PageQuery, 'search' | 'where' | 'statuses' | 'limit'> {
  /** The id of the last entry of the previous batch; empty for the first. */
  readonly after: string
}

export interface EntryRevision extends Pick<EntryTable, 'id' | 'seq'> {
  /** The size of its document in this locale, in bytes. */
  readonly size: number
}

export function matchingStatement(
  dialect: Dialect,
  collection: CollectionModel,
  { statuses, search }: MatchQuery,
  filter: FilterSql,
): Compilable<EntryRevision> {
  let select = selectFromTable(collection.table, filter.index).select([
    'id',
    'seq',
    sql<number>`octet_length(doc)`.as('size'),
  ])
  select = select.where('id', '>', param<string>('after'))
  for (const condition of statusConditions(dialect, statuses, false)) select = select.where(condition)
  if (search) select = select.where(dialect.search.condition(collection.table))
  if (filter.where) select = select.where(filter.where.build())
  return select.orderBy('id').limit(param<number>('limit'))
}

export function countStatement(
  dialect: Dialect,
  collection: CollectionModel,
  { statuses, search }: Pick<PageQuery, 'statuses' | 'search'>,
  { where }: FilterSql,
): RawBuilder<{ total: number }> {
  if (search) return dialect.search.count(collection.table, where)
  const conditions = [...(where ? [where.build()] : []), ...statusConditions(dialect, statuses, !where)]
  const filter = conditions.length === 0 ? sql`` : sql` WHERE ${sql.join(conditions, sql` AND `)}`
  return sql`SELECT count(*) AS total FROM ${sql.table(collection.table)} AS entry${filter}`
}

/** Returns the parameters of {@link statusConditions}. */
export const statusValues = (statuses: readonly string[] | undefined): StatementValues =>
  Object.fromEntries((statuses ?? []).map((status, index) => [`status${index}`, status]))

/**
 * Returns the conditions on the status. The newest entries of one status have an index; in any other order, the sort index is walked, which
 * contains the status.
 */
export function statusConditions(
  { unindexedStatus }: Dialect,
  statuses: readonly string[] | undefined,
  isNewest: boolean,
): readonly RawBuilder<SqlBool>[] {
  if (!statuses) return []
  if (statuses.length === 0) return [sql<SqlBool>`1 = 0`]
  const names = statuses.map((_, index) => param<string>(`status${index}`))
  if (names.length === 1 && isNewest) return [sql<SqlBool>`entry.status = ${names[0]}`]
  return [sql<SqlBool>`${unindexedStatus} IN (${sql.join(names)})`]
}
