import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CollectionModel, FilterableField, MultiValuedField } from '../../model/model.ts'
import { nameOrder, type SortBy } from '../../query/sort-order.ts'
import type { Condition } from '../../query/where.ts'
import type { StoreReadContext } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import type { EntryRow, SortedRow } from '../rows.ts'
import { param, prepareSql } from '../statement.ts'
import { toWhereSql } from '../where-sql.ts'
import { type FilterSql, getPosition, type Position, servedColumns, statusConditions, statusValues } from './page.ts'

/** A relation by which the entries that refer to a document are found. */
export type ReverseRelation =
  | {
      readonly kind: 'one'
      readonly by: FilterableField
      /** The collection part of the reference, for a relation to several collections. */
      readonly collection?: FilterableField
    }
  | { readonly kind: 'many'; readonly by: MultiValuedField }

/** A query of the entries of a collection that refer to documents. */
export interface ReverseQuery {
  /** The referring collection in the requested locale. */
  readonly collection: CollectionModel
  readonly through: ReverseRelation
  /** The key of the collection that the references lead to. */
  readonly target: string
  /** `undefined` for any status. */
  readonly statuses: readonly string[] | undefined
  /** A filter that entries must match. */
  readonly where: Condition | undefined
  readonly sort: readonly SortBy[]
  readonly limit: number
  readonly offset: number
  /** True if the authors are read, too. */
  readonly hasAuthors: boolean
}

/** A page of the entries that refer to one document, in order. */
export interface ReversePageRows {
  /** The number of entries on all pages; `null` if it was not requested. */
  readonly total: number | null
  readonly rows: readonly EntryRow[]
  /** The position of the last entry; `undefined` if no page follows. */
  readonly end: Position | undefined
}

/** A row of the statement: a document that is referred to, and an entry that refers to it, if there is one. */
type ReverseRow = { readonly holder: string; readonly total: number | null } & (
  | SortedRow
  | { readonly [K in keyof EntryRow]: null }
)

export class ReverseReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /**
   * Returns a page of the entries that refer to each of these documents, by its id, with one statement. For each document, an index leads
   * to the entries of its page. Without a filter, counting reads the index only.
   *
   * @param counted the documents whose totals are requested
   */
  async pages(
    query: ReverseQuery,
    ids: readonly string[],
    counted: readonly string[],
  ): Promise<ReadonlyMap<string, ReversePageRows>> {
    const { collection, through, target, sort, limit, offset, hasAuthors } = query
    const filter = this.#filter(query)
    const name = `reverse ${target} ${collection.table} ${through.by.path} ${nameOrder(sort)} ${filter.cacheKey} ${hasAuthors}`
    const statement = this.#source.statements.get(name, () =>
      prepareSql(reverseStatement(this.#source.dialect, query, filter)),
    )
    // One more entry shows if another page follows; with limit 0, none is read.
    const lists = { ids: JSON.stringify(ids), counted: JSON.stringify(counted) }
    const values = { ...filter.values, ...lists, limit: limit === 0 ? 0 : limit + 1, offset }
    const all = await this.#source.background.all(statement, values)
    const pages = [...Map.groupBy(all, ({ holder }) => holder)]
    return new Map(pages.map(([holder, rows]) => [holder, toPage(rows, query)]))
  }

  #filter({ collection, statuses, where }: ReverseQuery): FilterSql {
    const { dialect } = this.#source
    const condition = where && toWhereSql(dialect, where, collection, { plan: { form: 'compare' } })
    return {
      cacheKey: `${statuses?.length} ${condition?.cacheKey}`,
      values: { ...statusValues(statuses), ...condition?.values },
      where: condition,
    }
  }
}

function toPage(reverseRows: readonly ReverseRow[], { sort, limit }: ReverseQuery): ReversePageRows {
  const all = reverseRows.filter((row): row is ReverseRow & SortedRow => row.id !== null)
  const rows = all.slice(0, limit)
  const last = rows.at(-1)
  return {
    total: reverseRows[0]?.total ?? null,
    rows,
    end: all.length > limit && last ? getPosition(last, sort) : undefined,
  }
}

function reverseStatement(dialect: Dialect, query: ReverseQuery, filter: FilterSql): RawBuilder<ReverseRow> {
  const { collection, sort, hasAuthors } = query
  const table = sql.table(collection.table)
  const referring = referringEntries(dialect, query, filter)
  const order = sql.join(sort.map((key) => dialect.orderTerm(key)))
  const page = sql`SELECT entry.pk ${referring} ORDER BY ${order} LIMIT ${param('limit')} OFFSET ${param('offset')}`
  const columns = servedColumns(hasAuthors).map((column) => sql.ref(`entry.${column}`))
  const isCounted = dialect.isAmong(sql.ref('holder'), param('counted'))
  const keys = sort.map(({ by }, index) => sql`${dialect.fullValue(by)} AS ${sql.ref(`s${index}`)}`)
  return sql`WITH holders AS MATERIALIZED (
      SELECT holder, CASE WHEN ${isCounted} THEN (SELECT count(*) ${referring}) END AS total
      FROM (SELECT listed.value AS holder FROM ${dialect.unnest(param('ids'))}) AS given)
    SELECT holder, total, ${sql.join([...columns, ...keys])}
    FROM holders LEFT JOIN ${table} AS entry ON ${dialect.isSelected(sql.ref('entry.pk'), page)}
    ORDER BY holder, ${order}`
}

/** Selects the entries that refer to `holder` and match the query. */
function referringEntries(
  dialect: Dialect,
  { collection, through, target, statuses }: ReverseQuery,
  { where }: FilterSql,
): RawBuilder<unknown> {
  const entries = sql`${sql.table(collection.table)} AS entry`
  const narrowing = [...statusConditions(dialect, statuses, false), ...(where ? [where.build()] : [])]
  const all = (conditions: readonly RawBuilder<SqlBool>[]) => sql.join([...conditions, ...narrowing], sql` AND `)
  if (through.kind === 'one') {
    const refers = sql<SqlBool>`${dialect.indexedValue(through.by, 'entry')} = holder`
    const isOfTarget =
      through.collection && sql<SqlBool>`${dialect.indexedValue(through.collection, 'entry')} = ${sql.lit(target)}`
    return sql`FROM ${entries} WHERE ${all(isOfTarget ? [refers, isOfTarget] : [refers])}`
  }
  // A cross join starts from the references, which name few entries.
  const refers = sql<SqlBool>`m.to_collection = ${sql.lit(target)} AND m.to_id = holder
    AND m.from_collection = ${sql.lit(collection.key)} AND m.field = ${sql.lit(through.by.part?.relation ?? through.by.path)} AND entry.id = m.from_id`
  return sql`FROM daybook$refs AS m CROSS JOIN ${entries} WHERE ${all([refers])}`
}
