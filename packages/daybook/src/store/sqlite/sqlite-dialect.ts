import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { FilterableField } from '../../model/model.ts'
import type { SqlValue } from '../../query/operators.ts'
import { isIndexOrder, type SortBy } from '../../query/sort-order.ts'
import type { Dialect, SchemaDialect } from '../dialect.ts'
import { param } from '../statement.ts'
import { PARTLY_PUBLISHED_SQL, PUBLISHED_LOCALES } from '../tables/tables.ts'
import { SQLITE_PLANNER } from './sqlite-planner.ts'
import { SQLITE_SEARCH } from './sqlite-search.ts'

/** A value inside a document; paths consist of keys, which need no escaping. */
const jsonValue = (path: string, alias?: string): string => `json_extract(${alias ? `${alias}.` : ''}doc, '$.${path}')`

/** A value of a top-level field in a locale other than the default one. */
const translatedValue = (key: string, locale: string): string => `json_extract(locales, '$."${locale}"."${key}"')`

/** A comparable value that has no column. */
const storedValue = ({ path, derived }: FilterableField, alias?: string): string =>
  derived ? `json_extract(${alias ? `${alias}.` : ''}folded, '$."${derived.member}"')` : jsonValue(path, alias)

const SCHEMA: SchemaDialect = {
  columnTypes: { text: 'TEXT', long: 'TEXT', integer: 'INTEGER', bigint: 'INTEGER', identity: 'INTEGER' },
  // Rows that several columns tell apart lie in the index of their key, and nowhere else.
  tableOptions: ({ key }) => (key.length > 1 ? ' STRICT, WITHOUT ROWID' : ' STRICT'),
  tablesExistQuery: "SELECT 1 FROM sqlite_schema WHERE name = 'daybook$meta'",
  named: (name) => name,
  indexColumn: (by, descending) => `${by.column ?? storedValue(by)}${descending ? ' DESC' : ''}`,
  uniqueIndexColumn: ({ path, isUniqueInAnyCase, locale, isTranslated }) => {
    const value = isTranslated ? translatedValue(path, String(locale)) : jsonValue(path)
    return isUniqueInAnyCase ? `lower(${value})` : value
  },
  draftValue: (key) => `json_extract(draft, '$.${key}')`,
  documentValue: (path) => jsonValue(path),
  tablesQuery: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%$%'",
  objectsQuery: `SELECT type, name, sql FROM sqlite_schema
      WHERE (type = 'index' AND name LIKE '%$%' AND sql IS NOT NULL AND tbl_name NOT LIKE 'daybook$%')
         OR (type = 'view' AND name LIKE '%\\_view' ESCAPE '\\')`,
  createObject: ({ sql: text }) => [text],
  alignStatus: (key, statusKey) => {
    const known = sql`(SELECT value FROM json_each(${param('known')}))`
    const once = sql.raw(`coalesce(json_extract(orphaned, '$.${statusKey}'), json_extract(doc, '$.${statusKey}'))`)
    return [
      sql`UPDATE ${sql.table(key)} SET status = CASE WHEN ${once} IN ${known} THEN ${once}
        WHEN ${once} IS NULL THEN ${param('usual')} ELSE ${param('replacement')} END WHERE status IS NULL RETURNING 1 AS moved`,
      sql`UPDATE ${sql.table(key)} SET status = ${param('replacement')} WHERE status NOT IN ${known} RETURNING 1 AS moved`,
    ]
  },
  recount: (
    key,
  ) => sql`UPDATE daybook$collections SET seq = (SELECT seq FROM daybook$head), visible_seq = (SELECT seq FROM daybook$head), counts = (
       SELECT coalesce(json_group_object(name, n), '{}') FROM (
         SELECT coalesce(status, '') AS name, count(*) AS n FROM ${sql.table(key)} GROUP BY 1
         UNION ALL SELECT ${sql.lit(PUBLISHED_LOCALES)}, count(*) FROM ${sql.table(key)} WHERE ${sql.raw(PARTLY_PUBLISHED_SQL)})) WHERE key = ${param('key')}`,
  allTablesQuery:
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  // The next number is one more than the highest, and there are no statistics.
  afterCopy: () => [],
}

function value(by: FilterableField, alias?: string): RawBuilder<string | number | null> {
  if (by.column) return sql.ref(alias ? `${alias}.${by.column}` : by.column)
  return sql.raw(storedValue(by, alias))
}

function comparedValue(by: FilterableField, { alias }: { readonly alias?: string }): SqlValue {
  const own = value(by, alias)
  return {
    indexed: own,
    full: own,
    position: sql`instr`,
    parameter: param,
    compare: (symbol, operand) => sql`${own} ${sql.raw(symbol)} ${operand}`,
    isAmong: (list) => isAmong(own, list),
    // A BLOB comes after all text.
    startsWith: (prefix, next) => sql`(${own} >= ${prefix} AND ${own} < coalesce(${next}, x''))`,
  }
}

const isAmong = (own: RawBuilder<unknown>, list: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql`${own} IN (SELECT value FROM json_each(${list}))`

/** Missing values come first of themselves, and last when the key descends. */
function orderTerm(key: SortBy): RawBuilder<unknown> {
  const direction = key.descending ? sql`DESC` : sql`ASC`
  if (isIndexOrder(key)) return sql`${value(key.by)} ${direction}`
  return sql`${value(key.by)} ${direction} NULLS ${key.nullsFirst ? sql`FIRST` : sql`LAST`}`
}

/** The SQL of SQLite. */
export const SQLITE: Dialect = {
  indexedValue: value,
  fullValue: (by) => value(by),
  indexedParameter: (_by, name) => param(name),
  comparedValue,
  isAmong,
  isSelected: (own, query) => sql`${own} IN (${query})`,
  unnest: (list) => sql`json_each(${list}) AS listed`,
  // SQLite would go through all missing values for IS NOT NULL.
  hasValue: (by) => sql`${value(by)} >= ${by.scalar === 'text' ? sql`''` : sql`-9e999`}`,
  orderTerm: orderTerm,
  // SQLite sorts all rows without a value where an order names it.
  ordersByEmptyKey: false,
  // The unary plus keeps SQLite from choosing the status index and sorting all of it.
  unindexedStatus: sql`+entry.status`,
  hasCoveringIndexes: true,
  // The unary plus takes away the type of the column, which the expression of an index does not have.
  targetId: sql`+target.id`,
  planner: SQLITE_PLANNER,
  // The driver knows it. RETURNING would make SQLite copy each page that the statement changes, so that it can be undone.
  returningPk: sql``,
  exactSum: (own) => sql`exact_sum(${own})`,
  now: sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  search: SQLITE_SEARCH,
  schema: SCHEMA,
}
