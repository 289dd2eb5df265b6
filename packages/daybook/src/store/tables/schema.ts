import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { StartupError } from '../../errors.ts'
import { type Field, type Fields, innerFields } from '../../fields/field.ts'
import { FILTERABLE_AUTHOR_FIELDS } from '../../model/authors.ts'
import type { CollectionModel, CompoundIndexModel, Model, UniqueIndexModel } from '../../model/model.ts'
import type { Connection } from '../connection.ts'
import { UniqueViolation } from '../database.ts'
import type { Dialect, SchemaDialect, SchemaObject } from '../dialect.ts'
import { DEFAULT_LOCALE_NOTE, hiddenFieldsNote, readNote, writeNote } from '../notes.ts'
import { WORDS_VERSION } from '../search-words.ts'
import { build, param, prepare, prepareSql, rawStatement, type Statement, type StatementValues } from '../statement.ts'
import { digestDerivedFields, prepareDerivedFields, prepareMembers } from './backfill.ts'
import { hasTables, LAYOUT } from './layout.ts'
import {
  createEntryTable,
  createLocaleTable,
  createSystemTables,
  dropLocaleTables,
  dropStatements,
} from './table-ddl.ts'
import { compoundIndexName, indexName, parseUniqueIndexName, uniqueIndexName, valueIndexName } from './tables.ts'

/** One index for each value that can be filtered or sorted. `status` comes along, so that hidden rows cost no look-up. */
function wantedIndexes({ schema }: Dialect, collection: CollectionModel): readonly SchemaObject[] {
  const { key, table, filterableFields: comparables } = collection
  const index = (name: string, columns: string, where = ''): SchemaObject => ({
    type: 'index',
    table,
    name,
    sql: `CREATE INDEX "${name}" ON "${table}" (${columns})${where}`,
  })
  const isOwn = table === key
  const tail = (compound?: CompoundIndexModel): string =>
    `, id${compound?.keys.at(-1)?.descending ? ' DESC' : ''}${collection.status ? ', status' : ''}`
  const folded = [...comparables.values()].flatMap((by) => by.folded ?? [])
  const named = (name: string): string => indexName(table, name)
  return [
    index(named('created'), `created_at${tail()}`),
    index(named('updated'), `updated_at${tail()}`),
    ...[...FILTERABLE_AUTHOR_FIELDS.values()].map((by) =>
      index(named(`${by.column}`), schema.indexColumn(by) + tail()),
    ),
    ...(collection.status ? [index(named('status'), 'status, id')] : []),
    ...collection.indexes.map((by) => index(valueIndexName(table, by.path), schema.indexColumn(by) + tail())),
    ...[...folded, ...collection.sortKeys.values()].map((by) =>
      index(valueIndexName(table, by.path), schema.indexColumn(by) + tail()),
    ),
    ...collection.compoundIndexes.map((one) =>
      index(compoundIndexName(table, one), compoundColumns(schema, one) + tail(one)),
    ),
    ...(isOwn && collection.status
      ? Object.entries(draftIndexes(schema)).map(([name, columns]) =>
          index(named(name), columns, ' WHERE draft IS NOT NULL'),
        )
      : []),
    ...(isOwn || !collection.slug ? [] : [index(named('slug'), 'slug')]),
    ...(isOwn ? uniqueIndexes(schema, collection) : []),
  ]
}

/** The indexes that keep values unique: all of them lie on the collection's own table, which has the values of every locale. */
function uniqueIndexes(
  schema: SchemaDialect,
  { key, uniqueIndexes: indexes }: CollectionModel,
): readonly (SchemaObject & UniqueIndexModel)[] {
  return indexes.map((unique) => {
    const name = uniqueIndexName(key, unique.path, unique.locale)
    const sql = `CREATE UNIQUE INDEX "${name}" ON "${key}" (${schema.uniqueIndexColumn(unique)})`
    return { ...unique, type: 'index', table: key, name, sql }
  })
}

/**
 * Runs work that moves values from one locale to another: for a while, an entry may have a value that another one is still to lose.
 *
 * @throws {StartupError} when two entries share a unique value of a locale in the end
 */
export async function withoutLocaleIndexes(
  connection: Connection,
  { schema }: Dialect,
  collections: readonly CollectionModel[],
  work: () => Promise<void>,
): Promise<void> {
  const indexes = collections.flatMap((one) => uniqueIndexes(schema, one)).filter(({ locale }) => locale !== undefined)
  for (const { name } of indexes) await runStatements(connection, `DROP INDEX IF EXISTS "${name}"`)
  await work()
  for (const index of indexes) await makeObject(connection, schema.createObject(index), index)
}

