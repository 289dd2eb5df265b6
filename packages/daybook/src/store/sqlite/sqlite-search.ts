import { type RawBuilder, sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { MatchesOptions, SearchDialect } from '../dialect.ts'
import { RANKED_MATCHES } from '../reads/page.ts'
import type { SortedRow } from '../rows.ts'
import {
  bestPlaces,
  canMatch,
  collectWords,
  listMarks,
  type SearchQuery,
  statusWord,
  toBoosts,
  toFilterWords,
} from '../search.ts'
import type { SearchTerm } from '../search-words.ts'
import type { WhereSql } from '../statement.ts'
import { param } from '../statement.ts'
import { searchTableName, wordsTableName } from '../tables/tables.ts'

/** The column that holds an entry's status and the values that filters ask for, so that a search comes only to what its reader may see. */
const MARKS_COLUMN = 'marks'

const column = (key: string): string => `f_${key}`

/** The columns of a collection's search table, in order. */
const searchColumns = ({ searchable }: CollectionModel): readonly string[] => [
  MARKS_COLUMN,
  ...searchable.map(({ key }) => column(key)),
]

/**
 * Columns without positions: no query asks for phrases, and lists are half as long. Beginnings of up to
 * three characters have lists of their own; longer ones are looked up among the words. The tokenizer only parts
 * what Daybook has parted by spaces: it knows no letters beyond ASCII, and takes all of them as they are.
 */
const SEARCH_TABLE_OPTIONS = `content='', contentless_delete=1, detail=column, prefix='1 2 3', tokenize="ascii tokenchars '+#'"`
/** Beginnings up to this length, in characters, have lists of their own in the search table. */
const MAX_INDEXED_PREFIX = 3
/** The most words that a beginning is replaced by; FTS5 looks at each for each match. */
const MAX_PREFIX_WORDS = 256

/**
 * The query in FTS5's language. Words have letters, marks, digits, emoji, + and # only and stand in quotes, so
 * nothing that a reader writes is taken for an operator.
 */
const toMatch = (search: SearchQuery): string =>
  allOf([...listMarks(search).map(anyMark), scoped(search.fields, search.terms)])

/** The same set for counting. Leaving out the few of other statuses is faster than looking each up among the many. */
function toCountMatch(search: SearchQuery, { status }: CollectionModel): string {
  const { statuses } = search
  if (!statuses || !status) return toMatch(search)
  const others = status.values.filter((one) => !statuses.includes(one))
  const found = toMatch({ ...search, statuses: undefined })
  return others.length > 0 ? `(${found}) NOT (${anyMark(others.map(statusWord))})` : found
}

/** With several words, each is asked for among those that have them all, so that a rare one keeps the others short. */
function boostMatches(search: SearchQuery, collection: CollectionModel): readonly (readonly [string, number])[] {
  const { terms, fields, filterWords: facets } = search
  const among = [...facets.map(anyMark), ...(terms.length > 1 ? [scoped(fields, terms)] : [])]
  return toBoosts(search, collection).map((one) => [
    leaveRoom(search, allOf([...among, scoped(one.fields, [one.term])])),
    one.lift,
  ])
}

function bestMatch(search: SearchQuery, collection: CollectionModel): string {
  const places = bestPlaces(search, collection).map(({ fields, terms }) => scoped(fields, terms))
  return allOf([...listMarks(search).map(anyMark), ...places])
}

const scoped = (fields: readonly string[], terms: readonly SearchTerm[]): string =>
  `{${fields.map(column).join(' ')}} : (${terms.map(termMatch).join(' AND ')})`

const anyMark = (words: readonly string[]): string =>
  `${MARKS_COLUMN} : (${words.map((one) => `"${one}"`).join(' OR ')})`

const allOf = (parts: readonly string[]): string => parts.map((one) => `(${one})`).join(' AND ')

function termMatch({ word, prefix, parts }: SearchTerm): string {
  const whole = `"${word}"${prefix ? '*' : ''}`
  return parts ? `(${whole} OR (${parts.map(termMatch).join(' AND ')}))` : `(${whole})`
}

/** Stands in a query for the stored words with a beginning; it is in no word. */
const STORED_WORDS = '?'

/** Finds the beginning whose stored words the statement looks up: the last one that has no list of its own. */
const storedPrefix = ({ terms }: SearchQuery): string | null =>
  terms.findLast(({ prefix, word }) => prefix && [...word].length > MAX_INDEXED_PREFIX)?.word ?? null

/** Leaves room in a query for the stored words. FTS5 itself would merge the whole lists of all words with the beginning first. */
function leaveRoom(search: SearchQuery, query: string): string {
  const prefix = storedPrefix(search)
  return prefix === null ? query : query.replaceAll(`"${prefix}"*`, STORED_WORDS)
}

/** Puts the stored words into a query. Each word takes one step in the index, however often it occurs. */
function matchQuery(table: string, query: RawBuilder<unknown>): RawBuilder<string> {
  const words = sql.table(wordsTableName(table))
  const prefix = param('prefix')
  return sql`replace(${query}, ${sql.lit(STORED_WORDS)}, (
    WITH RECURSIVE daybook$terms(word) AS (
      SELECT CASE WHEN ${prefix} IS NOT NULL THEN (SELECT term FROM ${words} WHERE term >= ${prefix} LIMIT 1) END
      UNION ALL
      SELECT (SELECT term FROM ${words} WHERE term >= daybook$terms.word || char(1) LIMIT 1)
      FROM daybook$terms WHERE word < ${prefix} || char(1114111) LIMIT ${sql.lit(MAX_PREFIX_WORDS + 2)}
    )
    SELECT CASE WHEN count(*) BETWEEN 1 AND ${sql.lit(MAX_PREFIX_WORDS)} THEN group_concat('"' || word || '"', ' OR ')
      ELSE '"' || ifnull(${prefix}, '') || '"*' END
    FROM daybook$terms WHERE word < ${prefix} || char(1114111)))`
}

/** Leaves matches that hold a filter. Without the unary plus, FTS5 would search once for each entry of the filter. */
function narrowTo(table: string, where: WhereSql | undefined): RawBuilder<unknown> {
  if (!where) return sql``
  const entries = sql`SELECT entry.pk FROM ${sql.table(table)} AS entry WHERE ${where.build()}`
  return sql` AND +${sql.table(searchTableName(table))}.rowid IN (${entries})`
}

/**
 * Matches by relevance among the newest, or newest first. Relevance is which words stand in heavier fields: what
 * bm25 asks about all matches would make its cost grow with the collection.
 */
function matches(
  collection: CollectionModel,
  where: WhereSql | undefined,
  { order, columns: shown }: MatchesOptions,
): RawBuilder<SortedRow> {
  const search = sql.table(searchTableName(collection.table))
  const own = sql.table(collection.table)
  const columns = sql.join(shown.map((name) => sql.ref(`entry.${name}`)))
  if (order === 'best') return bestMatches(collection, where, columns)
  const narrowed = narrowTo(collection.table, where)
  const page = sql`LIMIT ${param('limit')} OFFSET ${param('offset')}`
  const newest = sql`
    SELECT rowid AS pk FROM ${search} WHERE ${search} MATCH ${matchQuery(collection.table, param('match'))}${narrowed} ORDER BY rowid DESC`
  if (order === 'newest') {
    return sql<SortedRow>`
      WITH daybook$best AS MATERIALIZED (${newest} ${page})
      SELECT ${columns} FROM daybook$best AS best JOIN ${own} AS entry ON entry.pk = best.pk ORDER BY best.pk DESC`
  }
  return sql<SortedRow>`
    WITH daybook$found AS MATERIALIZED (${newest} LIMIT ${sql.lit(RANKED_MATCHES)}),
    daybook$lifted AS MATERIALIZED (
      SELECT ${search}.rowid AS pk, sum(boost.value ->> 1) AS score
      FROM json_each(${param('boosts')}) AS boost CROSS JOIN ${search}
      WHERE ${search} MATCH ${matchQuery(collection.table, sql`boost.value ->> 0`)}
        AND ${search}.rowid >= (SELECT min(pk) FROM daybook$found) GROUP BY 1
    ),
    daybook$best AS MATERIALIZED (
      SELECT pk, coalesce(score, 0) AS score FROM daybook$found LEFT JOIN daybook$lifted USING (pk)
      ORDER BY 2 DESC, 1 DESC ${page}
    )
    SELECT ${columns} FROM daybook$best AS best JOIN ${own} AS entry ON entry.pk = best.pk
    ORDER BY best.score DESC, best.pk DESC`
}

/** As many entries as are ranked hold at most as many matches: all of those are ranked. A temporary table would cost more than the rest. */
function bestMatches(
  { table }: CollectionModel,
  where: WhereSql | undefined,
  columns: RawBuilder<unknown>,
): RawBuilder<SortedRow> {
  const [own, search] = [sql.table(table), sql.table(searchTableName(table))]
  return sql<SortedRow>`
    SELECT ${columns} FROM ${search} CROSS JOIN ${own} AS entry ON entry.pk = ${search}.rowid
    WHERE ${search} MATCH ${matchQuery(table, param('best'))} AND ${search}.rowid > (SELECT max(pk) FROM ${own}) - ${sql.lit(RANKED_MATCHES)}${where ? sql` AND ${where.build()}` : sql``}
    ORDER BY ${search}.rowid DESC LIMIT ${param('limit')} OFFSET ${param('offset')}`
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

/** Full-text search by FTS5. */
export const SQLITE_SEARCH: SearchDialect = {
  values: (search, collection) =>
    canMatch(search)
      ? {
          match: leaveRoom(search, toMatch(search)),
          best: leaveRoom(search, bestMatch(search, collection)),
          boosts: JSON.stringify(boostMatches(search, collection)),
          prefix: storedPrefix(search),
        }
      : undefined,
  countValues: (search, collection) =>
    canMatch(search)
      ? { match: leaveRoom(search, toCountMatch(search, collection)), prefix: storedPrefix(search) }
      : undefined,
  condition: (table, leads = true) => {
    const search = sql.table(searchTableName(table))
    return sql`${leads ? sql`` : sql`+`}entry.pk IN (SELECT rowid FROM ${search} WHERE ${search} MATCH ${matchQuery(table, param('match'))})`
  },
  count: (table, where) => {
    const search = sql.table(searchTableName(table))
    const matched = sql`${search} MATCH ${matchQuery(table, param('match'))}`
    return sql`SELECT count(*) AS total FROM ${search} WHERE ${matched}${narrowTo(table, where)}`
  },
  matches,
  row: (collection, doc, status) => ({
    [MARKS_COLUMN]: [...(status === null ? [] : [statusWord(status)]), ...toFilterWords(collection, doc)].join(' '),
    ...Object.fromEntries(collectWords(collection, doc).map(([key, words]) => [column(key), [...words].join(' ')])),
  }),
  insert: (collection) => {
    const names = searchColumns(collection)
    const columns = sql.join(['rowid', ...names].map((name) => sql.ref(name)))
    const values = sql.join(['pk', ...names].map((name) => param(name)))
    return sql`INSERT INTO ${sql.table(searchTableName(collection.table))} (${columns}) VALUES (${values})`
  },
  remove: (table) => sql`DELETE FROM ${sql.table(searchTableName(table))} WHERE rowid = ${param('pk')}`,
  create: (collection) => [
    `CREATE VIRTUAL TABLE "${searchTableName(collection.table)}" USING fts5(${quoted(searchColumns(collection))}, ${SEARCH_TABLE_OPTIONS})`,
    `CREATE VIRTUAL TABLE "${wordsTableName(collection.table)}" USING fts5vocab("${searchTableName(collection.table)}", instance)`,
  ],
  drop: (table) => [wordsTableName(table), searchTableName(table)].map((name) => `DROP TABLE IF EXISTS "${name}"`),
  version: SEARCH_TABLE_OPTIONS,
}
