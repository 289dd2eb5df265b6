import type { RawBuilder } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { Aggregate, CountAggregate, ValueAggregate } from '../../query/aggregates.ts'
import { nameOrder } from '../../query/listing.ts'
import { prepare, prepareSql, type Statement, type StatementValues } from '../compile.ts'
import type { Connection } from '../connection.ts'
import type { MatchesOrder, SearchDialect } from '../dialect.ts'
import { narrowSearch } from '../search/facets.ts'
import { isOwn, toStored } from '../where.ts'
import { toWhereSql } from '../where-forms.ts'
import {
  type Counted,
  type CountRow,
  countsStatement,
  isWalkCheaper,
  talliesStatement,
  type ValueRow,
  valueStatement,
} from './aggregate.ts'
import { compoundPath } from './compound-path.ts'
import {
  countStatement,
  type EntryRevision,
  type Filter,
  type MatchQuery,
  matchingStatement,
  type Page,
  type PageQuery,
  type Phase,
  pageStatement,
  phasesOf,
  positionOf,
  RANKED_MATCHES,
  shownColumns,
  statusConditions,
  statusValues,
} from './page.ts'
import { ENTRY, type ListSize, MEMBER, type PagePlan, planPage, planSorted } from './page-plan.ts'
import type { ReadSource } from './read-source.ts'
import type { SortedRow } from './rows.ts'
import { SearchWords } from './search-words.ts'

/** Which entries are found. */
type FilterQuery = Pick<PageQuery, 'search' | 'where' | 'statuses' | 'revision'>

/** The entries that an aggregate is about. */
export type AggregateQuery = FilterQuery &
  Pick<PageQuery, 'size'> & {
    /** True if the counters of the collection count the same entries. @default false */
    readonly hasCounters?: boolean
  }

/** So many entries are skipped at once, without another thread. */
const SHORT_OFFSET = 10_000

/** An aggregate over so many entries need not be asked beside others. */
const SHORT_ENTRIES = 2000

/** Reads lists of entries: pages, searches, and how many entries there are. */
export class ListReader {
  readonly #source: ReadSource
  readonly #words: SearchWords

  constructor(source: ReadSource) {
    this.#source = source
    this.#words = new SearchWords(source)
  }

