import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CollectionModel } from '../model/model.ts'
import type { SortBy } from '../query/list-query.ts'
import type { Condition } from '../query/where.ts'
import { COUNTERS, HEAD } from './commit-batch.ts'
import { build, param, prepare, prepareSql, type Statement, type Values } from './compile.ts'
import type { Connection } from './database.ts'
import type { Dialect, SearchDialect } from './dialect.ts'
import {
  countStatement,
  type EntrySelect,
  entries,
  entryTable,
  type Filter,
  type Phase,
  pageStatement,
  phasesOf,
  positionOf,
  RANKED_MATCHES,
  type SortedRow,
} from './page.ts'
import { type ListSize, type PagePlan, planPage } from './page-plan.ts'
import { DEFAULT_LOCALE_NOTE, readMeta } from './schema.ts'
import type { SearchQuery } from './search.ts'
import { ENTRY_COLUMNS, type EntryColumn, type EntryTable, type SystemTables } from './tables.ts'
import { type RestoreNote, readRestoreNote } from './transfer/restore-note.ts'
import { INDEXED_CHARACTERS, isOwn, toStored } from './where.ts'
import { toWhereSql, type WhereForm } from './where-forms.ts'

/** What is read of an entry to serve it. */
export type EntryRow = Pick<EntryTable, 'id' | 'seq' | 'status' | 'shape' | 'kept' | 'doc'>
/** What is read of an entry to change it. */
export type StoredEntry = Pick<EntryTable, 'pk' | EntryColumn>
/** What is read of a global. */
export type GlobalRow = SystemTables['daybook$globals']

/** One document that refers to another, and through which field. */
export interface Referrer {
  /** A collection's key, or `globals`. */
  readonly collection: string
  readonly id: string
  /** Dotted path. */
  readonly field: string
}

/** The answer to a write, stored for a request that is sent again. */
export type StoredReplyRow = SystemTables['daybook$idempotency']

/** Where a collection stands in the journal, and how many entries it has by status. */
export interface Counters {
  readonly seq: number
  /** The last change that readers without a session may have seen. */
  readonly visibleSeq: number
  readonly counts: Readonly<Record<string, number>>
}

/** Values of the sort keys of the last entry of a page, and its id. */
export type Position = readonly (string | number | null)[]

/** What a page asks for, in terms of the store. */
export interface PageQuery {
  /** `undefined`: entries of any status. */
  readonly statuses: readonly string[] | undefined
  readonly search: SearchQuery | undefined
  readonly where: Condition | undefined
  /** Empty with `search`: by relevance. */
  readonly sort: readonly SortBy[]
  readonly limit: number
  readonly offset: number
  readonly after: Position | undefined
  /** How many entries there are, for the choice of how to find a page of some of them. */
  readonly size: ListSize
}

/** Entries of one page, in order. */
export interface Page {
  readonly rows: readonly EntryRow[]
  /** Where the page ends; `undefined` when nothing comes after it. */
  readonly end: Position | undefined
}

/** Which of those are meant that refer to an entry. */
export interface ReferrerFilter {
  /** Fields that are left out, as `collection field` and `globals key field`. */
  readonly except: readonly string[]
  /** What entries of a collection must hold. */
  readonly limits: readonly { readonly collection: CollectionModel; readonly where: Condition }[]
}

const ALL: ReferrerFilter = { except: [], limits: [] }

/** What narrows a question about entries that are named. */
interface Narrowing {
  /** Tells its statement from others. */
  readonly name: string
  readonly values: Values
  readonly connection: Connection
  narrow<Row>(query: EntrySelect<Row>): EntrySelect<Row>
}

/** The most prepared shapes of questions kept in memory. */
const MAX_SHAPES = 250

/** Reads documents. One instance serves one connection; statements are compiled once for each shape of question. */
export class Reader {
  readonly dialect: Dialect
  readonly #connection: Connection
  readonly #background: Connection
  readonly #statements: Map<string, Statement>
  readonly #unnarrowed: Narrowing

