import type { RawBuilder } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { Aggregate, CountAggregate, ValueAggregate } from '../../query/aggregates.ts'
import { nameOrder } from '../../query/sort-order.ts'
import type { Connection, StoreReadContext } from '../connection.ts'
import type { ListSize, MatchesOrder, QueryPlan, SearchDialect } from '../dialect.ts'
import type { SortedRow } from '../rows.ts'
import { prepare, prepareSql, type Statement, type StatementValues } from '../statement.ts'
import { isSelfContained, toStoredValue, toWhereSql } from '../where-sql.ts'
import {
  type AggregateScope,
  type CountRow,
  countersStatement,
  countsStatement,
  isIndexWalkCheaper,
  type ValueRow,
  valueStatement,
} from './aggregate-statements.ts'
import {
  countStatement,
  type EntryRevision,
  type FilterSql,
  getPosition,
  type MatchQuery,
  matchingStatement,
  type OrderPhase,
  type Page,
  type PageQuery,
  pageStatement,
  RANKED_MATCHES,
  servedColumns,
  splitOrder,
  statusConditions,
  statusValues,
} from './page.ts'

/** The conditions of a query. */
type FilterQuery = Pick<PageQuery, 'search' | 'where' | 'statuses'>

/** The entries of an aggregate. */
export type AggregateQuery = FilterQuery &
  Pick<PageQuery, 'size'> & {
    /** True if the counters of the collection count the same entries. @default false */
    readonly hasCounters?: boolean
  }

/** The maximum offset of a page on the connection of short statements. */
const SHORT_OFFSET = 10_000

/** The maximum size of a collection whose statements count as short. */
const SHORT_ENTRIES = 2000

/** Reads lists of entries: pages, searches, counts and aggregates. */
export class ListReader {
  readonly #source: StoreReadContext

  constructor(source: StoreReadContext) {
    this.#source = source
  }

