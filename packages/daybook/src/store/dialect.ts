import type { RawBuilder, SqlBool } from 'kysely'
import type { CollectionModel, FilterableField, UniqueIndexModel } from '../model/model.ts'
import type { SqlValue } from '../query/operators.ts'
import type { SortBy } from '../query/sort-order.ts'
import type { Condition } from '../query/where.ts'
import type { SortedRow } from './rows.ts'
import type { SearchQuery } from './search.ts'
import type { StatementValues, WhereSql } from './statement.ts'
import type { ColumnKind, TableDefinition } from './tables/tables.ts'

/**
 * The SQL that differs between engines. Statements are written once, in SQL that all engines share, and contain these fragments. `?` stands
 * for a parameter, and names are in double quotes.
 */
export interface Dialect {
  /** A value as it is sorted and indexed. An index may hold only the beginning of a text. */
  indexedValue(by: FilterableField, alias?: string): RawBuilder<string | number | null>
  /** The entire value, of which {@link indexedValue} may be the beginning. */
  fullValue(by: FilterableField): RawBuilder<string | number | null>
  /** A parameter, cut like {@link indexedValue}. */
  indexedParameter(by: FilterableField, name: string): RawBuilder<string | number | null>
  /**
   * A value for the comparisons of a filter.
   *
   * @param isLong true if an operand may be longer than the indexed beginning of a value
   */
  comparedValue(by: FilterableField, options: { readonly alias?: string; readonly isLong: boolean }): SqlValue
  /** True if a text is in a JSON list of texts. */
  isAmong(value: RawBuilder<unknown>, list: RawBuilder<unknown>): RawBuilder<SqlBool>
  /** True if a value is in the result of a correlated subquery. */
  isSelected(value: RawBuilder<unknown>, query: RawBuilder<unknown>): RawBuilder<SqlBool>
  /** The texts of a JSON list as rows of the table `listed`, in its column `value`. */
  unnest(list: RawBuilder<string>): RawBuilder<unknown>
  /** True if there is a value, as a range of the index of {@link indexedValue}. */
  hasValue(by: FilterableField): RawBuilder<SqlBool>
  orderTerm(key: SortBy): RawBuilder<unknown>
  /** True if an index serves an order only if its first key is part of it, even if all rows lack that value. */
  readonly ordersByEmptyKey: boolean
  /** The status of an entry in a form that keeps the engine from using the status index instead of the sort index. */
  readonly unindexedStatus: RawBuilder<string | null>
  /** True if values are read from an index that holds them, without parsing the document. */
  readonly hasCoveringIndexes: boolean
  /** The id in a subquery on the table `target`, in a form that lets the index of a relation be used. */
  readonly targetId: RawBuilder<string>
  /** Plans lists, if the engine itself does not plan them well. */
  readonly planner?: QueryPlanner | undefined
  /** The end of an INSERT that returns the `pk` of the row. */
  readonly returningPk: RawBuilder<unknown>
  /** Inserts rows into a table; parameter `rows`, a JSON list of objects with these columns. @default one by one */
  insertAll?(table: string, columns: readonly string[]): RawBuilder<unknown>
  /** Updates rows of a table; parameter `rows`, a JSON list of objects with these columns and `pk`. @default one by one */
  updateAll?(table: string, columns: readonly string[]): RawBuilder<unknown>
  /** Deletes rows from a table; parameter `rows`, a JSON list of each `pk`. @default one by one */
  deleteAll?(table: string): RawBuilder<unknown>
  /** The exact sum of numbers as decimal text; NULL if there are none. */
  exactSum(value: RawBuilder<unknown>): RawBuilder<string | null>
  /** The database's clock, in milliseconds since 1970. */
  readonly now: RawBuilder<number>
  readonly search: SearchDialect
  readonly schema: SchemaDialect
}

/** Part of a statement, whose SQL is built only if no statement of the same `cacheKey` is cached. */
export interface SqlFragment {
  readonly cacheKey: string
  sql(): RawBuilder<SqlBool>
}

/** The table that a condition filters, and the binding of its parameters. */
export interface FilteredTable {
  readonly dialect: Dialect
  readonly collection: string
  /** The name of the collection's table, or of that of a locale. */
  readonly name: string
  readonly alias: string
  bind(value: unknown): string
}

/** Numbers of entries, by which a page is planned. */
export interface ListSize {
  /** Entries that match the query. */
  readonly matching: number
  /** Entries with a status of the query. */
  readonly visible: number
  /** All entries of the collection. */
  readonly total: number
}

/** The parts of a page's query that decide its cost. */
export interface PlannedPage {
  readonly where: Condition | undefined
  readonly search: SearchQuery | undefined
  readonly sort: readonly SortBy[]
  readonly offset: number
  readonly limit: number
  readonly size: ListSize
}

/**
 * The form of a filter. Every form matches the same entries.
 *
 * - `lead`: the index of one part leads to the entries; the other parts are sets
 * - `sets`: another index leads to the entries; each part is a set of entries, collected once from its index
 * - `compare`: another index leads to the entries; each part is compared with the document
 */
export type FilterForm = 'lead' | 'sets' | 'compare'

