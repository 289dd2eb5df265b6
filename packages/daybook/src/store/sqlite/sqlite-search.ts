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
import { param, type WhereSql } from '../statement.ts'
import { searchTableName, wordsTableName } from '../tables/tables.ts'

/** The column with an entry's status and filter values, so that a search finds only entries that its caller can see. */
const MARKS_COLUMN = 'marks'

const column = (key: string): string => `f_${key}`

/** The columns of a collection's search table, in order. */
const searchColumns = ({ searchable }: CollectionModel): readonly string[] => [
  MARKS_COLUMN,
  ...searchable.map(({ key }) => column(key)),
]

/**
 * The options of a search table. There are no positions, since no query asks for phrases, which halves the lists. Prefixes of up to three
 * characters have their own lists; longer ones are looked up among the words. The tokenizer only splits at the spaces that Daybook has
 * put between words: it takes all characters beyond ASCII as they are.
 */
const SEARCH_TABLE_OPTIONS = `content='', contentless_delete=1, detail=column, prefix='1 2 3', tokenize="ascii tokenchars '+#'"`
/** The maximum length of a prefix with its own list in the search table, in characters. */
const MAX_INDEXED_PREFIX = 3
/** The maximum number of words that replace a prefix. FTS5 checks each of them for each match. */
const MAX_PREFIX_WORDS = 256

/**
 * Returns a query in FTS5's syntax. Words are quoted and consist of letters, marks, digits, emoji, + and #, so they cannot be
 * operators.
 */
const toMatch = (search: SearchQuery): string =>
  matchAll([...listMarks(search).map(matchAnyMark), matchTerms(search.fields, search.terms)])

/** Returns a query with the same matches for counting. Excluding the few entries of other statuses is faster than intersecting with the many. */
function toCountMatch(search: SearchQuery, { status }: CollectionModel): string {
  const { statuses } = search
  if (!statuses || !status) return toMatch(search)
  const excluded = status.values.filter((value) => !statuses.includes(value))
  const match = toMatch({ ...search, statuses: undefined })
  return excluded.length > 0 ? `(${match}) NOT (${matchAnyMark(excluded.map(statusWord))})` : match
}

/** Returns the queries of boosts. With several words, each is searched among entries with all of them, so that a rare word limits the others. */
function toBoostQueries(search: SearchQuery, collection: CollectionModel): readonly (readonly [string, number])[] {
  const { terms, fields, filterWords } = search
  const required = [...filterWords.map(matchAnyMark), ...(terms.length > 1 ? [matchTerms(fields, terms)] : [])]
  return toBoosts(search, collection).map((boost) => [
    replacePrefix(search, matchAll([...required, matchTerms(boost.fields, [boost.term])])),
    boost.lift,
  ])
}

function toBestMatch(search: SearchQuery, collection: CollectionModel): string {
  const places = bestPlaces(search, collection).map(({ fields, terms }) => matchTerms(fields, terms))
  return matchAll([...listMarks(search).map(matchAnyMark), ...places])
}

const matchTerms = (fields: readonly string[], terms: readonly SearchTerm[]): string =>
  `{${fields.map(column).join(' ')}} : (${terms.map(matchTerm).join(' AND ')})`

const matchAnyMark = (words: readonly string[]): string =>
  `${MARKS_COLUMN} : (${words.map((word) => `"${word}"`).join(' OR ')})`

const matchAll = (parts: readonly string[]): string => parts.map((part) => `(${part})`).join(' AND ')

function matchTerm({ word, isPrefix, parts }: SearchTerm): string {
  const wholeWord = `"${word}"${isPrefix ? '*' : ''}`
  return parts ? `(${wholeWord} OR (${parts.map(matchTerm).join(' AND ')}))` : `(${wholeWord})`
}

/** The placeholder in a query for the stored words with a prefix. It occurs in no word. */
const STORED_WORDS = '?'

