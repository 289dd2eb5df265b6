import { type Expression, type SqlBool, sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { Condition } from '../../query/where.ts'
import type { Connection, StoreReadContext } from '../connection.ts'
import type { EntryRow, StoredEntry } from '../rows.ts'
import { param, prepare, prepareSql, type Statement, type StatementValues } from '../statement.ts'
import { ENTRY_COLUMNS, type EntryTable } from '../tables/tables.ts'
import { isSelfContained, MAX_INDEXED_CHARACTERS, toWhereSql } from '../where-sql.ts'
import { type EntrySelect, selectEntries, selectFromTable, servedColumns } from './page.ts'

/** The most rows of a batch: each is read at one go, and others wait meanwhile. */
const MAX_BATCH_ENTRIES = 128
/** The most bytes of texts in a batch of more than one entry: V8 treats larger texts as large objects, and lets them pile up. */
const MAX_BATCH_BYTES = 32 * 1024

/** The condition of a query for named entries. */
interface Narrowing {
  /** Tells its statement from others. */
  readonly name: string
  readonly values: StatementValues
  readonly connection: Connection
  narrow<Row>(query: EntrySelect<Row>): EntrySelect<Row>
}

/** What a reader sees of entries. */
export interface EntryReadOptions {
  /** What they must hold to be there. */
  readonly where?: Condition | undefined
  /** Whether the reader may know who made and changed them. @default false */
  readonly hasAuthors?: boolean
  /** A revision whose document is at hand: it comes back empty. */
  readonly knownRevision?: number | undefined
}

/** Reads entries that are named, and all entries of a collection in order of arrival. */
export class EntryReader {
  readonly #source: StoreReadContext
  readonly #unnarrowed: Narrowing

  constructor(source: StoreReadContext) {
    this.#source = source
    this.#unnarrowed = { name: '', values: {}, connection: source.connection, narrow: (query) => query }
  }

  bySlug(collection: CollectionModel, slug: string, seen: EntryReadOptions = {}): Promise<EntryRow | undefined> {
    const { key, table } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, seen.where)
    const statement = this.#source.statements.get(`slug ${table}${name}${mark(seen)}`, () => {
      const found = narrow(seenEntries(table, seen).where('slug', '=', param<string>('slug')))
      // What a locale shows as a fallback gives way to a slug of its own.
      return prepare(table === key ? found : found.orderBy(sql`own_slug IS NULL`).limit(1))
    })
    return connection.get(statement, { slug, known: seen.knownRevision, ...values })
  }

  byId(collection: CollectionModel, id: string, seen: EntryReadOptions = {}): Promise<EntryRow | undefined> {
    const { table } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, seen.where)
    const statement = this.#source.statements.get(`id ${table}${name}${mark(seen)}`, () =>
      prepare(narrow(seenEntries(table, seen).where('id', '=', param<string>('id')))),
    )
    return connection.get(statement, { id, known: seen.knownRevision, ...values })
  }

  /** The entry whose value at `path` is the given one; `path` is that of a unique field. */
  async byValue(
    collection: CollectionModel,
    path: string,
    value: string,
    seen: EntryReadOptions = {},
  ): Promise<EntryRow | undefined> {
    const { table } = collection
    const { hasAuthors = false } = seen
    const { name, values, connection, narrow } = this.#narrowing(collection, seen.where)
    const isLong = value.length >= MAX_INDEXED_CHARACTERS
    const statement = this.#source.statements.get(`value ${table} ${path} ${isLong}${name}${mark(seen)}`, () =>
      prepare(narrow(selectEntries(table, hasAuthors).where(this.#hasValue(collection, path, isLong))).limit(1)),
    )
    return connection.get(statement, { value, ...values })
  }

  /** Entries with these ids, in no order. */
  async byIds(
    collection: CollectionModel,
    ids: readonly string[],
    seen: EntryReadOptions = {},
  ): Promise<readonly EntryRow[]> {
    const { table } = collection
    const { hasAuthors = false } = seen
    const { name, values, connection, narrow } = this.#narrowing(collection, seen.where)
    const statement = this.#source.statements.get(`ids ${table}${name}${mark(seen)}`, () =>
      prepare(
        narrow(selectEntries(table, hasAuthors).where(this.#source.dialect.isAmong(sql.ref('id'), param('ids')))),
      ),
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
    const { table } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, where)
    // A list of ids takes SQLite twice as long to read as one id takes to find.
    const isOne = ids.length === 1
    const statement = this.#source.statements.get(`statuses ${table} ${isOne}${name}`, () => {
      const rows = selectFromTable(table).select(['id', 'status'])
      const isNamed = this.#source.dialect.isAmong(sql.ref('id'), param('ids'))
      return prepare(narrow(isOne ? rows.where('id', '=', param<string>('id')) : rows.where(isNamed)))
    })
    return connection.all(statement, { ...(isOne ? { id: ids[0] } : { ids: JSON.stringify(ids) }), ...values })
  }

  /**
   * The slugs of entries that they have themselves in a locale.
   *
   * @param collection in that locale
   * @param where what entries must hold there
   */
  async ownSlugs(
    collection: CollectionModel,
    ids: readonly string[],
    where?: Condition,
  ): Promise<readonly { readonly id: string; readonly slug: string }[]> {
    const { key, table } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, where)
    const statement = this.#source.statements.get(`own slugs ${table}${name}`, () => {
      const ownSlug = sql.ref<string>(table === key ? 'slug' : 'own_slug')
      const rows = selectFromTable(table)
        .select(['id', ownSlug.as('slug')])
        .where(this.#source.dialect.isAmong(sql.ref('id'), param('ids')))
        .where(sql<SqlBool>`${ownSlug} IS NOT NULL`)
      return prepare(narrow(rows))
    })
    return connection.all(statement, { ids: JSON.stringify(ids), ...values })
  }

  /** Entries with these ids, in no order, with what every locale says. */
  async storedByIds({ key }: CollectionModel, ids: readonly string[]): Promise<readonly StoredEntry[]> {
    const statement = this.#source.statements.get(`stored ids ${key}`, () =>
      prepare(stored(key).where(this.#source.dialect.isAmong(sql.ref('id'), param('ids')))),
    )
    return this.#source.connection.all(statement, { ids: JSON.stringify(ids) })
  }

  /**
   * An entry with all that changing it needs.
   *
   * @param where what it must hold besides
   */
  async stored(collection: CollectionModel, id: string, where?: Condition): Promise<StoredEntry | undefined> {
    const { key } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, where)
    const statement = this.#source.statements.get(`stored ${key}${name}`, () =>
      prepare(narrow(stored(key).where('id', '=', param<string>('id')))),
    )
    return connection.get(statement, { id, ...values })
  }

  /** The entry whose value at `path` is the given one. */
  async storedByValue(collection: CollectionModel, path: string, value: string): Promise<StoredEntry | undefined> {
    const { key } = collection
    const isLong = value.length >= MAX_INDEXED_CHARACTERS
    const statement = this.#source.statements.get(`stored ${key} ${path} ${isLong}`, () =>
      prepare(
        stored(key)
          .where(this.#hasValue(collection, path, isLong))
          .limit(1),
      ),
    )
    return this.#source.connection.get(statement, { value })
  }

  /** Entries that an older config wrote, or that hold values without a field, or have a working copy, in order of arrival. */
  async outdated(
    { key, schemaHash }: CollectionModel,
    afterPk: number,
    limit: number,
  ): Promise<readonly StoredEntry[]> {
    const statement = this.#source.statements.get(`outdated ${key}`, () =>
      prepare(
        stored(key)
          .where('pk', '>', param<number>('afterPk'))
          .where(sql<SqlBool>`(schema_hash <> ${param('schema_hash')} OR orphaned IS NOT NULL OR draft IS NOT NULL)`)
          .orderBy('pk')
          .limit(param<number>('limit')),
      ),
    )
    return this.#source.connection.all(statement, { afterPk, schema_hash: schemaHash, limit })
  }

  /** Every entry, in order of arrival. */
  async storedAfter({ key }: CollectionModel, afterPk: number, limit: number): Promise<readonly StoredEntry[]> {
    const statement = this.#source.statements.get(`stored after ${key}`, () =>
      prepare(stored(key).where('pk', '>', param<number>('afterPk')).orderBy('pk').limit(param<number>('limit'))),
    )
    return this.#source.connection.all(statement, { afterPk, limit })
  }

  /**
   * The next entries that hold a condition, in order of arrival.
   *
   * @param where see {@link byId}
   */
  async matchingAfter(
    collection: CollectionModel,
    afterPk: number,
    limit: number,
    where?: Condition,
  ): Promise<readonly StoredEntry[]> {
    const { key } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, where)
    const statement = this.#source.statements.get(`matching ${key}${name}`, () =>
      prepare(
        narrow(stored(key).where('pk', '>', param<number>('afterPk')))
          .orderBy('pk')
          .limit(param<number>('limit')),
      ),
    )
    return connection.all(statement, { afterPk, limit, ...values })
  }

  /** The next entries in order of arrival, as many as fit into a batch; none: there are no others. */
  batchAfter({ key }: CollectionModel, afterPk: number): Promise<readonly StoredEntry[]> {
    const statement = this.#source.statements.get(`batch ${key}`, () => batchStatement(key))
    return this.#source.connection.all(statement, { after: afterPk })
  }

  /**
   * True if an entry has the slug as its own.
   *
   * @param except the id of an entry that does not count
   */
  async hasSlug({ key, table }: CollectionModel, slug: string, except = ''): Promise<boolean> {
    const column = sql.ref(table === key ? 'slug' : 'own_slug')
    const statement = this.#source.statements.get(`has slug ${table}`, () =>
      prepare(
        selectFromTable(table)
          .select('pk')
          .where(sql<SqlBool>`${column} = ${param('slug')}`)
          .where('id', '<>', param<string>('except')),
      ),
    )
    return (await this.#source.connection.get(statement, { slug, except })) !== undefined
  }

  /**
   * The ids of entries that show a slug in a locale without having it as their own.
   *
   * @param collection in that locale
   * @param except the id of an entry that does not count
   */
  async idsFallingBackTo({ table }: CollectionModel, slug: string, except = ''): Promise<readonly string[]> {
    const statement = this.#source.statements.get(`falling back ${table}`, () =>
      prepare(
        selectFromTable(table)
          .select('id')
          .where('slug', '=', param<string>('slug'))
          .where(sql<SqlBool>`own_slug IS NULL`)
          .where('id', '<>', param<string>('except')),
      ),
    )
    return (await this.#source.connection.all(statement, { slug, except })).map(({ id }) => id)
  }

  /** @throws {Error} when the field cannot be filtered by */
  #hasValue(
    { key, filterableFields: comparables }: CollectionModel,
    path: string,
    isLong: boolean,
  ): Expression<SqlBool> {
    const by = comparables.get(path)
    if (!by) throw new Error(`${key}.${path} cannot be looked up`)
    const value = this.#source.dialect.comparedValue(by, { isLong })
    return value.compare('=', value.parameter('value'))
  }

  /** The condition of a query for single entries. Where it needs to look into other tables, it may take long. */
  #narrowing(collection: CollectionModel, where: Condition | undefined): Narrowing {
    if (!where) return this.#unnarrowed
    const condition = toWhereSql(this.#source.dialect, where, collection)
    return {
      name: ` ${condition.cacheKey}`,
      values: condition.values,
      connection: isSelfContained(where) ? this.#source.connection : this.#source.background,
      narrow: (query) => query.where(condition.build()),
    }
  }
}

