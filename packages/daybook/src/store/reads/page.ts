import { type Compilable, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import { indexOrder, isIndexOrder, type SortBy } from '../../query/sort-order.ts'
import type { Condition } from '../../query/where.ts'
import type { Dialect, ListSize, QueryPlan } from '../dialect.ts'
import type { EntryRow, SortedRow } from '../rows.ts'
import type { SearchQuery } from '../search.ts'
import type { WhereSql } from '../statement.ts'
import { build, param, type StatementValues } from '../statement.ts'
import { AUTHOR_COLUMNS, type EntryTable } from '../tables/tables.ts'

/**
 * How many of the newest matches are ranked by relevance. Ranking every match of a common word would
 * make its cost grow with the collection.
 */
export const RANKED_MATCHES = 1000

/** The tables of a statement on one collection. */
interface EntryScope {
  readonly entry: EntryTable
}

/** A question about entries of one collection. */
export type EntrySelect<Row> = SelectQueryBuilder<EntryScope, 'entry', Row>

/** A collection's table under the common name, by that index where one is named. */
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

/** The columns that serving entries needs, to a reader who may know who made them or to one who may not. */
export const servedColumns = (hasAuthors: boolean): readonly (keyof EntryRow)[] =>
  hasAuthors ? SHOWN_WITH_PEOPLE : SHOWN_COLUMNS

/** Entries of a collection, with what is read of them to serve them. */
export const selectEntries = (table: string, hasAuthors: boolean, index?: string): EntrySelect<EntryRow> =>
  selectFromTable(table, index).select(servedColumns(hasAuthors)) as EntrySelect<EntryRow>

/** Values of the sort keys of the last entry of a page, and its id. */
export type Position = readonly (string | number | null)[]

/** The query of a page, in terms of the store. */
export interface PageQuery {
  /** `undefined`: entries of any status. */
  readonly statuses: readonly string[] | undefined
  readonly search: SearchQuery | undefined
  readonly where: Condition | undefined
  /** Empty with `search`: by relevance. */
  readonly sort: readonly SortBy[]
  readonly limit: number
  readonly offset: number
  readonly after: Position | undefined
  /** Whether it is answered who made and changed the entries. */
  readonly hasAuthors: boolean
  /** How many entries there are, for the choice of how to find a page of some of them. */
  readonly size: ListSize
}

/** Entries of one page, in order. */
export interface Page {
  readonly rows: readonly EntryRow[]
  /** Where the page ends; `undefined` when nothing comes after it. */
  readonly end: Position | undefined
}

/** One stretch of a sort order. Where a value may be missing, what comes after a position is two of them. */
export interface OrderPhase {
  readonly name: string
  /** The order within it. */
  readonly sort: readonly SortBy[]
  /** Its conditions; asked for when no statement of this name is kept. */
  where(): readonly RawBuilder<SqlBool>[]
}

/** The condition of a query, as SQL. */
export interface FilterSql extends Partial<Pick<QueryPlan, 'index' | 'walksOrder' | 'sortsFound'>> {
  readonly cacheKey: string
  readonly values: StatementValues
  readonly where: WhereSql | undefined
}

/** The stretches of a page's order, one after the other. */
export function splitOrder(
  dialect: Dialect,
  { sort, after, offset }: Pick<PageQuery, 'sort' | 'after' | 'offset'>,
): readonly OrderPhase[] {
  const [lead, ...others] = sort
  if (!lead) return [{ name: 'all', sort, where: () => [] }]
  const { by, descending, nullsFirst } = lead
  // Where all leading values are empty, or none is, the index has the order wherever empty values belong.
  const filledSort = [indexOrder(by, descending), ...others]
  const emptySort = dialect.ordersByEmptyKey ? filledSort : others
  const empty: OrderPhase = {
    name: 'empty',
    sort: emptySort,
    where: () => [sql<SqlBool>`${dialect.indexedValue(by)} IS NULL`],
  }
  const filled: OrderPhase = { name: 'filled', sort: filledSort, where: () => [dialect.hasValue(by)] }
  if (!after) {
    // Entries to skip may lie in both stretches.
    if (isIndexOrder(lead) || offset > 0) return [{ name: 'all', sort, where: () => [] }]
    return nullsFirst ? [empty, filled] : [filled, empty]
  }
  const name = `after ${after.map((value) => (value === null ? '0' : '1')).join('')}`
  const beyond = (): RawBuilder<SqlBool> => lexicallyAfter(dialect, sort, after)
  if (after[0] === null) {
    const rest: OrderPhase = { name, sort: emptySort, where: () => [...empty.where(), beyond()] }
    return nullsFirst ? [rest, filled] : [rest]
  }
  const rest: OrderPhase = { name, sort: filledSort, where: () => [reached(dialect, lead), beyond()] }
  return nullsFirst || by.isNeverNull ? [rest] : [rest, empty]
}

/** Leads the engine to where the position is in the order. */
const reached = (dialect: Dialect, { by, descending }: SortBy): RawBuilder<SqlBool> =>
  sql<SqlBool>`${dialect.indexedValue(by)} ${descending ? sql`<=` : sql`>=`} ${dialect.indexedParameter(by, 'after0')}`

/** True for rows that come after the position, key by key. */
function lexicallyAfter({ fullValue: whole }: Dialect, sort: readonly SortBy[], after: Position): RawBuilder<SqlBool> {
  const alternatives = sort.map((key, index) => {
    const equal = sort
      .slice(0, index)
      .map(({ by }, earlier) => sql<SqlBool>`${whole(by)} IS NOT DISTINCT FROM ${param(`after${earlier}`)}`)
    return sql<SqlBool>`(${sql.join([...equal, beyondOne(whole(key.by), key, after[index] ?? null, `after${index}`)], sql` AND `)})`
  })
  return sql<SqlBool>`(${sql.join(alternatives, sql` OR `)})`
}

function beyondOne(
  own: RawBuilder<unknown>,
  { by, descending, nullsFirst }: SortBy,
  value: string | number | null,
  name: string,
): RawBuilder<SqlBool> {
  if (value === null) return nullsFirst ? sql<SqlBool>`${own} IS NOT NULL` : sql<SqlBool>`1 = 0`
  const isBeyond = sql<SqlBool>`${own} ${descending ? sql`<` : sql`>`} ${param(name)}`
  return nullsFirst || by.isNeverNull ? isBeyond : sql<SqlBool>`(${isBeyond} OR ${own} IS NULL)`
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
    ? [...narrowing, dialect.search.condition(collection.table, !filter.walksOrder)]
    : narrowing)
    page = page.where(condition)
  if (filter.where) page = page.where(filter.where.build())
  // A unary plus keeps SQLite from the index of the order.
  const aside = filter.sortsFound ? sql`+` : sql``
  for (const key of phase.sort) page = page.orderBy(sql`${aside}${dialect.orderTerm(key)}`)
  return page.limit(param<number>('limit')).offset(param<number>('offset')) as Compilable<SortedRow>
}

