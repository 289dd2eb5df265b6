import { bare } from '../compile.ts'
import type { Connection } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import { isLocaleTable } from './tables.ts'

/** Drops the tables of locales that are no longer wanted. They hold nothing that the collection's own table does not. */
export async function dropLocaleTables(
  connection: Connection,
  dialect: Dialect,
  isUnwanted: (name: string) => boolean,
): Promise<void> {
  const names = (await connection.all(bare<{ name: string }>(dialect.schema.tables))).map(({ name }) => name)
  for (const name of names.filter((one) => isLocaleTable(one) && isUnwanted(one))) {
    for (const text of dropsOf(dialect, name)) await connection.run(bare(text))
  }
}

/** The statements that drop a table of entries with its search table. */
export const dropsOf = ({ search }: Dialect, table: string): readonly string[] => [
  ...search.drop(table),
  `DROP TABLE IF EXISTS "${table}"`,
]
