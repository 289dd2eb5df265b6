import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { Connection } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { readNote, writeNote } from '../notes.ts'
import { param, prepareSql, type Statement, StatementCache } from '../statement.ts'
import { toValueChanges, ValueCounters } from '../writes/counters.ts'
import { insertSteps, toChoiceRows } from '../writes/entry-rows.ts'
import { collectMembers, deriveFields, listDerivedFields } from './document-values.ts'

/** The most entries read at a time, and the most bytes of more than one. */
const BATCH = 500
const BATCH_BYTES = 8 * 1024 * 1024
/** The number of counters that are summed before they are stored. */
const MAX_COUNTERS = 10_000
/** One that adds a row, and one that adds many. */
const STATEMENTS = 2

/**
 * Writes the members and counters of entries that are there already, where the config names other fields than at the last start.
 *
 * @param isStale whether what is stored may be outdated
 */
export async function prepareMembers(
  connection: Connection,
  dialect: Dialect,
  collection: CollectionModel,
  isStale: boolean,
): Promise<void> {
  const note = `members ${collection.key}`
  const content = outlineOf(collection)
  const known = (await readNote(connection, note)) ?? ''
  if (known === content && (!isStale || collection.counted.length === 0)) return
  await connection.run(DROP_MEMBERS, { key: collection.key })
  await connection.run(DROP_COUNTERS, { key: collection.key })
  if (content !== '') await fillMembers(connection, dialect, collection)
  await writeNote(connection, note, content)
}

/** The part of a collection that decides what is kept beside its documents; empty: nothing is. */
function outlineOf({ multiValuedFields: manyValued, counted, schemaHash }: CollectionModel): string {
  const members = [...manyValued.values()].filter(({ to, part }) => to === undefined && !part).map(({ path }) => path)
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

/** The part of a collection that decides what the column `folded` holds. */
export const digestDerivedFields = (collection: CollectionModel): string =>
  createHash('sha256')
    .update(JSON.stringify(listDerivedFields(collection).map(({ member, version }) => [member, version])))
    .digest('base64url')

/** Folds the texts of entries that are there already, where the config names other texts than at the last start. */
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

interface FilledRow {
  readonly pk: number
  readonly id: string
  readonly status: string | null
  readonly doc: string
}

/** The entries behind one that fit into a batch, in order of arrival; the next one always does. */
function nextRows(key: string): Statement<FilledRow> {
  const own = sql.table(key)
  const sizes = sql`SELECT pk, octet_length(doc) AS size FROM ${own} WHERE pk > ${param('after')}
    ORDER BY pk LIMIT ${sql.lit(BATCH)}`
  const sums = sql`SELECT pk, sum(size) OVER (ORDER BY pk) - size AS before FROM (${sizes}) AS sizes`
  return prepareSql(sql`SELECT pk, id, status, doc FROM ${own} WHERE pk > ${param('after')}
    AND pk <= (SELECT max(pk) FROM (${sums}) AS sums WHERE before < ${sql.lit(BATCH_BYTES)}) ORDER BY pk`)
}

const DROP_MEMBERS = prepareSql(sql`DELETE FROM daybook$choices WHERE from_collection = ${param('key')}`)
const DROP_COUNTERS = prepareSql(sql`DELETE FROM daybook$tallies WHERE collection = ${param('key')}`)