  /** How many entries a search or a filter finds, exactly. */
  async count(collection: CollectionModel, asked: FilterQuery): Promise<number> {
    const query = await this.#expanded(collection, asked)
    const form = query.search ? 'walk' : 'drive'
    const filter = this.#filter(collection, query, { form }, this.#source.dialect.search.countValues)
    if (!filter) return 0
    const statement = this.#source.statements.get(`count ${collection.table} ${filter.cacheKey}`, () =>
      prepareSql(countStatement(this.#source.dialect, collection, query, filter)),
    )
    return (await this.#source.background.get(statement, filter.values))?.total ?? 0
  }

  /** The entries that a search or a filter finds, in order of creation, without what they hold. */
  async matching(collection: CollectionModel, asked: MatchQuery): Promise<readonly EntryRevision[]> {
    const query = await this.#expanded(collection, asked)
    const { after, limit, search, where, statuses } = query
    const filter = this.#filter(collection, { search, where, statuses }, { form: search ? 'walk' : 'drive' })
    if (!filter) return []
    const statement = this.#source.statements.get(`matching ${collection.table} ${filter.cacheKey}`, () =>
      prepare(matchingStatement(this.#source.dialect, collection, query, filter)),
    )
    return this.#source.background.all(statement, { ...filter.values, after, limit })
  }

  /** One page of entries. */
  async page(collection: CollectionModel, asked: PageQuery): Promise<Page> {
    const query = asked.search ? await this.#expanded(collection, asked) : asked
    if (query.search && query.sort.length === 0) return this.#ranked(collection, query)
    const found = await this.#sorted(collection, { ...query, limit: query.limit + 1 })
    const rows = found.slice(0, query.limit)
    const last = rows.at(-1)
    return { rows, end: found.length > query.limit && last ? positionOf(last, query.sort) : undefined }
  }

  /**
   * Counts entries by their values, the commonest first.
   *
   * @param query where the counters apply, a counted field is answered from what each write keeps
   */
  async counts(
    collection: CollectionModel,
    aggregate: CountAggregate,
    query: AggregateQuery,
  ): Promise<readonly CountRow[]> {
    if (isTallied(aggregate, query)) return this.#tallies(collection, aggregate, query)
    const found = await this.#aggregated(collection, aggregate, query, (counted) => countsStatement(aggregate, counted))
    return found ? found.connection.all(found.statement, found.values) : []
  }

  /** The least or greatest value, or the sum of all; `undefined`: there is none. */
  async value(
    collection: CollectionModel,
    aggregate: ValueAggregate,
    query: AggregateQuery,
  ): Promise<ValueRow | undefined> {
    const found = await this.#aggregated(collection, aggregate, query, (counted) => valueStatement(aggregate, counted))
    return found?.connection.get(found.statement, found.values)
  }

  async #tallies(
    collection: CollectionModel,
    aggregate: CountAggregate,
    { statuses }: AggregateQuery,
  ): Promise<readonly CountRow[]> {
    if (statuses?.length === 0) return []
    const isMany = aggregate.kind === 'members'
    const by = isMany ? aggregate.of : aggregate.by
    const statement = this.#source.statements.get(`tallies ${collection.key} ${by.path} ${statuses?.length}`, () =>
      prepareSql(talliesStatement(collection, by, isMany, statuses)),
    )
    const named = Object.fromEntries((statuses ?? []).map((status, index) => [`status${index}`, status]))
    return this.#source.connection.all(statement, named)
  }

  /** The statement of an aggregate, and where it is asked; `undefined`: nothing can match. */
  async #aggregated<Row>(
    collection: CollectionModel,
    aggregate: Aggregate,
    asked: AggregateQuery,
    toSql: (counted: Counted) => RawBuilder<Row>,
  ): Promise<
    | { readonly statement: Statement<Row>; readonly values: StatementValues; readonly connection: Connection }
    | undefined
  > {
    const query = await this.#expanded(collection, asked)
    const { dialect, statements, connection, background } = this.#source
    const { statuses, search, size } = query
    const isWalk = isWalkCheaper(size)
    const filter = this.#filter(collection, query, { form: isWalk || search ? 'walk' : 'drive' })
    if (!filter) return undefined
    const name = `aggregate ${collection.table} ${aggregate.name} ${isWalk} ${filter.cacheKey}`
    const statement = statements.get(name, () => {
      const conditions = [
        ...(filter.where ? [filter.where.build()] : []),
        ...statusConditions(dialect, statuses, false),
        ...(search ? [dialect.search.condition(collection.table)] : []),
      ]
      return prepareSql(toSql({ dialect, collection, conditions, isWalk }))
    })
    const isShort = !search && !query.where && size.all <= SHORT_ENTRIES
    return { statement, values: filter.values, connection: isShort ? connection : background }
  }

  /** A question as the engine answers it fastest. */
  async #expanded<Query extends FilterQuery>(collection: CollectionModel, query: Query): Promise<Query> {
    const narrowed = narrowSearch(collection, query)
    const { search, revision } = narrowed
    return search ? { ...narrowed, search: await this.#words.expand(collection.table, search, revision) } : narrowed
  }