/** Working copies by when they were saved, also of one person. Most entries have none. */
const draftIndexes = (schema: SchemaDialect): Readonly<Record<string, string>> => ({
  drafts: schema.draftValue('seq'),
  drafts_by: `${schema.draftValue('by')}, ${schema.draftValue('seq')}`,
})

const compoundColumns = (schema: SchemaDialect, { keys }: CompoundIndexModel): string =>
  keys.map(({ by, descending }) => schema.indexColumn(by, descending)).join(', ')

/** A view with a column for each field, for people with SQL tools. */
function wantedView({ schema }: Dialect, collection: CollectionModel): SchemaObject {
  const name = `${collection.key}_view`
  const keys = ['id', ...collection.fields.flatMap((field) => field.servedKeys), 'createdAt', 'updatedAt']
  const people = [...FILTERABLE_AUTHOR_FIELDS.values()].map(({ column, path }) => `${column} AS "${path}"`)
  const columns = [...keys.map((key) => `${schema.documentValue(key)} AS "${key}"`), ...people]
  return {
    type: 'view',
    table: collection.key,
    name,
    sql: `CREATE VIEW "${name}" AS SELECT ${columns.join(', ')} FROM "${collection.key}"`,
  }
}

/** Runs statements on the connection that holds the lock. */
async function runStatements(connection: Connection, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await connection.run(rawStatement(text))
}

/**
 * Brings the tables into the form that the model asks for: makes what is missing, drops what is no longer declared.
 * Content is never touched. Runs inside a write transaction, so that two nodes can start at once.
 *
 * @returns indexes on many entries, which are better made beside the work of other nodes; then this is to be run again
 */
export async function prepareSchema(
  connection: Connection,
  dialect: Dialect,
  model: Model,
  check: SchemaOptions,
): Promise<readonly SchemaObject[]> {
  const isStarted = await hasTables(connection, dialect)
  // Looking at every index of every collection would make start-up cost grow with the schema.
  const fingerprint = fingerprintOf(dialect, model)
  if (isStarted && (await readNote(connection, 'schema')) === fingerprint) return []
  if (isStarted) await check.beforeChange?.(connection)
  await runStatements(connection, ...createSystemTables(dialect.schema))
  const localeTables = [...model.collections.values()].flatMap((one) => [...one.byLocale.values()])
  await dropLocaleTables(connection, dialect, (name) => localeTables.every(({ table }) => table !== name))
  for (const collection of model.collections.values()) await prepareCollection(connection, dialect, collection, check)
  const large = check.canCreateOutsideTransaction ? await largeTables(connection) : new Set<string>()
  const postponed = await alignObjects(connection, dialect, [...model.collections.values()], large)
  const { locales } = model
  if (locales && (await readNote(connection, DEFAULT_LOCALE_NOTE)) === undefined)
    await writeNote(connection, DEFAULT_LOCALE_NOTE, locales.default)
  await writeNote(connection, 'layout', String(LAYOUT))
  await writeNote(connection, 'schema', check.isFinal && postponed.length === 0 ? fingerprint : '')
  return postponed
}

/** From so many entries on, an index is made without keeping writers waiting. */
const LARGE = 10_000

async function largeTables(connection: Connection): Promise<ReadonlySet<string>> {
  const all = await connection.all(
    rawStatement<{ key: string; counts: string }>('SELECT key, counts FROM daybook$collections'),
  )
  const sizeOf = (counts: string): number =>
    Object.values(JSON.parse(counts) as Record<string, number>).reduce((sum, one) => sum + one, 0)
  return new Set(all.filter(({ counts }) => sizeOf(counts) >= LARGE).map(({ key }) => key))
}

/** The state of a change of the tables. */
export interface SchemaOptions {
  /** Called when the config differs from the one of the last start; a rejection leaves everything as it is. */
  beforeChange?(connection: Connection): Promise<void>
  /** Makes documents say what reads say of them, since indexes are made of documents; answers the fields that hide stored values. */
  alignDocuments(collection: CollectionModel): Promise<readonly string[]>
  /** Makes what the locales show of entries that are there already. */
  fillLocaleTables(collection: CollectionModel): Promise<void>
  /** Whether indexes can be made beside the work of other nodes. */
  readonly canCreateOutsideTransaction: boolean
  /** Whether the next start with this config need not look again. */
  readonly isFinal: boolean
}

