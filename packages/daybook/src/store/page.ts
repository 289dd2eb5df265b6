import { type Compilable, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { CollectionModel } from '../model/model.ts'
import type { SortBy } from '../query/list-query.ts'
import { build, param, type Values } from './compile.ts'
import type { EntryRow, PageQuery, Position } from './read.ts'
import { MAX_EXPANDED, type SearchQuery } from './search.ts'
import { type EntryTable, searchTable, wordsTable } from './tables.ts'
import { comparableSql, type WhereSql } from './where.ts'

/**
 * How many of the newest matches are ranked by relevance. Ranking every match of a common word would
 * make its cost grow with the collection.
 */
export const RANKED_MATCHES = 1000

/** An entry with the values of its sort keys. */
export type SortedRow = EntryRow & Readonly<Record<`s${number}`, string | number | null>>

/** The tables of a statement on one collection. */
interface EntryScope {
  readonly entry: EntryTable
}

/** A collection's table under the common name. */
export const entryTable = (table: string): SelectQueryBuilder<EntryScope, 'entry', Record<never, never>> =>
  build.selectFrom(sql.table<EntryTable>(table).as('entry')) as unknown as SelectQueryBuilder<
    EntryScope,
    'entry',
    Record<never, never>
  >

/** Entries of a collection, with what is read of them to serve them. */
export const entries = (table: string): SelectQueryBuilder<EntryScope, 'entry', EntryRow> =>
  entryTable(table).select(['id', 'seq', 'status', 'shape', 'kept', 'doc'])

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
  let page = entries(collection.table).select(keys)
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
    const table = sql.table(searchTable(collection.table))
    return sql`SELECT count(*) AS total FROM ${table} WHERE ${table} MATCH ${matchText(collection.table)}`
  }
  const conditions = [where.build(), ...statusConditions(statuses, false), ...searchConditions(collection, search)]
  return sql`SELECT count(*) AS total FROM ${sql.table(collection.table)} AS entry WHERE ${sql.join(conditions, sql` AND `)}`
}

function searchConditions(
  { table: own }: CollectionModel,
  search: SearchQuery | undefined,
): readonly RawBuilder<SqlBool>[] {
  if (!search) return []
  const table = sql.table(searchTable(own))
  return [sql<SqlBool>`entry.pk IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ${matchText(own)})`]
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

/**
 * What a beginning is replaced by: the stored words that begin so, each found by one step in the index, however often
 * it occurs. Where there are none or too many, the beginning itself.
 */
function expansion(key: string): RawBuilder<string> {
  const words = sql.table(wordsTable(key))
  const [prefix, from, to] = [param('prefix'), param('from'), param('to')]
  return sql`(
    WITH RECURSIVE daybook$terms(word) AS (
      SELECT (SELECT term FROM ${words} WHERE term >= ${from} LIMIT 1) WHERE ${prefix} <> ''
      UNION ALL
      SELECT (SELECT term FROM ${words} WHERE term >= daybook$terms.word || char(1) LIMIT 1)
      FROM daybook$terms WHERE word < ${to} LIMIT ${sql.lit(MAX_EXPANDED + 2)}
    )
    SELECT CASE WHEN count(*) BETWEEN 1 AND ${sql.lit(MAX_EXPANDED)}
      THEN '("' || group_concat(word, '" OR "') || '")' ELSE ${prefix} END
    FROM daybook$terms WHERE word < ${to})`
}

/** The query in FTS5's language, with its last word's beginning expanded. */
const matchText = (key: string): RawBuilder<string> =>
  sql`replace(${param('match')}, ${param('prefix')}, ${expansion(key)})`

/**
 * Matches by relevance among the newest, or newest first. Relevance is which words stand in heavier fields: what
 * bm25 asks about all matches would make its cost grow with the collection.
 */
export function matchesStatement(
  collection: CollectionModel,
  { where }: Filter,
  ranked: boolean,
): RawBuilder<SortedRow> {
  const search = sql.table(searchTable(collection.table))
  const own = sql.table(collection.table)
  const columns = sql.join(['id', 'seq', 'status', 'shape', 'kept', 'doc'].map((name) => sql.ref(`entry.${name}`)))
  const narrowed = where ? sql` AND rowid IN (SELECT entry.pk FROM ${own} AS entry WHERE ${where.build()})` : sql``
  const page = sql`LIMIT ${param('limit')} OFFSET ${param('offset')}`
  // Ranked, the expansion is needed more than once.
  const words = ranked ? sql`(SELECT words FROM daybook$expansion)` : expansion(collection.table)
  const expanded = (text: RawBuilder<string>) => sql`replace(${text}, ${param('prefix')}, ${words})`
  const newest = sql`
    SELECT rowid AS pk FROM ${search} WHERE ${search} MATCH ${expanded(param('match'))}${narrowed} ORDER BY rowid DESC`
  if (!ranked) {
    return sql<SortedRow>`
      WITH daybook$best AS MATERIALIZED (${newest} ${page})
      SELECT ${columns} FROM daybook$best AS best JOIN ${own} AS entry ON entry.pk = best.pk ORDER BY best.pk DESC`
  }
  return sql<SortedRow>`
    WITH daybook$expansion AS MATERIALIZED (SELECT ${expansion(collection.table)} AS words),
    daybook$found AS MATERIALIZED (${newest} LIMIT ${sql.lit(RANKED_MATCHES)}),
    daybook$lifted AS MATERIALIZED (
      SELECT ${search}.rowid AS pk, sum(boost.value ->> 1) AS score
      FROM json_each(${param('boosts')}) AS boost CROSS JOIN ${search}
      WHERE ${search} MATCH ${expanded(sql`boost.value ->> 0`)}
        AND ${search}.rowid >= (SELECT min(pk) FROM daybook$found) GROUP BY 1
    ),
    daybook$best AS MATERIALIZED (
      SELECT pk, coalesce(score, 0) AS score FROM daybook$found LEFT JOIN daybook$lifted USING (pk)
      ORDER BY 2 DESC, 1 DESC ${page}
    )
    SELECT ${columns} FROM daybook$best AS best JOIN ${own} AS entry ON entry.pk = best.pk
    ORDER BY best.score DESC, best.pk DESC`
}