  /** @param background answers what may take long: searches and filters */
  constructor(
    dialect: Dialect,
    connection: Connection,
    background: Connection,
    statements: Map<string, Statement> = new Map(),
  ) {
    this.dialect = dialect
    this.#connection = connection
    this.#background = background
    this.#statements = statements
    this.#unnarrowed = { name: '', values: {}, connection, narrow: (query) => query }
  }

  /** The same reader on another connection, such as that of a transaction. */
  on(connection: Connection): Reader {
    return new Reader(this.dialect, connection, connection, this.#statements)
  }

  async ping(): Promise<void> {
    await this.#connection.get(HEAD)
  }

  /** The last `seq` of the journal. */
  async head(): Promise<number> {
    return (await this.#connection.get(HEAD))?.seq ?? 0
  }

  async counters(key: string): Promise<Counters> {
    const row = await this.#connection.get(COUNTERS, { key })
    if (!row) throw new Error(`No counters for ${key}`)
    return { seq: row.seq, visibleSeq: row.visible_seq, counts: JSON.parse(row.counts) }
  }

  async global(key: string): Promise<GlobalRow | undefined> {
    return this.#connection.get(GLOBAL, { key })
  }

  /** @param where what the entry must hold besides */
  async bySlug(collection: CollectionModel, slug: string, where?: Condition): Promise<EntryRow | undefined> {
    const { key, table } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, where)
    const statement = this.#statement(`slug ${table}${name}`, () => {
      const found = narrow(entries(table).where('slug', '=', param<string>('slug')))
      // What a locale shows as a fallback gives way to a slug of its own.
      return prepare(table === key ? found : found.orderBy(sql`own_slug IS NULL`).limit(1))
    })
    return connection.get(statement, { slug, ...values })
  }

  /** @param where what the entry must hold besides */
  async byId(collection: CollectionModel, id: string, where?: Condition): Promise<EntryRow | undefined> {
    const { table } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, where)
    const statement = this.#statement(`id ${table}${name}`, () =>
      prepare(narrow(entries(table).where('id', '=', param<string>('id')))),
    )
    return connection.get(statement, { id, ...values })
  }

  /**
   * Entries with these ids, in no order.
   *
   * @param where what they must hold besides
   */
  async byIds(collection: CollectionModel, ids: readonly string[], where?: Condition): Promise<readonly EntryRow[]> {
    const { table } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, where)
    const statement = this.#statement(`ids ${table}${name}`, () =>
      prepare(narrow(entries(table).where(this.dialect.isAmong(sql.ref('id'), param('ids'))))),
    )
    return connection.all(statement, { ids: JSON.stringify(ids), ...values })
  }

  /**
   * Which of these entries are there, and in which status.
   *
   * @param where what they must hold besides
   */
  async statuses(
    collection: CollectionModel,
    ids: readonly string[],
    where?: Condition,
  ): Promise<readonly Pick<EntryTable, 'id' | 'status'>[]> {
    const { key } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, where)
    const statement = this.#statement(`statuses ${key}${name}`, () =>
      prepare(
        narrow(
          entryTable(key)
            .select(['id', 'status'])
            .where(this.dialect.isAmong(sql.ref('id'), param('ids'))),
        ),
      ),
    )
    return connection.all(statement, { ids: JSON.stringify(ids), ...values })
  }

  /** Entries with these ids, in no order, with what every locale says. */
  async storedByIds({ key }: CollectionModel, ids: readonly string[]): Promise<readonly StoredEntry[]> {
    const statement = this.#statement(`stored ids ${key}`, () =>
      prepare(stored(key).where(this.dialect.isAmong(sql.ref('id'), param('ids')))),
    )
    return this.#connection.all(statement, { ids: JSON.stringify(ids) })
  }

  /**
   * An entry with all that changing it needs.
   *
   * @param where what it must hold besides
   */
  async stored(collection: CollectionModel, id: string, where?: Condition): Promise<StoredEntry | undefined> {
    const { key } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, where)
    const statement = this.#statement(`stored ${key}${name}`, () =>
      prepare(narrow(stored(key).where('id', '=', param<string>('id')))),
    )
    return connection.get(statement, { id, ...values })
  }

  /** The entry whose value at `path` is the given one. */
  async storedBy({ key, comparables }: CollectionModel, path: string, value: string): Promise<StoredEntry | undefined> {
    const by = comparables.get(path)
    if (!by) throw new Error(`${key}.${path} cannot be looked up`)
    const isLong = value.length >= INDEXED_CHARACTERS
    const statement = this.#statement(`stored ${key} ${path} ${isLong}`, () =>
      prepare(
        stored(key)
          .where(this.dialect.compare(by, 'eq', ['value'], { isLong }))
          .limit(1),
      ),
    )
    return this.#connection.get(statement, { value })
  }

  /** Entries that an older config wrote, or that hold values without a field, in order of arrival. */
  async outdated(
    { key, schemaHash }: CollectionModel,
    afterPk: number,
    limit: number,
  ): Promise<readonly StoredEntry[]> {
    const statement = this.#statement(`outdated ${key}`, () =>
      prepare(
        stored(key)
          .where('pk', '>', param<number>('afterPk'))
          .where(sql<SqlBool>`(shape <> ${param('shape')} OR kept IS NOT NULL)`)
          .orderBy('pk')
          .limit(param<number>('limit')),
      ),
    )
    return this.#connection.all(statement, { afterPk, shape: schemaHash, limit })
  }

  /** Every entry, in order of arrival. */
  async storedAfter({ key }: CollectionModel, afterPk: number, limit: number): Promise<readonly StoredEntry[]> {
    const statement = this.#statement(`stored after ${key}`, () =>
      prepare(stored(key).where('pk', '>', param<number>('afterPk')).orderBy('pk').limit(param<number>('limit'))),
    )
    return this.#connection.all(statement, { afterPk, limit })
  }

  /** Who refers to an entry, in the order of their keys. */
  async referrers(
    collection: string,
    id: string,
    limit: number,
    offset = 0,
    among: ReferrerFilter = ALL,
  ): Promise<readonly Referrer[]> {
    const { name, values, connection, conditions } = this.#among(among)
    return connection.all(
      this.#statement(`referrers${name}`, () => prepareSql(referrersOf(this.dialect, conditions()))),
      { collection, id, limit, offset, ...values },
    )
  }

  /** How many fields of other documents lead to an entry. */
  async countReferrers(collection: string, id: string, among: ReferrerFilter): Promise<number> {
    const { name, values, connection, conditions } = this.#among(among)
    const statement = this.#statement(`count referrers${name}`, () =>
      prepareSql(countReferrersOf(this.dialect, conditions())),
    )
    return (await connection.get(statement, { collection, id, ...values }))?.total ?? 0
  }

  #among({ except, limits }: ReferrerFilter) {
    const translated = limits.map(({ collection, where }, index) => ({
      table: collection.key,
      condition: toWhereSql(this.dialect, where, { ...collection, prefix: `limit${index}x` }),
    }))
    return {
      name: translated.map(({ table, condition }) => ` ${table} ${condition.cacheKey}`).join(),
      values: {
        except: JSON.stringify(except),
        ...Object.assign({}, ...translated.map(({ condition }) => condition.values)),
      },
      connection: limits.length === 0 ? this.#connection : this.#background,
      conditions: () => translated.map(({ table, condition }) => reachable(table, condition.build())),
    }
  }

  /** The stored answer to a write with this key. */
  async storedReply(key: string): Promise<StoredReplyRow | undefined> {
    return this.#connection.get(STORED_ANSWER, { key })
  }

  /** The default locale of stored documents; `undefined`: there was none yet. */
  async notedDefaultLocale(): Promise<string | undefined> {
    return readMeta(this.#connection, DEFAULT_LOCALE_NOTE)
  }

  /** What the store says of a restore into it; `undefined`: there was none. */
  async restoreNote(): Promise<RestoreNote | undefined> {
    return readRestoreNote(this.#connection)
  }

  /** Keys of the collections that the store has tables for. */
  async storedCollections(): Promise<readonly string[]> {
    const rows = await this.#connection.all(COLLECTION_KEYS)
    return rows.map(({ key }) => key)
  }

  /** Whether an entry has the slug as its own. */
  async hasSlug({ key, table }: CollectionModel, slug: string): Promise<boolean> {
    const column = sql.ref(table === key ? 'slug' : 'own_slug')
    const statement = this.#statement(`has slug ${table}`, () =>
      prepare(
        entryTable(table)
          .select('pk')
          .where(sql<SqlBool>`${column} = ${param('slug')}`),
      ),
    )
    return (await this.#connection.get(statement, { slug })) !== undefined
  }

  /** How many entries a search or a filter finds, exactly. */
  async count(collection: CollectionModel, query: Pick<PageQuery, 'search' | 'where' | 'statuses'>): Promise<number> {
    const form = query.search ? 'walk' : 'drive'
    const filter = this.#filter(collection, query, form, this.dialect.search.countValues)
    if (!filter) return 0
    const statement = this.#statement(`count ${collection.table} ${filter.cacheKey}`, () =>
      prepareSql(countStatement(this.dialect, collection, query, filter)),
    )
    return (await this.#background.get(statement, filter.values))?.total ?? 0
  }

  /** What narrows a question about single entries. Where it needs to look into other tables, it may take long. */
  #narrowing(collection: CollectionModel, where: Condition | undefined): Narrowing {
    if (!where) return this.#unnarrowed
    const condition = toWhereSql(this.dialect, where, collection)
    return {
      name: ` ${condition.cacheKey}`,
      values: condition.values,
      connection: isOwn(where) ? this.#connection : this.#background,
      narrow: (query) => query.where(condition.build()),
    }
  }

  /** What narrows a question, translated; `undefined`: nothing can match. */
  #filter(
    collection: CollectionModel,
    { search, where, statuses, sort }: Pick<PageQuery, 'search' | 'where' | 'statuses'> & Partial<PageQuery>,
    form: WhereForm,
    toValues: SearchDialect['values'] = this.dialect.search.values,
  ): Filter | undefined {
    const found = search ? toValues(search, collection) : {}
    if (!found) return undefined
    const { key, table } = collection
    const own = this.dialect.indexesHoldValues ? form : 'plain'
    const condition = where && toWhereSql(this.dialect, where, { key, table, form: own, lead: sort?.[0] })
    const named = Object.fromEntries((statuses ?? []).map((status, index) => [`status${index}`, status]))
    return {
      cacheKey: `${statuses?.length} ${search !== undefined} ${condition?.cacheKey}`,
      values: { ...found, ...named, ...condition?.values },
      where: condition,
    }
  }

  /** One page of entries. */
  async page(collection: CollectionModel, query: PageQuery): Promise<Page> {
    const plan = planOf(query)
    const filter = this.#filter(collection, query, plan.form)
    if (!filter) return { rows: [], end: undefined }
    const connection = plan.isShort ? this.#connection : this.#background
    if (query.search && query.sort.length === 0) return this.#ranked(collection, query, filter)
    const found: SortedRow[] = []
    for (const phase of phasesOf(this.dialect, query.sort, query.after)) {
      const rest = query.limit + 1 - found.length
      if (rest > 0) found.push(...(await this.#phase(connection, collection, query, phase, filter, rest)))
    }
    const rows = found.slice(0, query.limit)
    const last = rows.at(-1)
    return { rows, end: found.length > query.limit && last ? positionOf(last, query.sort) : undefined }
  }

  async #phase(
    connection: Connection,
    collection: CollectionModel,
    query: PageQuery,
    phase: Phase,
    filter: Filter,
    limit: number,
  ): Promise<readonly SortedRow[]> {
    const order = query.sort.map(({ by, descending }) => `${descending ? '-' : ''}${by.path}`).join()
    const statement = this.#statement(`page ${collection.table} ${order} ${phase.name} ${filter.cacheKey}`, () =>
      prepare(pageStatement(this.dialect, collection, query, phase, filter)),
    )
    const after = Object.fromEntries((query.after ?? []).map((value, index) => [`after${index}`, toStored(value)]))
    return connection.all(statement, { ...filter.values, ...after, limit, offset: query.offset })
  }

  /** The newest matches by relevance, and older ones after them, newest first. */
  async #ranked(collection: CollectionModel, query: PageQuery, filter: Filter): Promise<Page> {
    const start = query.after ? Number(query.after[0]) : query.offset
    const wanted = query.limit + 1
    const fromBest = Math.max(0, Math.min(wanted, RANKED_MATCHES - start))
    const found = [...(await this.#matches(collection, filter, true, start, fromBest))]
    if (found.length === fromBest) {
      const from = Math.max(start, RANKED_MATCHES)
      found.push(...(await this.#matches(collection, filter, false, from, wanted - fromBest)))
    }
    return { rows: found.slice(0, query.limit), end: found.length > query.limit ? [start + query.limit] : undefined }
  }

  async #matches(
    collection: CollectionModel,
    filter: Filter,
    ranked: boolean,
    offset: number,
    limit: number,
  ): Promise<readonly SortedRow[]> {
    if (limit <= 0) return []
    const statement = this.#statement(`matches ${collection.table} ${ranked} ${filter.cacheKey}`, () =>
      prepareSql(this.dialect.search.matches(collection, filter.where, ranked)),
    )
    return this.#background.all(statement, { ...filter.values, limit, offset })
  }

  #statement<Row>(cacheKey: string, make: () => Statement<Row>): Statement<Row> {
    let found = this.#statements.get(cacheKey)
    if (!found) {
      if (this.#statements.size >= MAX_SHAPES) this.#statements.clear()
      found = make()
      this.#statements.set(cacheKey, found)
    }
    return found as Statement<Row>
  }
}

