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
 * The SQL that differs between engines. Statements are written once, in the SQL that all of them share, with these pieces in
 * them; `?` stands for a parameter, and names stand in double quotes.
 */
export interface Dialect {
  /** A value as it is sorted and indexed, of the table of that alias. */
  indexedValue(by: FilterableField, alias?: string): RawBuilder<string | number | null>
  /** The whole of a value, where {@link indexedValue} may be no more than its beginning. */
  fullValue(by: FilterableField): RawBuilder<string | number | null>
  /** As much of a parameter as {@link indexedValue} is of a value. */
  indexedParameter(by: FilterableField, name: string): RawBuilder<string | number | null>
  /**
   * A value for the comparisons of a filter.
   *
   * @param isLong true if an operand may be longer than what is indexed of a value
   */
  comparedValue(by: FilterableField, options: { readonly alias?: string; readonly isLong: boolean }): SqlValue
  /** Whether a text is in a JSON list of texts. */
  isAmong(own: RawBuilder<unknown>, list: RawBuilder<unknown>): RawBuilder<SqlBool>
  /** Whether a row is among those that a query selects, which is run anew for each row around it. */
  isSelected(own: RawBuilder<unknown>, query: RawBuilder<unknown>): RawBuilder<SqlBool>
  /** The texts of a JSON list as rows of the table `listed`, in its column `value`. */
  unnest(list: RawBuilder<string>): RawBuilder<unknown>
  /** Whether there is a value, as a range of the index of {@link indexedValue}. */
  hasValue(by: FilterableField): RawBuilder<SqlBool>
  /** A key of an order. */
  orderTerm(key: SortBy): RawBuilder<unknown>
  /** True if an index serves an order only if its first key is named, also among rows that all have no value there. */
  readonly ordersByEmptyKey: boolean
  /** The status of an entry, where its own index would lead away from that of the order. */
  readonly unindexedStatus: RawBuilder<string | null>
  /** Whether a value that is in an index is taken from there, and the document is left alone. */
  readonly hasCoveringIndexes: boolean
  /** The id of the target of a relation, in a subquery on the table `target`, in a form that lets the index of the relation's value be used. */
  readonly targetId: RawBuilder<string>
  /** Chooses how lists are found, where the engine does not choose well. */
  readonly planner?: QueryPlanner | undefined
  /** What a statement ends with that adds a row whose `pk` is asked for. */
  readonly returningPk: RawBuilder<unknown>
  /** Adds rows to a table; parameter `rows`, a JSON list of objects with these columns. @default one by one */
  insertAll?(table: string, columns: readonly string[]): RawBuilder<unknown>
  /** Changes rows of a table; parameter `rows`, a JSON list of objects with these columns and `pk`. @default one by one */
  updateAll?(table: string, columns: readonly string[]): RawBuilder<unknown>
  /** Takes rows out of a table; parameter `rows`, a JSON list of each `pk`. @default one by one */
  deleteAll?(table: string): RawBuilder<unknown>
  /** The sum of numbers as a decimal number in full, as text; NULL of none. */
  exactSum(value: RawBuilder<unknown>): RawBuilder<string | null>
  /** The time, in milliseconds since 1970. */
  readonly now: RawBuilder<number>
  readonly search: SearchDialect
  readonly schema: SchemaDialect
}

/** SQL that is written down only when it is needed. */
export interface SqlFragment {
  readonly cacheKey: string
  sql(): RawBuilder<SqlBool>
}

/** The table that a condition is about, and where its parameters go. */
export interface FilteredTable {
  readonly dialect: Dialect
  /** The key of the collection. */
  readonly collection: string
  /** The name of the collection's table, or of that of a locale. */
  readonly name: string
  readonly alias: string
  bind(value: unknown): string
}

/** Numbers of entries, from which the way to a page is chosen. */
export interface ListSize {
  /** Entries that the query finds. */
  readonly found: number
  /** Entries in the statuses of the query. */
  readonly visible: number
  /** All entries of the collection. */
  readonly all: number
}

/** The query of a page, as far as its cost depends on it. */
export interface PlannedPage {
  readonly where: Condition | undefined
  readonly search: SearchQuery | undefined
  readonly sort: readonly SortBy[]
  readonly offset: number
  readonly limit: number
  readonly size: ListSize
}

/**
 * The form of a filter. Every form finds the same entries.
 *
 * - `lead`: the index of one part leads to the entries; the other parts are sets
 * - `sets`: something else leads to the entries; each part is a set of entries, collected once from its index
 * - `compare`: something else leads to the entries; each part is compared with the document
 */
export type FilterForm = 'lead' | 'sets' | 'compare'

/** A way to find the entries of a query. */
export interface QueryPlan {
  readonly form: FilterForm
  /** The declared index that leads to the entries. */
  readonly index?: string | undefined
  /** Parts of the filter that the index of the order holds. */
  readonly covered?: readonly Condition[]
  /** True if the order leads to entries that a search finds. @default false */
  readonly walksOrder?: boolean
  /** True if all entries are found before they are sorted. @default false */
  readonly sortsFound?: boolean
  /** True if the statement takes few steps at worst, and needs no other thread or connection. @default false */
  readonly isShort?: boolean | undefined
}

