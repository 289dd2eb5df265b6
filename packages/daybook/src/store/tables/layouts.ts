import { sql } from 'kysely'
import { StartupError } from '../../errors.ts'
import { bare, param, prepareSql } from '../compile.ts'
import type { Connection } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { COPY_NOTE, readNote } from '../notes.ts'
import { storedLocaleTables } from './locale-tables.ts'
import { ANONYMOUS_ACTOR, GLOBALS, PEOPLE_COLUMNS } from './tables.ts'

/** The layout of the tables; a database with a higher one was made by a newer Daybook. */
export const LAYOUT = 8

/** Runs statements on the connection that holds the lock. */
export async function runStatements(connection: Connection, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await connection.run(bare(text))
}

/** Whether the database has none of Daybook's tables yet. */
export async function isBlankDatabase(connection: Connection, { schema }: Dialect): Promise<boolean> {
  return (await connection.get(bare(schema.marker))) === undefined
}

/**
 * The layout of the tables that are there; `undefined`: there are none.
 *
 * @throws {StartupError} when a newer Daybook made them, or a copy into them was begun and has not ended
 */
export async function knownLayout(connection: Connection, dialect: Dialect): Promise<string | undefined> {
  if (await isBlankDatabase(connection, dialect)) return undefined
  const layout = await readNote(connection, 'layout')
  if (Number(layout) > LAYOUT) throw new StartupError(madeByNewer('This database', layout))
  if (layout === undefined && (await readNote(connection, COPY_NOTE)) !== undefined) {
    throw new StartupError(
      'This database holds an unfinished copy of another one. Run the same daybook copy again: it goes on where it stopped.',
    )
  }
  return layout
}

/** @param what the database that cannot be used */
export const madeByNewer = (what: string, layout: string | undefined): string =>
  `${what} was made by a newer Daybook (layout ${layout}, and this one knows ${LAYOUT}). Update Daybook.`

/** Changes the tables of an earlier layout into those of this one. */
export async function bringUpToLayout(connection: Connection, dialect: Dialect, known: number): Promise<void> {
  if (known < 2) await addLocales(connection)
  if (known < 3) await addPeople(connection, dialect)
  if (known < 5) await addWorkingCopies(connection, dialect)
  if (known < 6) await renameColumns(connection, dialect)
  if (known < 7)
    await runStatements(
      connection,
      `ALTER TABLE daybook$schedules ADD COLUMN caller ${dialect.schema.columnTypes.text}`,
    )
  if (known < 8) await addFoldedTexts(connection, dialect)
}

/** The tables of the collections that the database has, in the config or not. */
async function collectionTables(connection: Connection): Promise<readonly string[]> {
  const rows = await connection.all(bare<{ key: string }>('SELECT key FROM daybook$collections'))
  return rows.map(({ key }) => key)
}

/** Layout 2: documents in several locales. */
async function addLocales(connection: Connection): Promise<void> {
  for (const table of [...(await collectionTables(connection)), 'daybook$globals'])
    await runStatements(connection, `ALTER TABLE "${table}" ADD COLUMN locales TEXT`)
}

/**
 * Layout 3: who made and last changed documents, as the journal says. The tables of locales are made anew, with all of their
 * columns.
 */
async function addPeople(connection: Connection, { schema: { columnTypes } }: Dialect): Promise<void> {
  const places = [
    ...(await collectionTables(connection)).map((key) => ({ table: key, collection: key, id: 'id' })),
    { table: 'daybook$globals', collection: GLOBALS, id: 'key' },
  ]
  for (const { table, collection, id } of places) {
    const added = PEOPLE_COLUMNS.map((column) => `ALTER TABLE "${table}" ADD COLUMN ${column} ${columnTypes.text}`)
    const created = `journal.collection = '${collection}' AND journal.id = "${table}"."${id}" AND journal.action = 'create'`
    await runStatements(
      connection,
      ...added,
      `UPDATE "${table}" SET created_by = ${actorWhere(`${created} ORDER BY journal.seq DESC LIMIT 1`)},
        updated_by = ${actorWhere(`journal.seq = "${table}".seq`)}`,
    )
  }
  await runStatements(connection, "DELETE FROM daybook$meta WHERE key LIKE 'locales %'")
}

/** The actor of a record of the journal, in SQL; nobody is known of one without a session. */
const actorWhere = (condition: string): string =>
  `(SELECT nullif(journal.actor, '${ANONYMOUS_ACTOR}') FROM daybook$journal AS journal WHERE ${condition})`

/** Layout 5: how far the working copies of a collection have come. */
async function addWorkingCopies(connection: Connection, { schema: { columnTypes } }: Dialect): Promise<void> {
  await runStatements(connection, `ALTER TABLE daybook$collections ADD COLUMN draft_seq ${columnTypes.bigint}`)
}

/** Layout 6: the hash of a document's schema, and its orphaned values, under these names; working copies say them, too. */
async function renameColumns(connection: Connection, dialect: Dialect): Promise<void> {
  const own = await collectionTables(connection)
  for (const table of [...own, 'daybook$globals', ...(await storedLocaleTables(connection, dialect))]) {
    await runStatements(
      connection,
      `ALTER TABLE "${table}" RENAME COLUMN shape TO schema_hash`,
      `ALTER TABLE "${table}" RENAME COLUMN kept TO orphaned`,
    )
  }
  for (const table of own) await renameInWorkingCopies(connection, table)
}

/** Layout 8: texts with case and accents folded. The tables of locales are made anew, with all of their columns. */
async function addFoldedTexts(connection: Connection, { schema: { columnTypes } }: Dialect): Promise<void> {
  for (const table of await collectionTables(connection))
    await runStatements(connection, `ALTER TABLE "${table}" ADD COLUMN folded ${columnTypes.long}`)
  await runStatements(connection, "DELETE FROM daybook$meta WHERE key LIKE 'locales %' OR key LIKE 'folded %'")
}

/** Working copies read at a time. */
const COPY_BATCH = 100

async function renameInWorkingCopies(connection: Connection, table: string): Promise<void> {
  const own = sql.table(table)
  const next = prepareSql(sql<{ pk: number; draft: string }>`SELECT pk, draft FROM ${own}
    WHERE draft IS NOT NULL AND pk > ${param('after')} ORDER BY pk LIMIT ${sql.lit(COPY_BATCH)}`)
  const write = prepareSql(sql`UPDATE ${own} SET draft = ${param('draft')} WHERE pk = ${param('pk')}`)
  for (let page = await connection.all(next, { after: 0 }); page.length > 0; ) {
    for (const { pk, draft } of page) {
      const { shape, kept, ...others } = JSON.parse(draft)
      await connection.run(write, { pk, draft: JSON.stringify({ ...others, schema_hash: shape, orphaned: kept }) })
    }
    page = await connection.all(next, { after: page.at(-1)?.pk })
  }
}