/** Returns the prefix whose stored words the statement looks up: the last one without its own list. */
const storedPrefix = ({ terms }: SearchQuery): string | null =>
  terms.findLast(({ isPrefix, word }) => isPrefix && [...word].length > MAX_INDEXED_PREFIX)?.word ?? null

/** Replaces the prefix in a query by a placeholder for its stored words. FTS5 itself would first merge the whole lists of all words with the prefix. */
function replacePrefix(search: SearchQuery, query: string): string {
  const prefix = storedPrefix(search)
  return prefix === null ? query : query.replaceAll(`"${prefix}"*`, STORED_WORDS)
}

/** Inserts the stored words into a query. Each word takes one step in the index, however often it occurs. */
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

/** Restricts matches to those that match a filter. Without the unary plus, FTS5 would search once for each entry of the filter. */
function narrowTo(table: string, where: WhereSql | undefined): RawBuilder<unknown> {
  if (!where) return sql``
  const entries = sql`SELECT entry.pk FROM ${sql.table(table)} AS entry WHERE ${where.build()}`
  return sql` AND +${sql.table(searchTableName(table))}.rowid IN (${entries})`
}

/**
 * Selects matches by relevance among the newest, or newest first. Relevance depends on the weights of the fields with the words. The cost of
 * bm25, which considers all matches, would grow with the collection.
 */
function matches(
  collection: CollectionModel,
  where: WhereSql | undefined,
  { order, columns: names }: MatchesOptions,
): RawBuilder<SortedRow> {
  const search = sql.table(searchTableName(collection.table))
  const entries = sql.table(collection.table)
  const columns = sql.join(names.map((name) => sql.ref(`entry.${name}`)))
  if (order === 'best') return bestMatches(collection, where, columns)
  const narrowed = narrowTo(collection.table, where)
  const page = sql`LIMIT ${param('limit')} OFFSET ${param('offset')}`
  const newest = sql`
    SELECT rowid AS pk FROM ${search} WHERE ${search} MATCH ${matchQuery(collection.table, param('match'))}${narrowed} ORDER BY rowid DESC`
  if (order === 'newest') {
    return sql<SortedRow>`
      WITH daybook$best AS MATERIALIZED (${newest} ${page})
      SELECT ${columns} FROM daybook$best AS best JOIN ${entries} AS entry ON entry.pk = best.pk ORDER BY best.pk DESC`
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
    SELECT ${columns} FROM daybook$best AS best JOIN ${entries} AS entry ON entry.pk = best.pk
    ORDER BY best.score DESC, best.pk DESC`
}

/** Selects the most relevant matches among the newest entries, as many as are ranked, so that each match is ranked. It avoids a temporary table, which would cost more than the rest. */
function bestMatches(
  { table }: CollectionModel,
  where: WhereSql | undefined,
  columns: RawBuilder<unknown>,
): RawBuilder<SortedRow> {
  const [entries, search] = [sql.table(table), sql.table(searchTableName(table))]
  return sql<SortedRow>`
    SELECT ${columns} FROM ${search} CROSS JOIN ${entries} AS entry ON entry.pk = ${search}.rowid
    WHERE ${search} MATCH ${matchQuery(table, param('best'))} AND ${search}.rowid > (SELECT max(pk) FROM ${entries}) - ${sql.lit(RANKED_MATCHES)}${where ? sql` AND ${where.build()}` : sql``}
    ORDER BY ${search}.rowid DESC LIMIT ${param('limit')} OFFSET ${param('offset')}`
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

/** Full-text search by FTS5. */
export const SQLITE_SEARCH: SearchDialect = {
  values: (search, collection) =>
    canMatch(search)
      ? {
          match: replacePrefix(search, toMatch(search)),
          best: replacePrefix(search, toBestMatch(search, collection)),
          boosts: JSON.stringify(toBoostQueries(search, collection)),
          prefix: storedPrefix(search),
        }
      : undefined,
  countValues: (search, collection) =>
    canMatch(search)
      ? { match: replacePrefix(search, toCountMatch(search, collection)), prefix: storedPrefix(search) }
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
