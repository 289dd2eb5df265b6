import { createHash } from 'node:crypto'
import { StartupError } from '../errors.ts'
import { type Field, type Fields, innerFields } from '../fields/field.ts'
import type { CollectionModel, Model } from '../model/model.ts'
import { build, param, prepare, prepareSql } from './compile.ts'
import { type Connection, UniqueViolation } from './database.ts'
import { dropLocaleTables, dropsOf } from './locale-tables.ts'
import { searchColumns, searchValues } from './search.ts'
import { searchTable, wordsTable } from './tables.ts'

/** The layout of the tables; a database with a higher one was made by a newer Daybook. */
const LAYOUT = 2

const SYSTEM_DDL = [
  'CREATE TABLE IF NOT EXISTS daybook$meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  'CREATE TABLE IF NOT EXISTS daybook$head (only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER NOT NULL) STRICT',
  `CREATE TABLE IF NOT EXISTS daybook$collections (
    key TEXT PRIMARY KEY, seq INTEGER NOT NULL, visible_seq INTEGER NOT NULL, counts TEXT NOT NULL) STRICT`,
  `CREATE TABLE IF NOT EXISTS daybook$globals (
    key TEXT PRIMARY KEY, seq INTEGER NOT NULL, shape TEXT NOT NULL, kept TEXT, locales TEXT, doc TEXT NOT NULL) STRICT`,
  `CREATE TABLE IF NOT EXISTS daybook$refs (
    from_collection TEXT NOT NULL, from_id TEXT NOT NULL, field TEXT NOT NULL, position INTEGER NOT NULL,
    to_collection TEXT NOT NULL, to_id TEXT NOT NULL,
    PRIMARY KEY (from_collection, from_id, field, position)) STRICT, WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS daybook$refs_to ON daybook$refs (to_collection, to_id, from_collection, field)',
  `CREATE TABLE IF NOT EXISTS daybook$choices (
    from_collection TEXT NOT NULL, from_id TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (from_collection, from_id, field, value)) STRICT, WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS daybook$choices_of ON daybook$choices (from_collection, field, value, from_id)',
  `CREATE TABLE IF NOT EXISTS daybook$idempotency (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, at TEXT NOT NULL, status INTEGER NOT NULL,
    headers TEXT NOT NULL, body TEXT NOT NULL) STRICT`,
  'CREATE INDEX IF NOT EXISTS daybook$idempotency_at ON daybook$idempotency (at)',
  `CREATE TABLE IF NOT EXISTS daybook$journal (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
    collection TEXT NOT NULL, id TEXT NOT NULL) STRICT`,
  `CREATE TABLE IF NOT EXISTS daybook$journal_payload (
    seq INTEGER PRIMARY KEY REFERENCES daybook$journal (seq), doc TEXT) STRICT`,
  'INSERT OR IGNORE INTO daybook$head (only, seq) VALUES (1, 0)',
]

/** An object of the database that the model asks for. */
interface Wanted {
  readonly type: 'index' | 'view'
  readonly name: string
  readonly sql: string
}

const quote = (name: string): string => `"${name}"`

/** The SQL expression of a value inside a document; paths consist of keys, which need no escaping. */
export function jsonValue(path: string, alias?: string): string {
  return `json_extract(${alias ? `${alias}.` : ''}doc, '$.${path}')`
}

function entryTable(key: string): string {
  return `CREATE TABLE IF NOT EXISTS ${quote(key)} (
    pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, slug TEXT UNIQUE, status TEXT,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, seq INTEGER NOT NULL, shape TEXT NOT NULL,
    kept TEXT, locales TEXT, draft TEXT, doc TEXT NOT NULL) STRICT`
}

/** The entries of a collection as one locale shows them: made from the collection's own table, and again when the config changes. */
function localeTable(table: string): string {
  return `CREATE TABLE ${quote(table)} (
    pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, slug TEXT, own_slug TEXT UNIQUE, status TEXT,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, seq INTEGER NOT NULL, shape TEXT NOT NULL,
    kept TEXT, draft TEXT, doc TEXT NOT NULL) STRICT`
}

