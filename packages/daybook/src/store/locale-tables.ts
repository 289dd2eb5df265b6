import { type RawBuilder, sql } from 'kysely'
import { prepareSql } from './compile.ts'
import type { Connection } from './database.ts'
import { isLocaleTable, searchTable, wordsTable } from './tables.ts'

const TABLES = prepareSql(
  sql<{ name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%$%'`,
)

/** Drops the tables of locales that are no longer wanted. They hold nothing that the collection's own table does not. */
export async function dropLocaleTables(connection: Connection, isUnwanted: (name: string) => boolean): Promise<void> {
  const names = (await connection.all(TABLES)).map(({ name }) => name)
  for (const name of names.filter((one) => isLocaleTable(one) && isUnwanted(one))) {
    for (const statement of dropsOf(name)) await connection.run(prepareSql(statement))
  }
}

/** What drops a table of entries with its search. */
export const dropsOf = (table: string): readonly RawBuilder<unknown>[] =>
  [wordsTable(table), searchTable(table), table].map((name) => sql`DROP TABLE IF EXISTS ${sql.table(name)}`)