/** The query of entries that are to be written, in terms of the store. */
export interface MatchQuery extends Pick<PageQuery, 'search' | 'where' | 'statuses' | 'limit'> {
  /** The id of the last entry that was found before; empty: none was. */
  readonly after: string
}

/** An entry, as far as its revision. */
export interface EntryRevision extends Pick<EntryTable, 'id' | 'seq'> {
  /** The bytes of its document, as the locale shows it. */
  readonly size: number
}

export function matchingStatement(
  dialect: Dialect,
  collection: CollectionModel,
  { statuses, search }: MatchQuery,
  filter: FilterSql,
): Compilable<EntryRevision> {
  let found = selectFromTable(collection.table, filter.index).select([
    'id',
    'seq',
    sql<number>`octet_length(doc)`.as('size'),
  ])
  found = found.where('id', '>', param<string>('after'))
  for (const condition of statusConditions(dialect, statuses, false)) found = found.where(condition)
  if (search) found = found.where(dialect.search.condition(collection.table))
  if (filter.where) found = found.where(filter.where.build())
  return found.orderBy('id').limit(param<number>('limit'))
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

/** The parameters of {@link statusConditions}. */
export const statusValues = (statuses: readonly string[] | undefined): StatementValues =>
  Object.fromEntries((statuses ?? []).map((status, index) => [`status${index}`, status]))

/**
 * One status has an index of its own for the newest entries. In every other order the sort's index is walked
 * and carries the status along.
 */
export function statusConditions(
  { unindexedStatus: statusAside }: Dialect,
  statuses: readonly string[] | undefined,
  isNewest: boolean,
): readonly RawBuilder<SqlBool>[] {
  if (!statuses) return []
  if (statuses.length === 0) return [sql<SqlBool>`1 = 0`]
  const names = statuses.map((_, index) => param<string>(`status${index}`))
  if (names.length === 1 && isNewest) return [sql<SqlBool>`entry.status = ${names[0]}`]
  return [sql<SqlBool>`${statusAside} IN (${sql.join(names)})`]
}
