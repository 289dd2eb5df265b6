import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { FilterableField } from '../../model/model.ts'
import type { SqlValue } from '../../query/operators.ts'
import { isIndexOrder, type SortBy } from '../../query/sort-order.ts'
import type { Dialect, SchemaDialect } from '../dialect.ts'
import { param } from '../statement.ts'
import { HAS_LINKS_SQL, LINKED, PARTLY_PUBLISHED_SQL, PUBLISHED_LOCALES } from '../tables/tables.ts'
import { SQLITE_PLANNER } from './sqlite-planner.ts'
import { SQLITE_SEARCH } from './sqlite-search.ts'

/** Returns a value in a document. Paths consist of keys, which need no escaping. */
const jsonValue = (path: string, alias?: string): string => `json_extract(${alias ? `${alias}.` : ''}doc, '$.${path}')`

/** Returns a value of a top-level field in a locale other than the default. */
const translatedValue = (key: string, locale: string): string => `json_extract(locales, '$."${locale}"."${key}"')`

/** Returns a value that has no column. */
const storedValue = ({ path, derived }: FilterableField, alias?: string): string =>
  derived ? `json_extract(${alias ? `${alias}.` : ''}folded, '$."${derived.member}"')` : jsonValue(path, alias)

const SCHEMA: SchemaDialect = {
  columnTypes: { text: 'TEXT', long: 'TEXT', integer: 'INTEGER', bigint: 'INTEGER', identity: 'INTEGER' },
  // A table with a compound key needs no rowid beside the index of its key.
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
    const options = sql`(SELECT value FROM json_each(${param('known')}))`
    const formerStatus = sql.raw(
      `coalesce(json_extract(orphaned, '$.${statusKey}'), json_extract(doc, '$.${statusKey}'))`,
    )
    return [
      sql`UPDATE ${sql.table(key)} SET status = CASE WHEN ${formerStatus} IN ${options} THEN ${formerStatus}
        WHEN ${formerStatus} IS NULL THEN ${param('usual')} ELSE ${param('replacement')} END WHERE status IS NULL RETURNING 1 AS moved`,
      sql`UPDATE ${sql.table(key)} SET status = ${param('replacement')} WHERE status NOT IN ${options} RETURNING 1 AS moved`,
    ]
  },
  recount: (
    key,
  ) => sql`UPDATE daybook$collections SET seq = (SELECT seq FROM daybook$head), visible_seq = (SELECT seq FROM daybook$head), counts = (
       SELECT coalesce(json_group_object(name, n), '{}') FROM (
         SELECT coalesce(status, '') AS name, count(*) AS n FROM ${sql.table(key)} GROUP BY 1
         UNION ALL SELECT ${sql.lit(PUBLISHED_LOCALES)}, count(*) FROM ${sql.table(key)} WHERE ${sql.raw(PARTLY_PUBLISHED_SQL)}
        UNION ALL SELECT ${sql.lit(LINKED)}, count(*) FROM ${sql.table(key)} WHERE ${sql.raw(HAS_LINKS_SQL)})) WHERE key = ${param('key')}`,
  allTablesQuery:
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  // The next `pk` follows the highest one, and there are no statistics.
  afterCopy: () => [],
}

function value(by: FilterableField, alias?: string): RawBuilder<string | number | null> {
  if (by.column) return sql.ref(alias ? `${alias}.${by.column}` : by.column)
  return sql.raw(storedValue(by, alias))
}

function comparedValue(by: FilterableField, { alias }: { readonly alias?: string }): SqlValue {
  const compared = value(by, alias)
  return {
    indexed: compared,
    full: compared,
    position: sql`instr`,
    parameter: param,
    compare: (symbol, operand) => sql`${compared} ${sql.raw(symbol)} ${operand}`,
    isAmong: (list) => isAmong(compared, list),
    // A BLOB sorts after all text.
    startsWith: (prefix, next) => sql`(${compared} >= ${prefix} AND ${compared} < coalesce(${next}, x''))`,
  }
}

const isAmong = (value: RawBuilder<unknown>, list: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql`${value} IN (SELECT value FROM json_each(${list}))`

/** Returns a term of ORDER BY. By default, missing values come first, or last if the key descends. */
function orderTerm(key: SortBy): RawBuilder<unknown> {
  const direction = key.descending ? sql`DESC` : sql`ASC`
  if (isIndexOrder(key)) return sql`${value(key.by)} ${direction}`
  return sql`${value(key.by)} ${direction} NULLS ${key.nullsFirst ? sql`FIRST` : sql`LAST`}`
}

export const SQLITE: Dialect = {
  indexedValue: value,
  fullValue: (by) => value(by),
  indexedParameter: (_by, name) => param(name),
  comparedValue,
  isAmong,
  isSelected: (value, query) => sql`${value} IN (${query})`,
  unnest: (list) => sql`json_each(${list}) AS listed`,
  // IS NOT NULL would walk all missing values.
  hasValue: (by) => sql`${value(by)} >= ${by.scalar === 'text' ? sql`''` : sql`-9e999`}`,
  orderTerm,
  // SQLite would sort all rows without the value if the order named it.
  ordersByEmptyKey: false,
  // The unary plus keeps SQLite from using the status index, whose entries it would have to sort.
  unindexedStatus: sql`+entry.status`,
  hasCoveringIndexes: true,
  // The unary plus removes the affinity of the column, which the expression of an index does not have.
  targetId: sql`+target.id`,
  planner: SQLITE_PLANNER,
  // The driver returns it. RETURNING would make SQLite copy each changed page to a statement journal.
  returningPk: sql``,
  exactSum: (value) => sql`exact_sum(${value})`,
  now: sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  search: SQLITE_SEARCH,
  schema: SCHEMA,
}