/** Chooses how queries are run. Without it they find the same entries. */
export interface QueryPlanner {
  planPage(collection: CollectionModel, page: PlannedPage): QueryPlan
  /** Translates a filter in the form of a plan. */
  translate(condition: Condition, table: FilteredTable, plan: QueryPlan): SqlFragment
}

/**
 * Which matches of a search are answered, and in which order.
 *
 * - `relevance`: the newest matches by relevance
 * - `best`: newest first, those whose relevance is the greatest that there is, as far as they surely are among the newest matches
 * - `newest`: newest first, all of them
 */
export type MatchesOrder = 'relevance' | 'best' | 'newest'

/** How the matches of a search are answered. */
export interface MatchesOptions {
  readonly order: MatchesOrder
  readonly columns: readonly string[]
}

/** How words are kept and found. */
export interface SearchDialect {
  /** The parameters of a search; `undefined`: nothing can match. */
  values(search: SearchQuery, collection: CollectionModel): StatementValues | undefined
  /** The same for {@link count}. */
  countValues(search: SearchQuery, collection: CollectionModel): StatementValues | undefined
  /**
   * Whether `entry` is found.
   *
   * @param leads whether what is found leads to the entries; else it is looked up for each that an order comes to. @default true
   */
  condition(table: string, leads?: boolean): RawBuilder<SqlBool>
  /** Counts what is found and holds a filter. */
  count(table: string, where: WhereSql | undefined): RawBuilder<{ total: number }>
  /** A page of matches; parameters `limit` and `offset`. */
  matches(collection: CollectionModel, where: WhereSql | undefined, form: MatchesOptions): RawBuilder<SortedRow>
  /** The parameters of {@link insert}: what an entry is found by. */
  row(collection: CollectionModel, doc: Readonly<Record<string, unknown>>, status: string | null): StatementValues
  /** Adds the search row of an entry; parameter `pk`, and those of {@link row}. */
  insert(collection: CollectionModel): RawBuilder<unknown>
  /** Adds those of many entries; parameter `rows`, a JSON list of the parameters of {@link insert}. @default one by one */
  insertAll?(collection: CollectionModel): RawBuilder<unknown>
  /** Takes the search row of an entry away; parameter `pk`. */
  remove(table: string): RawBuilder<unknown>
  /** Statements that make the search table of a collection. */
  create(collection: CollectionModel): readonly string[]
  /** Statements that complete it once its rows are stored. @default nothing */
  index?(table: string): readonly string[]
  /** Statements that drop it. */
  drop(table: string): readonly string[]
  /** Changes when tables made before no longer do. */
  readonly version: string
}

/** An index or a view that the model asks for. */
export interface SchemaObject {
  readonly type: 'index' | 'view'
  /** The table that it belongs to. */
  readonly table: string
  readonly name: string
  readonly sql: string
}

/** How tables are made, and what the engine says of them. */
export interface SchemaDialect {
  /** The type of a column, by what it holds. */
  readonly columnTypes: Readonly<Record<ColumnKind, string>>
  /** What follows the columns of a table. */
  tableOptions(table: TableDefinition): string
  /** Whether `daybook$meta` is there: a row, or none. */
  readonly tablesExistQuery: string
  /** A name as the engine keeps it, and as its errors will say it. */
  named(name: string): string
  /** A value as a column of an index, in an order of {@link indexOrder}. */
  indexColumn(by: FilterableField, descending?: boolean): string
  /** A value as a column of a unique index. */
  uniqueIndexColumn(unique: UniqueIndexModel): string
  /** What the column `draft` says of a working copy: the number of its change, when it was saved, and by whom. */
  draftValue(key: 'seq' | 'at' | 'by'): string
  /** A value of a document as a column of a view. */
  documentValue(path: string): string
  /** Rows `{ name }`: all tables with `$` in their names. */
  readonly tablesQuery: string
  /** Rows `{ type, name, sql }`: the indexes and views that Daybook made for collections, as they were made. */
  readonly objectsQuery: string
  /** The statement that makes an index or a view, so that {@link objectsQuery} tells how it was made. */
  createObject(one: SchemaObject): readonly string[]
  /** The same for an index, outside of a transaction and while others write. @default as {@link createObject} */
  createOutsideTransaction?(one: SchemaObject): readonly string[]
  /** Sets statuses that the config does not have; rows come for entries that were changed. Parameters: `known` (JSON list), `usual`, `replacement`. */
  alignStatus(key: string, statusKey: string): readonly RawBuilder<unknown>[]
  /** Counts the entries of a collection anew. */
  recount(key: string): RawBuilder<unknown>
  /** Rows `{ name }`: all tables and views, also those of other programs. */
  readonly allTablesQuery: string
  /** Statements that an entry table needs after rows were copied with their `pk`. */
  afterCopy(table: string): readonly string[]
}