/** One index for each value that can be filtered or sorted. `status` comes along, so that hidden rows cost no look-up. */
function wantedIndexes(collection: CollectionModel): readonly Wanted[] {
  const { key, table } = collection
  const index = (name: string, columns: string, unique = false): Wanted => ({
    type: 'index',
    name: `${table}$${name}`,
    sql: `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${quote(`${table}$${name}`)} ON ${quote(table)} (${columns})`,
  })
  const isOwn = table === key
  const tail = collection.status ? ', id, status' : ', id'
  return [
    index('created', `created_at${tail}`),
    index('updated', `updated_at${tail}`),
    ...(collection.status ? [index('status', 'status, id')] : []),
    ...collection.indexes.map(({ path }) => index(`by$${path}`, jsonValue(path) + tail)),
    ...(isOwn || !collection.slug ? [] : [index('slug', 'slug')]),
    ...collection.indexes
      .filter(({ unique }) => unique && isOwn)
      .map(({ path }) => index(`unique$${path}`, jsonValue(path), true)),
  ]
}

/** A view with a column for each field, for people with SQL tools. */
function wantedView(collection: CollectionModel): Wanted {
  const name = `${collection.key}_view`
  const keys = ['id', ...collection.fields.flatMap((field) => field.servedKeys), 'createdAt', 'updatedAt']
  const columns = keys.map((key) => `${jsonValue(key)} AS ${quote(key)}`)
  return {
    type: 'view',
    name,
    sql: `CREATE VIEW ${quote(name)} AS SELECT ${columns.join(', ')} FROM ${quote(collection.key)}`,
  }
}

/** Runs DDL on the connection that holds the lock. */
async function run(connection: Connection, sql: string): Promise<void> {
  await connection.run({ sql, bind: () => [] })
}

async function rows<Row>(connection: Connection, sql: string, ...values: unknown[]): Promise<readonly Row[]> {
  return connection.all<Row>({ sql, bind: () => values })
}