function fingerprintOf(dialect: Dialect, model: Model): string {
  const wanted = [...model.collections.values()].map((one) => [
    one.key,
    one.schemaHash,
    renamesOf(one.fieldMap),
    dialect.search.create(one),
    searchOutline(one),
    [...one.multiValuedFields.keys(), one.counted.map(({ path }) => path)],
    digestDerivedFields(one),
    [...wantedIndexes(dialect, one), wantedView(dialect, one)].map(({ name, sql }) => [
      dialect.schema.named(name),
      sql,
    ]),
    [...one.byLocale.values()].map((localeTable) => [localeTable.table, localeTable.schemaHash]),
    one.status?.key ?? null,
  ])
  const globals = [...model.globals.values()].map((one) => [one.key, one.schemaHash, renamesOf(one.fieldMap)])
  const all = JSON.stringify([LAYOUT, createSystemTables(dialect.schema), wanted, globals, model.locales?.default])
  return createHash('sha256').update(all).digest('base64url')
}

function renamesOf(fields: Fields): unknown {
  return Object.entries(fields).map(([key, field]) => [
    key,
    field.options.renamedFrom ?? null,
    innerFields(field).map(renamesOf),
  ])
}

async function prepareCollection(
  connection: Connection,
  dialect: Dialect,
  collection: CollectionModel,
  check: SchemaOptions,
): Promise<void> {
  const { key } = collection
  await runStatements(connection, createEntryTable(dialect.schema, key))
  await connection.run(ADD_COUNTERS, { key })
  const isMoved = await alignStatus(connection, dialect, collection)
  await alignDocuments(connection, check, collection)
  await prepareSearch(connection, dialect, collection, isMoved)
  await prepareMembers(connection, dialect, collection, isMoved)
  await prepareDerivedFields(connection, collection)
  const localeTables = [...collection.byLocale.values()]
  const outlines = localeTables.map((one) => `${one.schemaHash} ${digestDerivedFields(one)}`)
  const content = outlines.join()
  if (!isMoved && ((await readNote(connection, `locales ${key}`)) ?? '') === content) return
  for (const { table } of localeTables)
    await runStatements(connection, ...dropStatements(dialect, table), createLocaleTable(dialect.schema, table))
  if (localeTables.length > 0) await check.fillLocaleTables(collection)
  for (const localeTable of localeTables) await prepareSearch(connection, dialect, localeTable, true)
  await writeNote(connection, `locales ${key}`, content)
}

/** Before all that is made of documents. */
async function alignDocuments(
  connection: Connection,
  check: SchemaOptions,
  collection: CollectionModel,
): Promise<void> {
  const { key, schemaHash } = collection
  const note = `aligned ${key}`
  if ((await readNote(connection, note)) === schemaHash) return
  await writeNote(connection, hiddenFieldsNote(key), JSON.stringify(await check.alignDocuments(collection)))
  await writeNote(connection, note, schemaHash)
}

/** @param isStale whether what is found may be outdated */
async function prepareSearch(
  connection: Connection,
  dialect: Dialect,
  collection: CollectionModel,
  isStale: boolean,
): Promise<void> {
  const { search } = dialect
  const content = createHash('sha256')
    .update(JSON.stringify([WORDS_VERSION, search.version, search.create(collection), searchOutline(collection)]))
    .digest('base64url')
  if (!isStale && (await readNote(connection, `search ${collection.table}`)) === content) return
  await runStatements(connection, ...search.drop(collection.table), ...search.create(collection))
  await fillSearch(connection, dialect, collection)
  await runStatements(connection, ...(search.index?.(collection.table) ?? []))
  await writeNote(connection, `search ${collection.table}`, content)
}

/** The part of a collection that decides which words an entry is found by. */
function searchOutline({ fieldMap, searchable, searchFilters: facets, schemaHash }: CollectionModel): unknown {
  const outline = (fields: Fields): unknown =>
    Object.entries(fields).map(([key, field]) => [
      key,
      field.type.search?.(field.options) !== undefined,
      innerFields(field).map(outline),
    ])
  const words = outline(Object.fromEntries(searchable.map(({ key }) => [key, fieldMap[key] as Field])))
  return [schemaHash, words, facets.map(({ path }) => path)]
}

const ADD_COUNTERS = prepare(
  build
    .insertInto('daybook$collections')
    .values({ key: param<string>('key'), seq: 0, visible_seq: 0, counts: '{}' })
    .onConflict((conflict) => conflict.doNothing()),
)

/**
 * Makes the statuses of stored entries ones that the config has. An entry without one, as before the field was there,
 * takes back the one it once had, or the default; a value that is no longer a status becomes one that is not public.
 * Where the field went, the column stays as it is: should the field come back, drafts are drafts again.
 */