/** What is searched for leads to the entries; else the choice is between the filter and the order. */
function planOf({ where, search, ...query }: PageQuery): PagePlan {
  if (search) return { form: query.sort.length === 0 ? 'drive' : 'walk', isShort: false }
  return where ? planPage({ ...query, where }) : { form: 'plain', isShort: true }
}

type Conditions = readonly RawBuilder<SqlBool>[]

/** Whether what refers is no entry of this collection, or one that holds the condition. */
const reachable = (key: string, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> =>
  sql`(from_collection <> ${sql.lit(key)} OR EXISTS (
    SELECT 1 FROM ${sql.table(key)} AS entry WHERE entry.id = from_id AND ${condition}
  ))`
const referring = ({ isAmong }: Dialect, conditions: Conditions) => sql`FROM daybook$refs
  WHERE to_collection = ${param('collection')} AND to_id = ${param('id')} AND NOT ${isAmong(
    sql`(from_collection || ' ' || CASE from_collection WHEN 'globals' THEN from_id || ' ' ELSE '' END || field)`,
    param('except'),
  )}${sql.join([sql``, ...conditions], sql` AND `)}`
const referrersOf = (dialect: Dialect, conditions: Conditions) => sql<Referrer>`
  SELECT DISTINCT from_collection AS collection, from_id AS id, field ${referring(dialect, conditions)}
  ORDER BY from_collection, from_id, field LIMIT ${param('limit')} OFFSET ${param('offset')}`
const countReferrersOf = (dialect: Dialect, conditions: Conditions) => sql<{ total: number }>`
  SELECT count(*) AS total FROM (
    SELECT DISTINCT from_collection, from_id, field ${referring(dialect, conditions)}
  ) AS referring`
const STORED_ANSWER = prepare(
  build.selectFrom('daybook$idempotency').selectAll().where('key', '=', param<string>('key')),
)
const COLLECTION_KEYS = prepare(build.selectFrom('daybook$collections').select('key').orderBy('key'))
const GLOBAL = prepare(build.selectFrom('daybook$globals').selectAll().where('key', '=', param<string>('key')))

const stored = (key: string) => entryTable(key).select(['pk', ...ENTRY_COLUMNS])