export interface QueryPlan {
  readonly form: FilterForm
  /** The declared index that leads to the entries. */
  readonly index?: string | undefined
  /** The parts of the filter that the sort index covers. */
  readonly covered?: readonly Condition[]
  /** True if the sort index is walked, and each entry is checked against the search. @default false */
  readonly walksSortIndex?: boolean
  /** True if all matches are collected before they are sorted. @default false */
  readonly sortsMatches?: boolean
  /** True if the statement is fast even in the worst case, and needs no other thread or connection. @default false */
  readonly isShort?: boolean | undefined
}

/** Plans queries. Without a planner, they return the same entries, possibly more slowly. */
export interface QueryPlanner {
  planPage(collection: CollectionModel, page: PlannedPage): QueryPlan
  /** Translates a filter in the form of a plan. */
  translate(condition: Condition, table: FilteredTable, plan: QueryPlan): SqlFragment
}

/**
 * The matches of a search to return, and their order.
 *
 * - `relevance`: the newest matches by relevance
 * - `best`: newest first, only those of the greatest possible relevance, and only if they are certainly among the newest matches
 * - `newest`: all matches, newest first
 */
export type MatchesOrder = 'relevance' | 'best' | 'newest'

/** The form of a statement for the matches of a search. */
export interface MatchesOptions {
  readonly order: MatchesOrder
  readonly columns: readonly string[]
}

/** Full-text search. */
export interface SearchDialect {
  /** The parameters of a search; `undefined` if nothing can match. */
  values(search: SearchQuery, collection: CollectionModel): StatementValues | undefined
  /** The parameters of {@link count}; `undefined` if nothing can match. */
  countValues(search: SearchQuery, collection: CollectionModel): StatementValues | undefined
  /**
   * True if `entry` matches.
   *
   * @param leads true if the search leads to the entries; else each entry of the order is looked up in it. @default true
   */
  condition(table: string, leads?: boolean): RawBuilder<SqlBool>
  /** Counts the matches that also match a filter. */
  count(table: string, where: WhereSql | undefined): RawBuilder<{ total: number }>
  /** Returns a page of matches; parameters `limit` and `offset`. */
  matches(collection: CollectionModel, where: WhereSql | undefined, form: MatchesOptions): RawBuilder<SortedRow>
  /** The parameters of {@link insert}: the words of an entry. */
  row(collection: CollectionModel, doc: Readonly<Record<string, unknown>>, status: string | null): StatementValues
  /** Inserts the search row of an entry; parameters `pk` and those of {@link row}. */
  insert(collection: CollectionModel): RawBuilder<unknown>
  /** Inserts the search rows of entries; parameter `rows`, a JSON list of the parameters of {@link insert}. @default one by one */
  insertAll?(collection: CollectionModel): RawBuilder<unknown>
  /** Deletes the search row of an entry; parameter `pk`. */
  remove(table: string): RawBuilder<unknown>
  create(collection: CollectionModel): readonly string[]
  /** Statements that complete the search table once its rows are stored. @default none */
  index?(table: string): readonly string[]
  drop(table: string): readonly string[]
  /** Changes if existing search tables must be rebuilt. */
  readonly version: string
}

/** An index or a view that the model requires. */
export interface SchemaObject {
  readonly type: 'index' | 'view'
  /** The table that it belongs to. */
  readonly table: string
  readonly name: string
  readonly sql: string
}

export interface SchemaDialect {
  readonly columnTypes: Readonly<Record<ColumnKind, string>>
  /** The options after the columns of CREATE TABLE. */
  tableOptions(table: TableDefinition): string
  /** Selects a row if the table `daybook$meta` exists. */
  readonly tablesExistQuery: string
  /** A name as the engine stores it and shows it in errors. */
  named(name: string): string
  /** A value as a column of an index, in the order of {@link indexOrder}. */
  indexColumn(by: FilterableField, descending?: boolean): string
  /** A value as a column of a unique index. */
  uniqueIndexColumn(unique: UniqueIndexModel): string
  /** A member of the column `draft`: the revision, the time or the author of the draft. */
  draftValue(key: 'seq' | 'at' | 'by'): string
  /** A value of a document as a column of a view. */
  documentValue(path: string): string
  /** Selects `{ name }` of all tables with `$` in their names. */
  readonly tablesQuery: string
  /** Selects `{ type, name, sql }` of the indexes and views that Daybook created for collections, with their original SQL. */
  readonly objectsQuery: string
  /** Statements that create an index or a view in a form that {@link objectsQuery} can read back. */
  createObject(object: SchemaObject): readonly string[]
  /** Statements that create an index outside a transaction, while others write. @default as {@link createObject} */
  createOutsideTransaction?(object: SchemaObject): readonly string[]
  /** Replaces statuses that the config does not have, and returns a row for each changed entry. Parameters: `known` (JSON list), `usual`, `replacement`. */
  alignStatus(key: string, statusKey: string): readonly RawBuilder<unknown>[]
  recount(key: string): RawBuilder<unknown>
  /** Selects `{ name }` of all tables and views, including those of other programs. */
  readonly allTablesQuery: string
  /** Statements to run on an entry table after rows were copied with their `pk`. */
  afterCopy(table: string): readonly string[]
}