  /** Returns the exact number of entries that match a search or a filter. */
  async count(collection: CollectionModel, query: FilterQuery): Promise<number> {
    const filter = this.#filter(collection, query, { form: 'lead' }, this.#source.dialect.search.countValues)
    if (!filter) return 0
    const statement = this.#source.statements.get(`count ${collection.table} ${filter.cacheKey}`, () =>
      prepareSql(countStatement(this.#source.dialect, collection, query, filter)),
    )
    return (await this.#source.background.get(statement, filter.values))?.total ?? 0
  }

  /** Returns the entries that match a search or a filter, in order of creation, without their documents. */
  async matching(collection: CollectionModel, query: MatchQuery): Promise<readonly EntryRevision[]> {
    const { after, limit, search } = query
    const filter = this.#filter(collection, query, { form: search ? 'sets' : 'lead' })
    if (!filter) return []
    const statement = this.#source.statements.get(`matching ${collection.table} ${filter.cacheKey}`, () =>
      prepare(matchingStatement(this.#source.dialect, collection, query, filter)),
    )
    return this.#source.background.all(statement, { ...filter.values, after, limit })
  }

  async page(collection: CollectionModel, query: PageQuery): Promise<Page> {
    if (query.search && query.sort.length === 0) return this.#ranked(collection, query)
    const candidates = await this.#sorted(collection, { ...query, limit: query.limit + 1 })
    const rows = candidates.slice(0, query.limit)
    const last = rows.at(-1)
    return { rows, end: candidates.length > query.limit && last ? getPosition(last, query.sort) : undefined }
  }

  /**
   * Counts entries by their values, the most frequent first.
   *
   * @param query with `hasCounters`, a counted field is read from the counters
   */
  async counts(
    collection: CollectionModel,
    aggregate: CountAggregate,
    query: AggregateQuery,
  ): Promise<readonly CountRow[]> {
    if (canUseCounters(aggregate, query)) return this.#readCounters(collection, aggregate, query)
    const prepared = await this.#prepareAggregate(collection, aggregate, query, (scope) =>
      countsStatement(aggregate, scope),
    )
    return prepared ? prepared.connection.all(prepared.statement, prepared.values) : []
  }

  /** Returns the least or greatest value, or the sum; `undefined` if nothing can match. */
  async value(
    collection: CollectionModel,
    aggregate: ValueAggregate,
    query: AggregateQuery,
  ): Promise<ValueRow | undefined> {
    const prepared = await this.#prepareAggregate(collection, aggregate, query, (scope) =>
      valueStatement(aggregate, scope),
    )
    return prepared?.connection.get(prepared.statement, prepared.values)
  }

  async #readCounters(
    collection: CollectionModel,
    aggregate: CountAggregate,
    { statuses }: AggregateQuery,
  ): Promise<readonly CountRow[]> {
    if (statuses?.length === 0) return []
    const isMany = aggregate.kind === 'members'
    const by = isMany ? aggregate.of : aggregate.by
    const statement = this.#source.statements.get(`tallies ${collection.key} ${by.path} ${statuses?.length}`, () =>
      prepareSql(countersStatement(collection, by, isMany, statuses)),
    )
    const values = Object.fromEntries((statuses ?? []).map((status, index) => [`status${index}`, status]))
    return this.#source.connection.all(statement, values)
  }

  /** Prepares the statement of an aggregate; `undefined` if nothing can match. */
  async #prepareAggregate<Row>(
    collection: CollectionModel,
    aggregate: Aggregate,
    query: AggregateQuery,
    toSql: (scope: AggregateScope) => RawBuilder<Row>,
  ): Promise<
    | { readonly statement: Statement<Row>; readonly values: StatementValues; readonly connection: Connection }
    | undefined
  > {
    const { dialect, statements, connection, background } = this.#source
    const { statuses, search, size } = query
    const isWalk = isIndexWalkCheaper(size)
    const filter = this.#filter(collection, query, { form: isWalk || search ? 'sets' : 'lead' })
    if (!filter) return undefined
    const name = `aggregate ${collection.table} ${aggregate.name} ${isWalk} ${filter.cacheKey}`
    const statement = statements.get(name, () => {
      const conditions = [
        ...(filter.where ? [filter.where.build()] : []),
        ...statusConditions(dialect, statuses, false),
        ...(search ? [dialect.search.condition(collection.table)] : []),
      ]
      return prepareSql(toSql({ dialect, collection, conditions, walksIndex: isWalk }))
    })
    const isShort = !search && !query.where && size.total <= SHORT_ENTRIES
    return { statement, values: filter.values, connection: isShort ? connection : background }
  }

  /** Translates the conditions of a query; `undefined` if nothing can match. */
  #filter(
    collection: CollectionModel,
    { search, where, statuses }: FilterQuery,
    plan: QueryPlan,
    toValues: SearchDialect['values'] = this.#source.dialect.search.values,
  ): FilterSql | undefined {
    const searchValues = search ? toValues(search, collection) : {}
    if (!searchValues) return undefined
    const condition = where && toWhereSql(this.#source.dialect, where, collection, { plan })
    const { index, walksSortIndex = false, sortsMatches = false } = plan
    return {
      cacheKey: `${statuses?.length} ${search !== undefined} ${walksSortIndex} ${sortsMatches} ${index} ${condition?.cacheKey}`,
      values: { ...searchValues, ...statusValues(statuses), ...condition?.values },
      where: condition,
      index,
      walksSortIndex,
      sortsMatches,
    }
  }

  /** Reads at most `limit` entries in sort order. */
  async #sorted(collection: CollectionModel, query: PageQuery): Promise<readonly SortedRow[]> {
    const plan = this.#plan(collection, query)
    const filter = this.#filter(collection, query, plan)
    if (!filter) return []
    const connection = plan.isShort ? this.#source.connection : this.#source.background
    const rows: SortedRow[] = []
    for (const phase of splitOrder(this.#source.dialect, query)) {
      const rest = query.limit - rows.length
      if (rest > 0) rows.push(...(await this.#phase(connection, collection, query, phase, filter, rest)))
    }
    return rows
  }

  #plan(collection: CollectionModel, query: PageQuery): QueryPlan {
    const { where, search, offset, size } = query
    if (!where && !search) return { form: 'lead', isShort: offset <= SHORT_OFFSET }
    const { planner } = this.#source.dialect
    if (planner) return planner.planPage(collection, query)
    return { form: 'lead', isShort: !search && where && isSelfContained(where) && size.total <= SHORT_ENTRIES }
  }

  async #phase(
    connection: Connection,
    collection: CollectionModel,
    query: PageQuery,
    phase: OrderPhase,
    filter: FilterSql,
    limit: number,
  ): Promise<readonly SortedRow[]> {
    const statement = this.#source.statements.get(
      `page ${collection.table} ${nameOrder(query.sort)} ${phase.name} ${filter.cacheKey} ${query.hasAuthors}`,
      () => prepare(pageStatement(this.#source.dialect, collection, query, phase, filter)),
    )
    const after = Object.fromEntries((query.after ?? []).map((value, index) => [`after${index}`, toStoredValue(value)]))
    return connection.all(statement, { ...filter.values, ...after, limit, offset: query.offset })
  }

  /** Reads the newest matches by relevance, followed by older ones, newest first. */
  async #ranked(collection: CollectionModel, query: PageQuery): Promise<Page> {
    const filter = this.#filter(collection, query, { form: 'lead' })
    if (!filter) return { rows: [], end: undefined }
    const start = query.after ? Number(query.after[0]) : query.offset
    const candidates =
      (await this.#best(collection, query, start)) ?? (await this.#amongNewest(collection, query, filter, start))
    return {
      rows: candidates.slice(0, query.limit),
      end: candidates.length > query.limit ? [start + query.limit] : undefined,
    }
  }

  /** Reads the entries of a page and the next one, if all have the greatest relevance; else returns `undefined`. */
  async #best(collection: CollectionModel, query: PageQuery, start: number): Promise<readonly SortedRow[] | undefined> {
    const wanted = query.limit + 1
    const isSelfContainedFilter = query.where === undefined || isSelfContained(query.where)
    if (!isSelfContainedFilter || !isCommon(query.size, start + wanted)) return undefined
    const filter = this.#filter(collection, query, { form: 'compare' })
    const rows = filter ? await this.#matches(collection, query, filter, 'best', start, wanted) : []
    return rows.length === wanted ? rows : undefined
  }

  async #amongNewest(
    collection: CollectionModel,
    query: PageQuery,
    filter: FilterSql,
    start: number,
  ): Promise<readonly SortedRow[]> {
    const wanted = query.limit + 1
    const fromBest = Math.max(0, Math.min(wanted, RANKED_MATCHES - start))
    const rows = [...(await this.#matches(collection, query, filter, 'relevance', start, fromBest))]
    if (rows.length === fromBest) {
      const from = Math.max(start, RANKED_MATCHES)
      rows.push(...(await this.#matches(collection, query, filter, 'newest', from, wanted - fromBest)))
    }
    return rows
  }

  async #matches(
    collection: CollectionModel,
    { hasAuthors }: PageQuery,
    filter: FilterSql,
    order: MatchesOrder,
    offset: number,
    limit: number,
  ): Promise<readonly SortedRow[]> {
    if (limit <= 0) return []
    const statement = this.#source.statements.get(
      `matches ${collection.table} ${order} ${filter.cacheKey} ${hasAuthors}`,
      () =>
        prepareSql(
          this.#source.dialect.search.matches(collection, filter.where, { order, columns: servedColumns(hasAuthors) }),
        ),
    )
    return this.#source.background.all(statement, { ...filter.values, limit, offset })
  }
}

/** The expected number of matches for each one of the greatest relevance. */
const MATCHES_FOR_BEST = 8

/** True if enough of the newest entries match for a page of the most relevant ones to be likely. */
const isCommon = ({ matching, total: all }: ListSize, wanted: number): boolean =>
  (matching / Math.max(1, all)) * RANKED_MATCHES >= wanted * MATCHES_FOR_BEST

/** True if the counters of the collection answer an aggregate. */
function canUseCounters(aggregate: CountAggregate, { hasCounters = false }: AggregateQuery): boolean {
  if (!hasCounters) return false
  return aggregate.kind === 'members'
    ? aggregate.of.isCounted
    : aggregate.by.isCounted && aggregate.period === undefined
}
