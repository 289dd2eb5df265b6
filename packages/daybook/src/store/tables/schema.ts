import { createHash } from 'node:crypto'
import { StartupError } from '../../errors.ts'
import { type Fields, innerFields } from '../../fields/field.ts'
import { FILTERABLE_AUTHOR_FIELDS } from '../../model/authors.ts'
import type { CollectionModel, CompoundIndexModel, Model, UniqueIndexModel } from '../../model/model.ts'
import type { Connection } from '../connection.ts'
import { UniqueViolation } from '../database.ts'
import type { Dialect, SchemaDialect, SchemaObject } from '../dialect.ts'
import { DEFAULT_LOCALE_NOTE, hiddenFieldsNote, readNote, writeNote } from '../notes.ts'
import { build, param, prepare, prepareSql, rawStatement, type StatementValues } from '../statement.ts'
import { digestDerivedFields, prepareDerivedFields, prepareMembers, prepareSearch, searchOutline } from './backfill.ts'
import { hasTables, LAYOUT } from './layout.ts'
import {
  createEntryTable,
  createLocaleTable,
  createSystemTables,
  dropLocaleTables,
  dropStatements,
  runStatements,
} from './table-ddl.ts'
import { compoundIndexName, indexName, parseUniqueIndexName, uniqueIndexName, valueIndexName } from './tables.ts'

/** Returns an index for each value that can be filtered or sorted by. It ends with `status`, so that hidden rows cost no look-up. */
function requiredIndexes({ schema }: Dialect, collection: CollectionModel): readonly SchemaObject[] {
  const { key, table, filterableFields } = collection
  const index = (name: string, columns: string, where = ''): SchemaObject => ({
    type: 'index',
    table,
    name,
    sql: `CREATE INDEX "${name}" ON "${table}" (${columns})${where}`,
  })
  const isMainTable = table === key
  const tail = (compound?: CompoundIndexModel): string =>
    `, id${compound?.keys.at(-1)?.descending ? ' DESC' : ''}${collection.status ? ', status' : ''}`
  const folded = [...filterableFields.values()].flatMap((by) => by.folded ?? [])
  const nameIndex = (name: string): string => indexName(table, name)
  return [
    index(nameIndex('created'), `created_at${tail()}`),
    index(nameIndex('updated'), `updated_at${tail()}`),
    ...[...FILTERABLE_AUTHOR_FIELDS.values()].map((by) =>
      index(nameIndex(`${by.column}`), schema.indexColumn(by) + tail()),
    ),
    ...(collection.status ? [index(nameIndex('status'), 'status, id')] : []),
    ...collection.indexes.map((by) => index(valueIndexName(table, by.path), schema.indexColumn(by) + tail())),
    ...[...folded, ...collection.sortKeys.values()].map((by) =>
      index(valueIndexName(table, by.path), schema.indexColumn(by) + tail()),
    ),
    ...collection.compoundIndexes.map((compound) =>
      index(compoundIndexName(table, compound), compoundColumns(schema, compound) + tail(compound)),
    ),
    ...(isMainTable && collection.status
      ? Object.entries(draftIndexes(schema)).map(([name, columns]) =>
          index(nameIndex(name), columns, ' WHERE draft IS NOT NULL'),
        )
      : []),
    ...(isMainTable || !collection.slug ? [] : [index(nameIndex('slug'), 'slug')]),
    ...(isMainTable ? uniqueIndexes(schema, collection) : []),
  ]
}

/** Returns the unique indexes, all on the collection's own table, which holds the values of every locale. */
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
 * Runs work that moves values between locales without the unique indexes of locales, since values may be duplicates in between.
 *
 * @throws {StartupError} if two entries share a unique value of a locale in the end
 */
export async function withoutLocaleIndexes(
  connection: Connection,
  { schema }: Dialect,
  collections: readonly CollectionModel[],
  work: () => Promise<void>,
): Promise<void> {
  const indexes = collections
    .flatMap((collection) => uniqueIndexes(schema, collection))
    .filter(({ locale }) => locale !== undefined)
  for (const { name } of indexes) await runStatements(connection, `DROP INDEX IF EXISTS "${name}"`)
  await work()
  for (const index of indexes) await createObject(connection, schema.createObject(index), index)
}

/** Returns the columns of the indexes on drafts: by revision, and by author and revision. */
const draftIndexes = (schema: SchemaDialect): Readonly<Record<string, string>> => ({
  drafts: schema.draftValue('seq'),
  drafts_by: `${schema.draftValue('by')}, ${schema.draftValue('seq')}`,
})

const compoundColumns = (schema: SchemaDialect, { keys }: CompoundIndexModel): string =>
  keys.map(({ by, descending }) => schema.indexColumn(by, descending)).join(', ')