  /** The condition of a query, translated; `undefined`: nothing can match. */
  #filter(
    collection: CollectionModel,
    { search, where, statuses, sort }: FilterQuery & Partial<PageQuery>,
    { form, compound, walksOrder = false }: Pick<PagePlan, 'form' | 'compound' | 'walksOrder'>,
    toValues: SearchDialect['values'] = this.#source.dialect.search.values,
  ): Filter | undefined {
    const found = search ? toValues(search, collection) : {}
    if (!found) return undefined
    const { key, table } = collection
    const own = this.#source.dialect.indexesHoldValues ? form : 'plain'
    const place = { key, table, form: own, lead: sort?.[0], found: compound?.found }
    const condition = where && toWhereSql(this.#source.dialect, where, place)
    const named = statusValues(statuses)
    return {
      cacheKey: `${statuses?.length} ${search !== undefined} ${walksOrder} ${compound?.index} ${condition?.cacheKey}`,
      values: { ...found, ...named, ...condition?.values },
      where: condition,
      index: compound?.index,
      walksOrder,
    }
  }

  /** As many entries as `limit` says. */
  async #sorted(collection: CollectionModel, query: PageQuery): Promise<readonly SortedRow[]> {
    const plan = planOf(query, this.#source.dialect.indexesHoldValues ? collection : undefined)
    const filter = this.#filter(collection, query, plan)
    if (!filter) return []
    const connection = plan.isShort ? this.#source.connection : this.#source.background
    const found: SortedRow[] = []
    for (const phase of phasesOf(this.#source.dialect, query)) {
      const rest = query.limit - found.length
      if (rest > 0) found.push(...(await this.#phase(connection, collection, query, phase, filter, rest)))
    }
    return found
  }

  async #phase(
    connection: Connection,
    collection: CollectionModel,
    query: PageQuery,
    phase: Phase,
    filter: Filter,
    limit: number,
  ): Promise<readonly SortedRow[]> {
    const statement = this.#source.statements.get(
      `page ${collection.table} ${nameOrder(query.sort)} ${phase.name} ${filter.cacheKey} ${query.hasPeople}`,
      () => prepare(pageStatement(this.#source.dialect, collection, query, phase, filter)),
    )
    const after = Object.fromEntries((query.after ?? []).map((value, index) => [`after${index}`, toStored(value)]))
    return connection.all(statement, { ...filter.values, ...after, limit, offset: query.offset })
  }

  /** The newest matches by relevance, and older ones after them, newest first. */
  async #ranked(collection: CollectionModel, query: PageQuery): Promise<Page> {
    const filter = this.#filter(collection, query, { form: 'drive' })
    if (!filter) return { rows: [], end: undefined }
    const start = query.after ? Number(query.after[0]) : query.offset
    const found =
      (await this.#best(collection, query, start)) ?? (await this.#amongNewest(collection, query, filter, start))
    return { rows: found.slice(0, query.limit), end: found.length > query.limit ? [start + query.limit] : undefined }
  }

  /** The entries of a page and the next one, where none but the most relevant are on it; `undefined`: there are others. */
  async #best(collection: CollectionModel, query: PageQuery, start: number): Promise<readonly SortedRow[] | undefined> {
    const wanted = query.limit + 1
    const isLookedAt = query.where === undefined || isOwn(query.where)
    if (!isLookedAt || !isCommon(query.size, start + wanted)) return undefined
    const form = isCollecting(query.size, start + wanted) ? 'drive' : 'each'
    const filter = this.#filter(collection, query, { form })
    const order = form === 'drive' ? 'best of set' : 'best'
    const found = filter ? await this.#matches(collection, query, filter, order, start, wanted) : []
    return found.length === wanted ? found : undefined
  }

  async #amongNewest(
    collection: CollectionModel,
    query: PageQuery,
    filter: Filter,
    start: number,
  ): Promise<readonly SortedRow[]> {
    const wanted = query.limit + 1
    const fromBest = Math.max(0, Math.min(wanted, RANKED_MATCHES - start))
    const found = [...(await this.#matches(collection, query, filter, 'relevance', start, fromBest))]
    if (found.length === fromBest) {
      const from = Math.max(start, RANKED_MATCHES)
      found.push(...(await this.#matches(collection, query, filter, 'newest', from, wanted - fromBest)))
    }
    return found
  }

  async #matches(
    collection: CollectionModel,
    { hasPeople }: PageQuery,
    filter: Filter,
    order: MatchesOrder,
    offset: number,
    limit: number,
  ): Promise<readonly SortedRow[]> {
    if (limit <= 0) return []
    const statement = this.#source.statements.get(
      `matches ${collection.table} ${order} ${filter.cacheKey} ${hasPeople}`,
      () =>
        prepareSql(
          this.#source.dialect.search.matches(collection, filter.where, { order, columns: shownColumns(hasPeople) }),
        ),
    )
    return this.#source.background.all(statement, { ...filter.values, limit, offset })
  }
}

/** Of so many matches, one is expected to be one of the most relevant. */
const MATCHES_FOR_BEST = 8

/** Whether so many of the newest entries match that a page of the most relevant ones is likely. */
const isCommon = ({ found, all }: ListSize, wanted: number): boolean =>
  (found / Math.max(1, all)) * RANKED_MATCHES >= wanted * MATCHES_FOR_BEST

/** Whether fewer steps collect all entries of a filter than look at those that the search comes to. */
const isCollecting = ({ found, all }: ListSize, wanted: number): boolean =>
  found * MEMBER < (wanted * all * ENTRY) / Math.max(1, found)

/** Whether it is kept with each write how many entries hold each value. */
function isTallied(aggregate: CountAggregate, { hasCounters = false }: AggregateQuery): boolean {
  if (!hasCounters) return false
  return aggregate.kind === 'members'
    ? aggregate.of.isCounted
    : aggregate.by.isCounted && aggregate.period === undefined
}

/**
 * What is searched for leads to the entries; else the choice is between the filter and the order.
 *
 * @param collection where its declared indexes can be chosen
 */
function planOf({ where, search, ...query }: PageQuery, collection: CollectionModel | undefined): PagePlan {
  if (search) return planSorted(query)
  if (!where) return { form: 'plain', isShort: query.offset <= SHORT_OFFSET }
  return planPage({ ...query, where, compound: collection && compoundPath(collection, where, query.sort) })
}
