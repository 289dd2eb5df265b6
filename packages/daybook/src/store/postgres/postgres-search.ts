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
import { searchTableName } from '../tables/tables.ts'

/** Encodes a word with the place of its field, so that a search can be limited to the fields that the caller can read. */
const inField = (place: number, word: string): string => `${place.toString(36)}:${word}`

const fieldPlace = ({ searchable }: CollectionModel, field: string): number =>
  searchable.findIndex(({ key }) => key === field)

/** Returns a query in the syntax of `tsquery`. Words are quoted and contain no quotes or backslashes, so they cannot be operators. */
function matchTerms(collection: CollectionModel, fields: readonly string[], terms: readonly SearchTerm[]): string {
  const places = fields.map((field) => fieldPlace(collection, field)).filter((place) => place >= 0)
  return terms.map((term) => matchTerm(places, term)).join(' & ')
}

function matchTerm(places: readonly number[], { word, isPrefix, parts }: SearchTerm): string {
  const wholeWord = places.map((place) => `'${inField(place, word)}'${isPrefix ? ':*' : ''}`)
  const allParts = parts ? [`(${parts.map((part) => matchTerm(places, part)).join(' & ')})`] : []
  return `(${[...wholeWord, ...allParts].join(' | ')})`
}

const toMatch = (search: SearchQuery, collection: CollectionModel): string =>
  [...listMarks(search).map(matchAnyMark), matchTerms(collection, search.fields, search.terms)].join(' & ')

const matchAnyMark = (words: readonly string[]): string => `(${words.map((word) => `'${word}'`).join(' | ')})`

function toBestMatch(search: SearchQuery, collection: CollectionModel): string {
  const places = bestPlaces(search, collection).map(({ fields, terms }) => matchTerms(collection, fields, terms))
  return [...listMarks(search).map(matchAnyMark), ...places].join(' & ')
}

const toBoostQueries = (search: SearchQuery, collection: CollectionModel): readonly (readonly [string, number])[] =>
  toBoosts(search, collection).map(({ fields, term, lift }) => [matchTerms(collection, fields, [term]), lift])

function collectIndexWords(
  collection: CollectionModel,
  doc: Readonly<Record<string, unknown>>,
  status: string | null,
): string {
  const words = [...(status === null ? [] : [statusWord(status)]), ...toFilterWords(collection, doc)]
  for (const [key, fieldWords] of collectWords(collection, doc)) {
    const place = fieldPlace(collection, key)
    for (const word of fieldWords) words.push(inField(place, word))
  }
  return words.join(' ')
}

const fromMatches = (table: string): RawBuilder<unknown> =>
  sql`${sql.table(searchTableName(table))} AS found WHERE found.words @@ ${param('match')}::tsquery`

/** Restricts matches to those that match a filter. */
function narrowTo(table: string, where: WhereSql | undefined): RawBuilder<unknown> {
  return where ? sql` AND pk IN (SELECT entry.pk FROM ${sql.table(table)} AS entry WHERE ${where.build()})` : sql``
}

/** Selects matches by relevance among the newest, or newest first. */
function matches(
  collection: CollectionModel,
  where: WhereSql | undefined,
  { order, columns: names }: MatchesOptions,
): RawBuilder<SortedRow> {
  const entries = sql.table(collection.table)
  const columns = sql.join(names.map((name) => sql.ref(`entry.${name}`)))
  const narrowed = narrowTo(collection.table, where)
  const page = sql`LIMIT ${param('limit')} OFFSET ${param('offset')}`
  const newest = sql`FROM ${fromMatches(collection.table)}${narrowed} ORDER BY pk DESC`
  if (order === 'best' && where) {
    const search = sql.table(searchTableName(collection.table))
    return sql<SortedRow>`
      SELECT ${columns} FROM ${search} AS search JOIN ${entries} AS entry USING (pk) WHERE search.words @@ ${param('best')}::tsquery
        AND search.pk > (SELECT max(pk) FROM ${entries}) - ${sql.lit(RANKED_MATCHES)} AND ${where.build()}
      ORDER BY search.pk DESC ${page}`
  }
  if (order === 'best') {
    return sql<SortedRow>`
      SELECT ${columns} FROM (
        SELECT pk FROM ${sql.table(searchTableName(collection.table))} WHERE words @@ ${param('best')}::tsquery
          AND pk > (SELECT max(pk) FROM ${entries}) - ${sql.lit(RANKED_MATCHES)} ORDER BY pk DESC ${page}
      ) AS best JOIN ${entries} AS entry ON entry.pk = best.pk ORDER BY best.pk DESC`
  }
  if (order === 'newest') {
    return sql<SortedRow>`
      SELECT ${columns} FROM (SELECT pk ${newest} ${page}) AS best JOIN ${entries} AS entry ON entry.pk = best.pk
      ORDER BY best.pk DESC`
  }
  return sql<SortedRow>`
    WITH daybook$found AS MATERIALIZED (SELECT pk, words ${newest} LIMIT ${sql.lit(RANKED_MATCHES)}),
    daybook$best AS MATERIALIZED (
      SELECT pk, (
        SELECT coalesce(sum((boost ->> 1)::numeric), 0) FROM jsonb_array_elements(${param('boosts')}::jsonb) AS boost
        WHERE daybook$found.words @@ (boost ->> 0)::tsquery) AS score
      FROM daybook$found ORDER BY 2 DESC, 1 DESC ${page}
    )
    SELECT ${columns} FROM daybook$best AS best JOIN ${entries} AS entry ON entry.pk = best.pk
    ORDER BY best.score DESC, best.pk DESC`
}

const values: SearchDialect['values'] = (search, collection) =>
  canMatch(search)
    ? {
        match: toMatch(search, collection),
        best: toBestMatch(search, collection),
        boosts: JSON.stringify(toBoostQueries(search, collection)),
      }
    : undefined

/** Full-text search by `tsvector` and GIN. */
export const POSTGRES_SEARCH: SearchDialect = {
  values,
  countValues: values,
  condition: (table) => sql`entry.pk IN (SELECT pk FROM ${fromMatches(table)})`,
  count: (table, where) => sql`SELECT count(*) AS total FROM ${fromMatches(table)}${narrowTo(table, where)}`,
  matches,
  row: (collection, doc, status) => ({ words: collectIndexWords(collection, doc, status) }),
  insert: ({ table }) => sql`INSERT INTO ${sql.table(searchTableName(table))} (pk, words)
    VALUES (${param('pk')}, array_to_tsvector(array_remove(string_to_array(${param('words')}, ' '), '')))`,
  insertAll: ({ table }) => sql`INSERT INTO ${sql.table(searchTableName(table))} (pk, words)
    SELECT (one ->> 'pk')::bigint, array_to_tsvector(array_remove(string_to_array(one ->> 'words', ' '), ''))
    FROM json_array_elements(${param('rows')}::json) AS one`,
  remove: (table) => sql`DELETE FROM ${sql.table(searchTableName(table))} WHERE pk = ${param('pk')}`,
  create: ({ table, searchable }) => [
    `CREATE TABLE "${searchTableName(table)}" (pk BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)`,
    `COMMENT ON TABLE "${searchTableName(table)}" IS '${searchable.map(({ key }) => key).join(' ')}'`,
  ],
  index: (table) => [`CREATE INDEX "${searchTableName(table)}$words" ON "${searchTableName(table)}" USING gin (words)`],
  drop: (table) => [`DROP TABLE IF EXISTS "${searchTableName(table)}"`],
  version: '2',
}
