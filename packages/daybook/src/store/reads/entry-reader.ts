import { type Expression, type SqlBool, sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { Condition } from '../../query/where.ts'
import type { Connection, StoreReadContext } from '../connection.ts'
import type { EntryRow, StoredEntry } from '../rows.ts'
import { param, prepare, prepareSql, type Statement, type StatementValues } from '../statement.ts'
import { ENTRY_COLUMNS, type EntryTable } from '../tables/tables.ts'
import { isSelfContained, MAX_INDEXED_CHARACTERS, toWhereSql } from '../where-sql.ts'
import { type EntrySelect, selectEntries, selectFromTable, servedColumns } from './page.ts'

/** The maximum number of entries in a batch. Other requests wait while one is read. */
const MAX_BATCH_ENTRIES = 128
/** The maximum number of bytes in a batch of more than one entry. V8 collects larger texts late, as large objects. */
const MAX_BATCH_BYTES = 32 * 1024

/** The filter of a query for certain entries. */
interface Narrowing {
  /** Distinguishes its statement from others. */
  readonly name: string
  readonly values: StatementValues
  readonly connection: Connection
  narrow<Row>(query: EntrySelect<Row>): EntrySelect<Row>
}

export interface EntryReadOptions {
  /** A filter that entries must match. */
  readonly where?: Condition | undefined
  /** True if the authors are read, too. @default false */
  readonly hasAuthors?: boolean
  /** A revision whose document the caller has: its `doc` is returned empty. */
  readonly knownRevision?: number | undefined
}

/** Reads single entries, and all entries of a collection in order of creation. */
export class EntryReader {
  readonly #source: StoreReadContext
  readonly #unnarrowed: Narrowing

  constructor(source: StoreReadContext) {
    this.#source = source
    this.#unnarrowed = { name: '', values: {}, connection: source.connection, narrow: (query) => query }
  }

  bySlug(collection: CollectionModel, slug: string, options: EntryReadOptions = {}): Promise<EntryRow | undefined> {
    const { key, table } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, options.where)
    const statement = this.#source.statements.get(`slug ${table}${name}${optionsKey(options)}`, () => {
      const query = narrow(selectVisible(table, options).where('slug', '=', param<string>('slug')))
      // A slug in this locale takes precedence over a fallback of another entry.
      return prepare(table === key ? query : query.orderBy(sql`own_slug IS NULL`).limit(1))
    })
    return connection.get(statement, { slug, known: options.knownRevision, ...values })
  }

  byId(collection: CollectionModel, id: string, options: EntryReadOptions = {}): Promise<EntryRow | undefined> {
    const { table } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, options.where)
    const statement = this.#source.statements.get(`id ${table}${name}${optionsKey(options)}`, () =>
      prepare(narrow(selectVisible(table, options).where('id', '=', param<string>('id')))),
    )
    return connection.get(statement, { id, known: options.knownRevision, ...values })
  }

  /** Returns the entry with this value at the path of a unique field. */
  async byValue(
    collection: CollectionModel,
    path: string,
    value: string,
    options: EntryReadOptions = {},
  ): Promise<EntryRow | undefined> {
    const { table } = collection
    const { hasAuthors = false } = options
    const { name, values, connection, narrow } = this.#narrowing(collection, options.where)
    const isLong = value.length >= MAX_INDEXED_CHARACTERS
    const statement = this.#source.statements.get(`value ${table} ${path} ${isLong}${name}${optionsKey(options)}`, () =>
      prepare(narrow(selectEntries(table, hasAuthors).where(this.#hasValue(collection, path, isLong))).limit(1)),
    )
    return connection.get(statement, { value, ...values })
  }

  /** Returns the entries with these ids, in no order. */
  async byIds(
    collection: CollectionModel,
    ids: readonly string[],
    options: EntryReadOptions = {},
  ): Promise<readonly EntryRow[]> {
    const { table } = collection
    const { hasAuthors = false } = options
    const { name, values, connection, narrow } = this.#narrowing(collection, options.where)
    const statement = this.#source.statements.get(`ids ${table}${name}${optionsKey(options)}`, () =>
      prepare(
        narrow(selectEntries(table, hasAuthors).where(this.#source.dialect.isAmong(sql.ref('id'), param('ids')))),
      ),
    )
    return connection.all(statement, { ids: JSON.stringify(ids), ...values })
  }

  /**
   * Returns the existing ones of these entries, with their statuses.
   *
   * @param where a filter that they must match
   */
  async statuses(
    collection: CollectionModel,
    ids: readonly string[],
    where?: Condition,
  ): Promise<readonly Pick<EntryTable, 'id' | 'status'>[]> {
    const { table } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, where)
    // SQLite needs twice as long to read a list of ids as to find a single one.
    const isSingle = ids.length === 1
    const statement = this.#source.statements.get(`statuses ${table} ${isSingle}${name}`, () => {
      const rows = selectFromTable(table).select(['id', 'status'])
      const isListed = this.#source.dialect.isAmong(sql.ref('id'), param('ids'))
      return prepare(narrow(isSingle ? rows.where('id', '=', param<string>('id')) : rows.where(isListed)))
    })
    return connection.all(statement, { ...(isSingle ? { id: ids[0] } : { ids: JSON.stringify(ids) }), ...values })
  }

  /**
   * Returns the slugs that entries have in a locale themselves, without fallback.
   *
   * @param collection the collection in that locale
   * @param where a filter that entries must match in that locale
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

  /** Returns the entries with these ids, with all columns, in no order. */
  async storedByIds({ key }: CollectionModel, ids: readonly string[]): Promise<readonly StoredEntry[]> {
    const statement = this.#source.statements.get(`stored ids ${key}`, () =>
      prepare(selectStored(key).where(this.#source.dialect.isAmong(sql.ref('id'), param('ids')))),
    )
    return this.#source.connection.all(statement, { ids: JSON.stringify(ids) })
  }

  /**
   * Returns an entry with all columns, for changing it.
   *
   * @param where a filter that it must match
   */
  async stored(collection: CollectionModel, id: string, where?: Condition): Promise<StoredEntry | undefined> {
    const { key } = collection
    const { name, values, connection, narrow } = this.#narrowing(collection, where)
    const statement = this.#source.statements.get(`stored ${key}${name}`, () =>
      prepare(narrow(selectStored(key).where('id', '=', param<string>('id')))),
    )
    return connection.get(statement, { id, ...values })
  }

  /** Returns the entry with this value at the path of a unique field, with all columns. */
  async storedByValue(collection: CollectionModel, path: string, value: string): Promise<StoredEntry | undefined> {
    const { key } = collection
    const isLong = value.length >= MAX_INDEXED_CHARACTERS
    const statement = this.#source.statements.get(`stored ${key} ${path} ${isLong}`, () =>
      prepare(
        selectStored(key)
          .where(this.#hasValue(collection, path, isLong))
          .limit(1),
      ),
    )
    return this.#source.connection.get(statement, { value })
  }

  /** Returns the next entries that an older config wrote, that hold orphaned values, or that have a draft, in order of creation. */
  async outdated(
    { key, schemaHash }: CollectionModel,
    afterPk: number,
    limit: number,
  ): Promise<readonly StoredEntry[]> {
    const statement = this.#source.statements.get(`outdated ${key}`, () =>
      prepare(
        selectStored(key)
          .where('pk', '>', param<number>('afterPk'))
          .where(sql<SqlBool>`(schema_hash <> ${param('schema_hash')} OR orphaned IS NOT NULL OR draft IS NOT NULL)`)
          .orderBy('pk')
          .limit(param<number>('limit')),
      ),
    )
    return this.#source.connection.all(statement, { afterPk, schema_hash: schemaHash, limit })
  }

  /** Returns the next entries in order of creation. */
  async storedAfter({ key }: CollectionModel, afterPk: number, limit: number): Promise<readonly StoredEntry[]> {
    const statement = this.#source.statements.get(`stored after ${key}`, () =>
      prepare(selectStored(key).where('pk', '>', param<number>('afterPk')).orderBy('pk').limit(param<number>('limit'))),
    )
    return this.#source.connection.all(statement, { afterPk, limit })
  }

  /**
   * Returns the next entries that match a filter, in order of creation.
   *
   * @param where a filter that entries must match
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
        narrow(selectStored(key).where('pk', '>', param<number>('afterPk')))
          .orderBy('pk')
          .limit(param<number>('limit')),
      ),
    )
    return connection.all(statement, { afterPk, limit, ...values })
  }

  /** Returns the next entries in order of creation, as many as fit into a batch. */
  batchAfter({ key }: CollectionModel, afterPk: number): Promise<readonly StoredEntry[]> {
    const statement = this.#source.statements.get(`batch ${key}`, () => batchStatement(key))
    return this.#source.connection.all(statement, { after: afterPk })
  }

  /**
   * True if an entry has the slug itself, without fallback.
   *
   * @param except the id of an entry to ignore
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
   * Returns the ids of entries that show a slug in a locale by fallback.
   *
   * @param collection the collection in that locale
   * @param except the id of an entry to ignore
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

  /** @throws {Error} if the field cannot be filtered by */
  #hasValue({ key, filterableFields }: CollectionModel, path: string, isLong: boolean): Expression<SqlBool> {
    const by = filterableFields.get(path)
    if (!by) throw new Error(`${key}.${path} cannot be looked up`)
    const value = this.#source.dialect.comparedValue(by, { isLong })
    return value.compare('=', value.parameter('value'))
  }

  /** Translates the filter of a query. If it reads other tables, it may take long, so it runs in the background. */
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

/** Returns a suffix that distinguishes statements by their options. */
const optionsKey = ({ hasAuthors, knownRevision }: EntryReadOptions): string =>
  `${hasAuthors ? ' people' : ''}${knownRevision === undefined ? '' : ' unless known'}`

/** Selects entries. The document of a known revision is not transferred. */
function selectVisible(table: string, { hasAuthors = false, knownRevision }: EntryReadOptions): EntrySelect<EntryRow> {
  if (knownRevision === undefined) return selectEntries(table, hasAuthors)
  const columns = servedColumns(hasAuthors).filter((column) => column !== 'doc')
  const doc = sql<string>`CASE WHEN seq = ${param<number>('known')} THEN '' ELSE doc END`.as('doc')
  return selectFromTable(table).select([...columns, doc]) as EntrySelect<EntryRow>
}

const selectStored = (key: string) => selectFromTable(key).select(['pk', ...ENTRY_COLUMNS])

/** Selects the next entries that fit into a batch, at least one, in order of creation. */
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
