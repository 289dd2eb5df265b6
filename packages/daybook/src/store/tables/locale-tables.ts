import { bare } from '../compile.ts'
import type { Connection } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { isLocaleTable } from './tables.ts'

/** The tables of locales that the database has. */
async function storedLocaleTables(connection: Connection, { schema }: Dialect): Promise<readonly string[]> {
  const rows = await connection.all(bare<{ name: string }>(schema.tables))
  return rows.map(({ name }) => name).filter(isLocaleTable)
}

/** Drops the tables of locales that are no longer wanted. They hold nothing that the collection's own table does not. */
export async function dropLocaleTables(
  connection: Connection,
  dialect: Dialect,
  isUnwanted: (name: string) => boolean,
): Promise<void> {
  for (const name of (await storedLocaleTables(connection, dialect)).filter(isUnwanted)) {
    for (const text of dropsOf(dialect, name)) await connection.run(bare(text))
  }
}

/** The statements that drop a table of entries with its search table. */
export const dropsOf = ({ search }: Dialect, table: string): readonly string[] => [
  ...search.drop(table),
  `DROP TABLE IF EXISTS "${table}"`,
]