async function alignStatus(
  connection: Connection,
  { schema }: Dialect,
  { key, status, fieldMap }: CollectionModel,
): Promise<boolean> {
  const field = status && fieldMap[status.key]
  if (!status || !field) return false
  const values: StatementValues = {
    known: JSON.stringify(status.values),
    usual: field.type.empty?.(field.options),
    replacement: field.type.replacement?.(field.options),
  }
  let moved = 0
  for (const statement of schema.alignStatus(key, status.key))
    moved += (await connection.all(prepareSql(statement), values)).length
  if (moved === 0) return false
  await connection.run(prepareSql(schema.recount(key)), { key })
  return true
}

/** The most entries read at a time, and the most bytes of more than one. */
const SEARCH_BATCH = 500
const SEARCH_BYTES = 8 * 1024 * 1024

/** Writes the search rows of entries that are there already. */
async function fillSearch(connection: Connection, { search }: Dialect, collection: CollectionModel): Promise<void> {
  const insert = prepareSql(search.insert(collection))
  const insertAll = search.insertAll && prepareSql(search.insertAll(collection))
  const next = nextRows(collection.table)
  for (let page = await connection.all(next, { after: 0 }); page.length > 0; ) {
    const rows = page.map(({ pk, status, doc }) => ({ ...search.row(collection, JSON.parse(doc), status), pk }))
    if (insertAll) await connection.run(insertAll, { rows: JSON.stringify(rows) })
    else for (const row of rows) await connection.run(insert, row)
    page = await connection.all(next, { after: page.at(-1)?.pk })
  }
}

/** The entries behind one that fit into a batch, in order of arrival; the next one always does. */
const nextRows = (table: string): Statement<{ pk: number; status: string | null; doc: string }> => {
  const own = sql.table(table)
  const sizes = sql`SELECT pk, octet_length(doc) AS size FROM ${own} WHERE pk > ${param('after')}
    ORDER BY pk LIMIT ${sql.lit(SEARCH_BATCH)}`
  const sums = sql`SELECT pk, sum(size) OVER (ORDER BY pk) - size AS before FROM (${sizes}) AS sizes`
  return prepareSql(sql`SELECT pk, status, doc FROM ${own} WHERE pk > ${param('after')}
    AND pk <= (SELECT max(pk) FROM (${sums}) AS sums WHERE before < ${sql.lit(SEARCH_BYTES)}) ORDER BY pk`)
}

/**
 * Drops indexes and views that differ from what is wanted or are wanted no more, and makes the missing ones.
 *
 * @returns the indexes of large tables, which are not made
 */
async function alignObjects(
  connection: Connection,
  dialect: Dialect,
  collections: readonly CollectionModel[],
  large: ReadonlySet<string>,
): Promise<readonly SchemaObject[]> {
  const wanted = new Map(
    collections
      .flatMap((one) => [
        wantedView(dialect, one),
        ...[one, ...one.byLocale.values()].flatMap((localeTable) => wantedIndexes(dialect, localeTable)),
      ])
      .map((one) => [one.name, one]),
  )
  for (const one of await connection.all(rawStatement<Omit<SchemaObject, 'table'>>(dialect.schema.objectsQuery))) {
    if (wanted.get(one.name)?.sql === one.sql) wanted.delete(one.name)
    else await runStatements(connection, `DROP ${one.type} "${one.name}"`)
  }
  const isPostponed = ({ type, table }: SchemaObject): boolean => type === 'index' && large.has(table)
  for (const one of wanted.values())
    if (!isPostponed(one)) await makeObject(connection, dialect.schema.createObject(one), one)
  return [...wanted.values()].filter(isPostponed)
}

/** Makes indexes outside of a transaction, while others write. */
export async function createOutsideTransaction(
  connection: Connection,
  dialect: Dialect,
  all: readonly SchemaObject[],
): Promise<void> {
  for (const one of all)
    await makeObject(
      connection,
      dialect.schema.createOutsideTransaction?.(one) ?? dialect.schema.createObject(one),
      one,
    )
}

async function makeObject(connection: Connection, texts: readonly string[], { name }: SchemaObject): Promise<void> {
  try {
    await runStatements(connection, ...texts)
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    const [collection] = name.split('$')
    const { field, locale } = parseUniqueIndexName(name) ?? {}
    const place = locale === undefined ? '' : ` in the locale "${locale}"`
    throw new StartupError(
      `${collection}.${field} is unique in the config, but entries share a value${place}. Give each its own, or leave unique out.`,
    )
  }
}