/** Tells the statement from that of readers who see less. */
const mark = ({ hasAuthors, knownRevision: known }: EntryReadOptions): string =>
  `${hasAuthors ? ' people' : ''}${known === undefined ? '' : ' unless known'}`

/** What a reader sees of entries; a document of a known revision takes no time to come. */
function seenEntries(
  table: string,
  { hasAuthors = false, knownRevision: known }: EntryReadOptions,
): EntrySelect<EntryRow> {
  if (known === undefined) return selectEntries(table, hasAuthors)
  const columns = servedColumns(hasAuthors).filter((column) => column !== 'doc')
  const doc = sql<string>`CASE WHEN seq = ${param<number>('known')} THEN '' ELSE doc END`.as('doc')
  return selectFromTable(table).select([...columns, doc]) as EntrySelect<EntryRow>
}

const stored = (key: string) => selectFromTable(key).select(['pk', ...ENTRY_COLUMNS])

/** The entries of a collection behind a `pk`: the next one, and others as far as they fit into a batch. */
function batchStatement(key: string): Statement<StoredEntry> {
  const table = sql.table(key)
  const columns = sql.join(['pk', ...ENTRY_COLUMNS].map((name) => sql.ref(name)))
  const optional = ['locales', 'orphaned', 'draft'].map((name) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`)
  const size = sql.join([sql`octet_length(doc)`, ...optional], sql` + `)
  const sizes = sql`SELECT pk, ${size} AS size FROM ${table} WHERE pk > ${param('after')}
    ORDER BY pk LIMIT ${sql.lit(MAX_BATCH_ENTRIES)}`
  const sums = sql`SELECT pk, sum(size) OVER (ORDER BY pk) - size AS before FROM (${sizes}) AS sizes`
  return prepareSql(sql<StoredEntry>`SELECT ${columns} FROM ${table} WHERE pk > ${param('after')}
    AND pk <= (SELECT max(pk) FROM (${sums}) AS sums WHERE before < ${sql.lit(MAX_BATCH_BYTES)}) ORDER BY pk`)
}