/** Whether the database has none of Daybook's tables yet. */
export async function isBlank(connection: Connection): Promise<boolean> {
  const [found] = await rows(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'daybook$meta'")
  return found === undefined
}

/**
 * Brings the tables into the form that the model asks for: makes what is missing, drops what is no longer declared.
 * Content is never touched. Runs inside a write transaction, so that two nodes can start at once.
 */
export async function prepareSchema(connection: Connection, model: Model, check: SchemaCheck): Promise<void> {
  const known = (await isBlank(connection)) ? undefined : await readMeta(connection, 'layout')
  if (known !== undefined && Number(known) > LAYOUT) {
    throw new StartupError(
      `This database was made by a newer Daybook (layout ${known}, and this one knows ${LAYOUT}). Update Daybook.`,
    )
  }
  // Looking at every index of every collection would make start-up cost grow with the schema.
  const fingerprint = fingerprintOf(model)
  if (known !== undefined && (await readMeta(connection, 'schema')) === fingerprint) return
  if (known !== undefined && Number(known) < 2) await addLocales(connection)
  if (known !== undefined) await check.beforeChange?.(connection)
  for (const ddl of SYSTEM_DDL) await run(connection, ddl)
  const views = [...model.collections.values()].flatMap((one) => [...one.views.values()])
  await dropLocaleTables(connection, (name) => views.every(({ table }) => table !== name))
  for (const collection of model.collections.values()) await prepareCollection(connection, collection, check)
  await alignObjects(connection, [...model.collections.values()])
  const { locales } = model
  if (locales && (await readMeta(connection, HOME)) === undefined) await writeMeta(connection, HOME, locales.default)
  await writeMeta(connection, 'layout', String(LAYOUT))
  await writeMeta(connection, 'schema', check.isFinal ? fingerprint : '')
}

/** Layout 2: documents in several locales. */
async function addLocales(connection: Connection): Promise<void> {
  const keys = await rows<{ key: string }>(connection, 'SELECT key FROM daybook$collections')
  for (const table of [...keys.map(({ key }) => key), 'daybook$globals'])
    await run(connection, `ALTER TABLE ${quote(table)} ADD COLUMN locales TEXT`)
}

/** What surrounds a change of the tables. */
export interface SchemaCheck {
  /** Called when the config differs from the one of the last start; a rejection leaves everything as it is. */
  beforeChange?(connection: Connection): Promise<void>
  /** Makes what the locales show of entries that are there already. */
  fillViews(collection: CollectionModel): Promise<void>
  /** Whether the next start with this config need not look again. */
  readonly isFinal: boolean
}

function fingerprintOf(model: Model): string {
  const wanted = [...model.collections.values()].map((one) => [
    one.key,
    one.shape,
    renamesOf(one.fieldMap),
    searchColumns(one),
    searchOutline(one),
    [...wantedIndexes(one), wantedView(one)].map(({ sql }) => sql),
    [...one.views.values()].map((view) => [view.table, view.shape]),
    one.status?.key ?? null,
  ])
  const globals = [...model.globals.values()].map((one) => [one.key, one.shape, renamesOf(one.fieldMap)])
  const all = JSON.stringify([LAYOUT, SYSTEM_DDL, wanted, globals, model.locales?.default])
  return createHash('sha256').update(all).digest('base64url')
}

function renamesOf(fields: Fields): unknown {
  return Object.entries(fields).map(([key, field]) => [
    key,
    field.options.renamedFrom ?? null,
    innerFields(field).map(renamesOf),
  ])
}

/**
 * Columns without positions: no query asks for phrases, and lists are half as long. Beginnings of up to
 * three characters have lists of their own; longer ones are looked up among the words (see expandPrefix).
 */
const SEARCH_OPTIONS = `content='', contentless_delete=1, detail=column, prefix='1 2 3', tokenize="unicode61 remove_diacritics 0"`

async function prepareCollection(
  connection: Connection,
  collection: CollectionModel,
  check: SchemaCheck,
): Promise<void> {
  const { key } = collection
  await run(connection, entryTable(key))
  await connection.run(ADD_COUNTERS, { key })
  const isMoved = await alignStatus(connection, collection)
  await prepareSearch(connection, collection, isMoved)
  const views = [...collection.views.values()]
  const content = views.map(({ shape }) => shape).join()
  if (!isMoved && ((await readMeta(connection, `locales ${key}`)) ?? '') === content) return
  for (const { table } of views) {
    for (const statement of dropsOf(table)) await connection.run(prepareSql(statement))
    await run(connection, localeTable(table))
  }
  if (views.length > 0) await check.fillViews(collection)
  for (const view of views) await prepareSearch(connection, view, true)
  await writeMeta(connection, `locales ${key}`, content)
}

/** @param isStale whether what is found may be outdated */
async function prepareSearch(connection: Connection, collection: CollectionModel, isStale: boolean): Promise<void> {
  const table = quote(searchTable(collection.table))
  const columns = searchColumns(collection)
  const content = createHash('sha256')
    .update(JSON.stringify([SEARCH_OPTIONS, columns, searchOutline(collection)]))
    .digest('base64url')
  if (!isStale && (await readMeta(connection, `search ${collection.table}`)) === content) return
  const words = quote(wordsTable(collection.table))
  await run(connection, `DROP TABLE IF EXISTS ${words}`)
  await run(connection, `DROP TABLE IF EXISTS ${table}`)
  await run(connection, `CREATE VIRTUAL TABLE ${table} USING fts5(${columns.map(quote).join(', ')}, ${SEARCH_OPTIONS})`)
  await run(connection, `CREATE VIRTUAL TABLE ${words} USING fts5vocab(${table}, instance)`)
  await fillSearch(connection, collection)
  await writeMeta(connection, `search ${collection.table}`, content)
}

/** What of a collection decides which words an entry is found by. */
function searchOutline({ fieldMap, searchable, shape }: CollectionModel): unknown {
  const outline = (fields: Fields): unknown =>
    Object.entries(fields).map(([key, field]) => [
      key,
      (field.options as { search?: boolean }).search !== false,
      innerFields(field).map(outline),
    ])
  return [shape, outline(Object.fromEntries(searchable.map(({ key }) => [key, fieldMap[key] as Field])))]
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
async function alignStatus(connection: Connection, { key, status, fieldMap }: CollectionModel): Promise<boolean> {
  const field = status && fieldMap[status.key]
  if (!status || !field) return false
  const values = JSON.stringify(status.values)
  const known = '(SELECT value FROM json_each(?))'
  const once = `coalesce(json_extract(kept, '$.${status.key}'), json_extract(doc, '$.${status.key}'))`
  const returned = await rows(
    connection,
    `UPDATE ${quote(key)} SET status = CASE WHEN ${once} IN ${known} THEN ${once} WHEN ${once} IS NULL THEN ? ELSE ? END
     WHERE status IS NULL RETURNING 1 AS moved`,
    values,
    field.type.initial?.(field.options),
    field.type.replacement?.(field.options),
  )
  const replaced = await rows(
    connection,
    `UPDATE ${quote(key)} SET status = ? WHERE status NOT IN ${known} RETURNING 1 AS moved`,
    field.type.replacement?.(field.options),
    values,
  )
  if (returned.length + replaced.length === 0) return false
  await run(
    connection,
    `UPDATE daybook$collections SET seq = (SELECT seq FROM daybook$head), visible_seq = (SELECT seq FROM daybook$head), counts = (
       SELECT coalesce(json_group_object(name, n), '{}') FROM (
         SELECT coalesce(status, '') AS name, count(*) AS n FROM ${quote(key)} GROUP BY 1)) WHERE key = '${key}'`,
  )
  return true
}

const SEARCH_BATCH = 500

/** Writes the search rows of entries that are there already. */
async function fillSearch(connection: Connection, collection: CollectionModel): Promise<void> {
  const table = quote(searchTable(collection.table))
  const columns = searchColumns(collection)
  const insert = `INSERT INTO ${table} (rowid, ${columns.map(quote).join(', ')}) VALUES (?, ${columns.map(() => '?').join(', ')})`
  for (let after = 0; ; ) {
    const page = await rows<{ pk: number; status: string | null; doc: string }>(
      connection,
      `SELECT pk, status, doc FROM ${quote(collection.table)} WHERE pk > ? ORDER BY pk LIMIT ${SEARCH_BATCH}`,
      after,
    )
    for (const { pk, status, doc } of page) {
      const values = searchValues(collection, JSON.parse(doc), status)
      await connection.run({ sql: insert, bind: () => [pk, ...columns.map((name) => values[name] ?? '')] })
      after = pk
    }
    if (page.length < SEARCH_BATCH) return
  }
}

/** Drops indexes and views that differ from what is wanted or are wanted no more, and makes the missing ones. */
async function alignObjects(connection: Connection, collections: readonly CollectionModel[]): Promise<void> {
  const wanted = new Map(
    collections
      .flatMap((one) => [wantedView(one), ...[one, ...one.views.values()].flatMap(wantedIndexes)])
      .map((one) => [one.name, one]),
  )
  const existing = await rows<Wanted>(
    connection,
    `SELECT type, name, sql FROM sqlite_schema
      WHERE (type = 'index' AND name LIKE '%$%' AND sql IS NOT NULL AND tbl_name NOT LIKE 'daybook$%')
         OR (type = 'view' AND name LIKE '%\\_view' ESCAPE '\\')`,
  )
  for (const one of existing) {
    if (wanted.get(one.name)?.sql === one.sql) wanted.delete(one.name)
    else await run(connection, `DROP ${one.type} ${quote(one.name)}`)
  }
  for (const one of wanted.values()) await makeObject(connection, one)
}

async function makeObject(connection: Connection, { sql, name }: Wanted): Promise<void> {
  try {
    await run(connection, sql)
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    const [collection, , path] = name.split('$')
    throw new StartupError(
      `${collection}.${path} is unique in the config, but entries share a value. Give each its own, or leave unique out.`,
    )
  }
}

const READ_META = prepare(build.selectFrom('daybook$meta').select('value').where('key', '=', param<string>('key')))
const WRITE_META = prepare(
  build
    .insertInto('daybook$meta')
    .values({ key: param<string>('key'), value: param<string>('value') })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: param<string>('value') })),
)

/** The note of the locale that documents hold without saying so: the default one when the first of them was written. */
export const HOME = 'home locale'

/** A note that the store keeps about itself. */
export async function readMeta(connection: Connection, key: string): Promise<string | undefined> {
  return (await connection.get(READ_META, { key }))?.value
}

/** Sets a note that the store keeps about itself. */
export async function writeMeta(connection: Connection, key: string, value: string): Promise<void> {
  await connection.run(WRITE_META, { key, value })
}
