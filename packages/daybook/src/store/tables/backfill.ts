import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type Field, type Fields, innerFields } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Connection } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { readNote, writeNote } from '../notes.ts'
import { WORDS_VERSION } from '../search-words.ts'
import { param, prepareSql, type Statement, StatementCache } from '../statement.ts'
import { toValueChanges, ValueCounters } from '../writes/counters.ts'
import { insertSteps, toChoiceRows } from '../writes/entry-rows.ts'
import { collectMembers, deriveFields, listDerivedFields } from './document-values.ts'
import { runStatements } from './table-ddl.ts'

/** The maximum number of entries in a batch, and of bytes in a batch of more than one. */
const BATCH = 500
const BATCH_BYTES = 8 * 1024 * 1024
/** The number of sums after which counters are stored. */
const MAX_COUNTERS = 10_000
/** Statements that insert one row, or many. */
const STATEMENTS = 2

/**
 * Writes the members and counters of existing entries, if the config names other fields than at the last start.
 *
 * @param isStale true if stored rows may be outdated
 */
export async function prepareMembers(
  connection: Connection,
  dialect: Dialect,
  collection: CollectionModel,
  isStale: boolean,
): Promise<void> {
  const note = `members ${collection.key}`
  const content = digestMembers(collection)
  const stored = (await readNote(connection, note)) ?? ''
  if (stored === content && (!isStale || collection.counted.length === 0)) return
  await connection.run(DROP_MEMBERS, { key: collection.key })
  await connection.run(DROP_COUNTERS, { key: collection.key })
  if (content !== '') await fillMembers(connection, dialect, collection)
  await writeNote(connection, note, content)
}

/** Digests the parts of a collection that decide which members and counters are stored; empty if none are. */
function digestMembers({ multiValuedFields, counted, schemaHash }: CollectionModel): string {
  const members = [...multiValuedFields.values()]
    .filter(({ to, part }) => to === undefined && !part)
    .map(({ path }) => path)
  const outline = [schemaHash, members, counted.map(({ path }) => path)]
  if (members.length === 0 && counted.length === 0) return ''
  return createHash('sha256').update(JSON.stringify(outline)).digest('base64url')
}

async function fillMembers(connection: Connection, dialect: Dialect, collection: CollectionModel): Promise<void> {
  const { key } = collection
  const next = nextRows(key)
  const counters = new ValueCounters()
  const target = { connection, dialect, statements: new StatementCache(STATEMENTS) }
  for (let page = await connection.all(next, { after: 0 }); page.length > 0; ) {
    for (const { id, status, doc } of page) {
      const value = JSON.parse(doc)
      const rows = toChoiceRows({ id, choices: collectMembers(collection, value) }, key)
      for (const step of insertSteps(target, 'daybook$choices', rows)) await step()
      counters.add(toValueChanges(collection, status, value, 1))
    }
    if (counters.size > MAX_COUNTERS) await storeCounters(connection, counters)
    page = await connection.all(next, { after: page.at(-1)?.pk })
  }
  await storeCounters(connection, counters)
}

async function storeCounters(connection: Connection, counters: ValueCounters): Promise<void> {
  for (const step of counters.steps(connection)) await step()
}

/** Digests the part of a collection that decides what the column `folded` holds. */
export const digestDerivedFields = (collection: CollectionModel): string =>
  createHash('sha256')
    .update(JSON.stringify(listDerivedFields(collection).map(({ member, version }) => [member, version])))
    .digest('base64url')

/** Writes the derived fields of existing entries, if the config derives other fields than at the last start. */
export async function prepareDerivedFields(connection: Connection, collection: CollectionModel): Promise<void> {
  const { key } = collection
  const note = `folded ${key}`
  const content = digestDerivedFields(collection)
  if ((await readNote(connection, note)) === content) return
  const next = nextRows(key)
  const write = prepareSql(sql`UPDATE ${sql.table(key)} SET folded = ${param('folded')} WHERE pk = ${param('pk')}`)
  for (let page = await connection.all(next, { after: 0 }); page.length > 0; ) {
    for (const { pk, doc } of page)
      await connection.run(write, { pk, folded: deriveFields(collection, JSON.parse(doc)) })
    page = await connection.all(next, { after: page.at(-1)?.pk })
  }
  await writeNote(connection, note, content)
}

/**
 * Rebuilds the search table of a collection, if the config or the engine indexes other words than at the last start.
 *
 * @param isStale true if the search rows may be outdated
 */
export async function prepareSearch(
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

/** Returns the part of a collection that decides by which words an entry is found. */
export function searchOutline({ fieldMap, searchable, searchFilters, schemaHash }: CollectionModel): unknown {
  const outline = (fields: Fields): unknown =>
    Object.entries(fields).map(([key, field]) => [
      key,
      field.type.search?.(field.options) !== undefined,
      innerFields(field).map(outline),
    ])
  const words = outline(Object.fromEntries(searchable.map(({ key }) => [key, fieldMap[key] as Field])))
  return [schemaHash, words, searchFilters.map(({ path }) => path)]
}

/** Writes the search rows of existing entries. */
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

interface FilledRow {
  readonly pk: number
  readonly id: string
  readonly status: string | null
  readonly doc: string
}

/** Selects the next entries that fit into a batch, at least one, in order of creation. */
function nextRows(table: string): Statement<FilledRow> {
  const entries = sql.table(table)
  const sizes = sql`SELECT pk, octet_length(doc) AS size FROM ${entries} WHERE pk > ${param('after')}
    ORDER BY pk LIMIT ${sql.lit(BATCH)}`
  const sums = sql`SELECT pk, sum(size) OVER (ORDER BY pk) - size AS before FROM (${sizes}) AS sizes`
  return prepareSql(sql`SELECT pk, id, status, doc FROM ${entries} WHERE pk > ${param('after')}
    AND pk <= (SELECT max(pk) FROM (${sums}) AS sums WHERE before < ${sql.lit(BATCH_BYTES)}) ORDER BY pk`)
}

const DROP_MEMBERS = prepareSql(sql`DELETE FROM daybook$choices WHERE from_collection = ${param('key')}`)
const DROP_COUNTERS = prepareSql(sql`DELETE FROM daybook$tallies WHERE collection = ${param('key')}`)