/** Returns a view with a column for each field, for SQL tools. */
function requiredView({ schema }: Dialect, collection: CollectionModel): SchemaObject {
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

/**
 * Changes the tables to match the model: creates missing objects, and drops those that are no longer declared. Never changes
 * content. Runs inside a write transaction, so that two nodes can start concurrently.
 *
 * @returns the indexes of large tables, to be created outside a transaction; then this must run again
 */
export async function prepareSchema(
  connection: Connection,
  dialect: Dialect,
  model: Model,
  check: SchemaOptions,
): Promise<readonly SchemaObject[]> {
  const isStarted = await hasTables(connection, dialect)
  // The fingerprint avoids comparing every index of every collection at each start.
  const fingerprint = computeFingerprint(dialect, model)
  if (isStarted && (await readNote(connection, 'schema')) === fingerprint) return []
  if (isStarted) await check.beforeChange?.(connection)
  await runStatements(connection, ...createSystemTables(dialect.schema))
  const localeTables = [...model.collections.values()].flatMap(({ byLocale }) => [...byLocale.values()])
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

/** The number of entries from which on an index is created without blocking writers. */
const LARGE = 10_000

async function largeTables(connection: Connection): Promise<ReadonlySet<string>> {
  const all = await connection.all(
    rawStatement<{ key: string; counts: string }>('SELECT key, counts FROM daybook$collections'),
  )
  const sumCounts = (counts: string): number =>
    Object.values(JSON.parse(counts) as Record<string, number>).reduce((sum, count) => sum + count, 0)
  return new Set(all.filter(({ counts }) => sumCounts(counts) >= LARGE).map(({ key }) => key))
}

export interface SchemaOptions {
  /** Called if the config differs from that of the last start; if it rejects, nothing changes. */
  beforeChange?(connection: Connection): Promise<void>
  /** Rewrites documents to what reads return of them, since indexes are built on documents. Returns the fields that hide stored values. */
  alignDocuments(collection: CollectionModel): Promise<readonly string[]>
  fillLocaleTables(collection: CollectionModel): Promise<void>
  /** True if indexes can be created while other nodes write. */
  readonly canCreateOutsideTransaction: boolean
  /** True if the next start with the same config can skip this check. */
  readonly isFinal: boolean
}

function computeFingerprint(dialect: Dialect, model: Model): string {
  const collections = [...model.collections.values()].map((collection) => [
    collection.key,
    collection.schemaHash,
    outlineRenames(collection.fieldMap),
    dialect.search.create(collection),
    searchOutline(collection),
    [...collection.multiValuedFields.keys(), collection.counted.map(({ path }) => path)],
    digestDerivedFields(collection),
    [...requiredIndexes(dialect, collection), requiredView(dialect, collection)].map(({ name, sql }) => [
      dialect.schema.named(name),
      sql,
    ]),
    [...collection.byLocale.values()].map((localeTable) => [localeTable.table, localeTable.schemaHash]),
    collection.status?.key ?? null,
  ])
  const globals = [...model.globals.values()].map(({ key, schemaHash, fieldMap }) => [
    key,
    schemaHash,
    outlineRenames(fieldMap),
  ])
  const outline = [LAYOUT, createSystemTables(dialect.schema), collections, globals, model.locales?.default]
  return createHash('sha256').update(JSON.stringify(outline)).digest('base64url')
}

function outlineRenames(fields: Fields): unknown {
  return Object.entries(fields).map(([key, field]) => [
    key,
    field.options.renamedFrom ?? null,
    innerFields(field).map(outlineRenames),
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
  const outlines = localeTables.map((localeTable) => `${localeTable.schemaHash} ${digestDerivedFields(localeTable)}`)
  const content = outlines.join()
  if (!isMoved && ((await readNote(connection, `locales ${key}`)) ?? '') === content) return
  for (const { table } of localeTables)
    await runStatements(connection, ...dropStatements(dialect, table), createLocaleTable(dialect.schema, table))
  if (localeTables.length > 0) await check.fillLocaleTables(collection)
  for (const localeTable of localeTables) await prepareSearch(connection, dialect, localeTable, true)
  await writeNote(connection, `locales ${key}`, content)
}

/** Aligns documents. Must run before anything is derived from them. */
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

const ADD_COUNTERS = prepare(
  build
    .insertInto('daybook$collections')
    .values({ key: param<string>('key'), seq: 0, visible_seq: 0, counts: '{}' })
    .onConflict((conflict) => conflict.doNothing()),
)

/**
 * Replaces statuses of stored entries that the config does not have. An entry without a status, as before the field was added, gets its
 * former status back, or the default; a value that is no longer an option becomes one that is not public. If the field was removed,
 * the column stays, so that drafts are drafts again if the field returns. Returns true if entries have changed.
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
  let changed = 0
  for (const statement of schema.alignStatus(key, status.key))
    changed += (await connection.all(prepareSql(statement), values)).length
  if (changed === 0) return false
  await connection.run(prepareSql(schema.recount(key)), { key })
  return true
}

/**
 * Drops indexes and views that are outdated or no longer declared, and creates the missing ones.
 *
 * @returns the indexes of large tables, which are not created
 */
async function alignObjects(
  connection: Connection,
  dialect: Dialect,
  collections: readonly CollectionModel[],
  large: ReadonlySet<string>,
): Promise<readonly SchemaObject[]> {
  const missing = new Map(
    collections
      .flatMap((collection) => [
        requiredView(dialect, collection),
        ...[collection, ...collection.byLocale.values()].flatMap((table) => requiredIndexes(dialect, table)),
      ])
      .map((object) => [object.name, object]),
  )
  const existing = await connection.all(rawStatement<Omit<SchemaObject, 'table'>>(dialect.schema.objectsQuery))
  for (const { type, name, sql } of existing) {
    if (missing.get(name)?.sql === sql) missing.delete(name)
    else await runStatements(connection, `DROP ${type} "${name}"`)
  }
  const isPostponed = ({ type, table }: SchemaObject): boolean => type === 'index' && large.has(table)
  for (const object of missing.values())
    if (!isPostponed(object)) await createObject(connection, dialect.schema.createObject(object), object)
  return [...missing.values()].filter(isPostponed)
}

/** Creates indexes outside a transaction, while other nodes write. */
export async function createOutsideTransaction(
  connection: Connection,
  dialect: Dialect,
  indexes: readonly SchemaObject[],
): Promise<void> {
  const { schema } = dialect
  for (const index of indexes)
    await createObject(connection, schema.createOutsideTransaction?.(index) ?? schema.createObject(index), index)
}

async function createObject(connection: Connection, texts: readonly string[], { name }: SchemaObject): Promise<void> {
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
