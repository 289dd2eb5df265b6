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

/** A relation, as the entries that hold it are found by it. */
export type ReverseRelation =
  | {
      readonly kind: 'one'
      readonly by: FilterableField
      /** The collection that a reference names, where it does. */
      readonly collection?: FilterableField
    }
  | { readonly kind: 'many'; readonly by: MultiValuedField }

/** The entries of a collection that refer to documents, in terms of the store. */
export interface ReverseQuery {
  /** The collection that refers, as the locale shows it. */
  readonly collection: CollectionModel
  readonly through: ReverseRelation
  /** The collection that is referred to. */
  readonly target: string
  /** `undefined`: entries of any status. */
  readonly statuses: readonly string[] | undefined
  /** What entries must hold besides. */
  readonly where: Condition | undefined
  readonly sort: readonly SortBy[]
  readonly limit: number
  readonly offset: number
  /** Whether it is answered who made and changed the entries. */
  readonly hasAuthors: boolean
}

/** The entries that refer to one document: one page of them, in order. */
export interface ReversePageRows {
  /** How many there are, on all pages; `null` where that was not asked. */
  readonly total: number | null
  readonly rows: readonly EntryRow[]
  /** Where the page ends; `undefined` when nothing comes after it. */
  readonly end: Position | undefined
}

/** A row of the statement: a document that is referred to, and an entry that refers to it, where there is one. */
type FoundRow = { readonly holder: string; readonly total: number | null } & (
  | SortedRow
  | { readonly [K in keyof EntryRow]: null }
)

/** Reads relations from their other side. */
export class ReverseReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /**
   * The entries that refer to each of these documents, by its id: one statement for all of them. For each document, an index leads to as many entries as its page holds. Counting reads the index alone where nothing
   * but the status is asked of them.
   *
   * @param counted those of the documents whose totals are asked
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
    // One more entry tells whether another page follows; of no entries at all, none is read.
    const lists = { ids: JSON.stringify(ids), counted: JSON.stringify(counted) }
    const values = { ...filter.values, ...lists, limit: limit === 0 ? 0 : limit + 1, offset }
    const found = await this.#source.background.all(statement, values)
    const pages = [...Map.groupBy(found, ({ holder }) => holder)]
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

function toPage(found: readonly FoundRow[], { sort, limit }: ReverseQuery): ReversePageRows {
  const all = found.filter((row): row is FoundRow & SortedRow => row.id !== null)
  const rows = all.slice(0, limit)
  const last = rows.at(-1)
  return { total: found[0]?.total ?? null, rows, end: all.length > limit && last ? getPosition(last, sort) : undefined }
}

function reverseStatement(dialect: Dialect, query: ReverseQuery, filter: FilterSql): RawBuilder<FoundRow> {
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

/** The entries that refer to `holder`, as far as they are shown. */
function referringEntries(
  dialect: Dialect,
  { collection, through, target, statuses }: ReverseQuery,
  { where }: FilterSql,
): RawBuilder<unknown> {
  const entries = sql`${sql.table(collection.table)} AS entry`
  const narrowing = [...statusConditions(dialect, statuses, false), ...(where ? [where.build()] : [])]
  const all = (conditions: readonly RawBuilder<SqlBool>[]) => sql.join([...conditions, ...narrowing], sql` AND `)
  if (through.kind === 'one') {
    const leads = sql<SqlBool>`${dialect.indexedValue(through.by, 'entry')} = holder`
    const named =
      through.collection && sql<SqlBool>`${dialect.indexedValue(through.collection, 'entry')} = ${sql.lit(target)}`
    return sql`FROM ${entries} WHERE ${all(named ? [leads, named] : [leads])}`
  }
  // A cross join begins with the references, which name the few entries that matter.
  const own = sql<SqlBool>`m.to_collection = ${sql.lit(target)} AND m.to_id = holder
    AND m.from_collection = ${sql.lit(collection.key)} AND m.field = ${sql.lit(through.by.part?.relation ?? through.by.path)} AND entry.id = m.from_id`
  return sql`FROM daybook$refs AS m CROSS JOIN ${entries} WHERE ${all([own])}`
}
