import { type Compilable, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CollectionModel } from '../model/model.ts'
import type { SortBy } from '../query/list-query.ts'
import { build, param, type Values } from './compile.ts'
import type { EntryRow, PageQuery, Position } from './read.ts'
import { type SearchQuery, searchWeights } from './search.ts'
import { type EntryTable, searchTable } from './tables.ts'
import { comparableSql, type WhereSql } from './where.ts'

/**
 * How many of the newest matches are ranked by relevance. Ranking every match of a common word would
 * make its cost grow with the collection.
 */
export const RANKED_MATCHES = 1000

/** An entry with the values of its sort keys. */
export type SortedRow = EntryRow & Readonly<Record<`s${number}`, string | number | null>>

/** A collection's own table under the common name. */
export const entryTable = (key: string) => build.selectFrom(sql.table<EntryTable>(key).as('entry'))

/** Entries of a collection, with what is read of them to serve them. */
export const entries = (key: string) => entryTable(key).select(['id', 'seq', 'status', 'shape', 'kept', 'doc'])

/** One stretch of a sort order. Where a value may be missing, what comes after a position is two of them. */
export interface Phase {
  readonly name: string
  readonly where: readonly RawBuilder<SqlBool>[]
}

/** What narrows a question, as SQL. */
export interface Filter {
  readonly shape: string
  readonly values: Values
  readonly where: WhereSql | undefined
}

export function phasesOf(sort: readonly SortBy[], after: Position | undefined): readonly Phase[] {
  const [lead] = sort
  if (!after || !lead) return [{ name: 'first', where: [] }]
  const value = comparableSql(lead.by)
  const isEmpty = sql<SqlBool>`${value} IS NULL`
  const name = `after ${after.map((one) => (one === null ? '0' : '1')).join('')}`
  const beyond = lexicallyAfter(sort, after)
  if (after[0] === null) {
    const rest: Phase = { name, where: [isEmpty, beyond] }
    return lead.descending ? [rest] : [rest, { name: 'filled', where: [sql<SqlBool>`${value} IS NOT NULL`] }]
  }
  const reached = lead.descending
    ? sql<SqlBool>`${value} <= ${param('after0')}`
    : sql<SqlBool>`${value} >= ${param('after0')}`
  const rest: Phase = { name, where: [reached, beyond] }
  return lead.descending && !lead.by.neverNull ? [rest, { name: 'empty', where: [isEmpty] }] : [rest]
}

/** True for rows that come after the position, key by key; empty values come first, and last when descending. */
function lexicallyAfter(sort: readonly SortBy[], after: Position): RawBuilder<SqlBool> {
  const alternatives = sort.map((key, index) => {
    const equal = sort
      .slice(0, index)
      .map(({ by }, earlier) => sql<SqlBool>`${comparableSql(by)} IS NOT DISTINCT FROM ${param(`after${earlier}`)}`)
    return sql<SqlBool>`(${sql.join([...equal, beyondOne(key, after[index] ?? null, `after${index}`)], sql` AND `)})`
  })
  return sql<SqlBool>`(${sql.join(alternatives, sql` OR `)})`
}

function beyondOne({ by, descending }: SortBy, value: string | number | null, name: string): RawBuilder<SqlBool> {
  const own = comparableSql(by)
  if (value === null) return descending ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${own} IS NOT NULL`
  if (!descending) return sql<SqlBool>`${own} > ${param(name)}`
  return by.neverNull
    ? sql<SqlBool>`${own} < ${param(name)}`
    : sql<SqlBool>`(${own} < ${param(name)} OR ${own} IS NULL)`
}

export function positionOf(row: SortedRow, sort: readonly SortBy[]): Position {
  return sort.map((_, index) => row[`s${index}`] ?? null)
}

export function pageStatement(
  collection: CollectionModel,
  query: PageQuery,
  phase: Phase,
  filter: Filter,
): Compilable<SortedRow> {
  const { sort, statuses, search } = query
  const keys = sort.map(({ by }, index) => comparableSql(by).as(`s${index}`))
  let page = entries(collection.key).select(keys)
  const isNewest = sort[0]?.by.column === 'id' && !filter.where && !search
  const conditions = [...statusConditions(statuses, isNewest), ...searchConditions(collection, search), ...phase.where]
  for (const condition of conditions) page = page.where(condition)
  if (filter.where) page = page.where(filter.where.build())
  for (const { by, descending } of sort) page = page.orderBy(comparableSql(by), descending ? 'desc' : 'asc')
  return page.limit(param<number>('limit')).offset(param<number>('offset')) as Compilable<SortedRow>
}

export function countStatement(
  collection: CollectionModel,
  { statuses, search }: Pick<PageQuery, 'statuses' | 'search'>,
  { where }: Filter,
): RawBuilder<{ total: number }> {
  if (!where) {
    const table = sql.table(searchTable(collection.key))
    return sql`SELECT count(*) AS total FROM ${table} WHERE ${table} MATCH ${param('match')}`
  }
  const conditions = [where.build(), ...statusConditions(statuses, false), ...searchConditions(collection, search)]
  return sql`SELECT count(*) AS total FROM ${sql.table(collection.key)} AS entry WHERE ${sql.join(conditions, sql` AND `)}`
}

function searchConditions({ key }: CollectionModel, search: SearchQuery | undefined): readonly RawBuilder<SqlBool>[] {
  if (!search) return []
  const table = sql.table(searchTable(key))
  return [sql<SqlBool>`entry.pk IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ${param('match')})`]
}

/**
 * One status has an index of its own for the newest entries. In every other order the sort's index is walked
 * and carries the status along; the unary plus keeps SQLite from choosing the status index and sorting all of it.
 */
function statusConditions(statuses: readonly string[] | undefined, isNewest: boolean): readonly RawBuilder<SqlBool>[] {
  if (!statuses) return []
  const names = statuses.map((_, index) => param<string>(`status${index}`))
  if (names.length === 1 && isNewest) return [sql<SqlBool>`entry.status = ${names[0]}`]
  return [sql<SqlBool>`+entry.status IN (${sql.join(names)})`]
}

/** Matches by relevance among the newest, or newest first. */
export function matchesStatement(
  collection: CollectionModel,
  { where }: Filter,
  ranked: boolean,
): RawBuilder<SortedRow> {
  const search = sql.table(searchTable(collection.key))
  const own = sql.table(collection.key)
  const weights = sql.join(searchWeights(collection).map((weight) => sql.lit(weight)))
  const columns = sql.join(['id', 'seq', 'status', 'shape', 'kept', 'doc'].map((name) => sql.ref(`entry.${name}`)))
  const narrowed = where ? sql` AND rowid IN (SELECT entry.pk FROM ${own} AS entry WHERE ${where.build()})` : sql``
  const score = ranked ? sql`bm25(${search}, ${weights})` : sql`0`
  const page = sql`LIMIT ${param('limit')} OFFSET ${param('offset')}`
  return sql<SortedRow>`
    WITH daybook$found AS MATERIALIZED (
      SELECT rowid AS pk, ${score} AS score FROM ${search} WHERE ${search} MATCH ${param('match')}${narrowed}
      ORDER BY rowid DESC ${ranked ? sql`LIMIT ${sql.lit(RANKED_MATCHES)}` : page}
    ), daybook$best AS MATERIALIZED (SELECT pk, score FROM daybook$found ORDER BY score, pk DESC ${ranked ? page : sql``})
    SELECT ${columns} FROM daybook$best AS best JOIN ${own} AS entry ON entry.pk = best.pk ORDER BY best.score, best.pk DESC`
}
