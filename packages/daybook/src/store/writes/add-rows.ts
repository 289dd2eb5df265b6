import { sql } from 'kysely'
import { param, prepareSql, type StatementCache } from '../compile.ts'
import type { Connection } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import type { Rows } from './bulk-rows.ts'

/** Where rows are added. */
export interface RowTarget {
  readonly connection: Pick<Connection, 'run'>
  readonly dialect: Dialect
  readonly statements: StatementCache
}

/**
 * Statements that add rows to a table: one for all of them where the engine takes many rows at once. Else one for each, which
 * takes SQLite less time than reading them from JSON, and saves it from noting how to undo a part of a statement.
 *
 * @param rows each with the same columns
 */
export function addRows(
  { connection, dialect, statements }: RowTarget,
  table: string,
  rows: Rows,
): readonly (() => Promise<unknown>)[] {
  const [first, ...others] = rows
  if (!first) return []
  const columns = Object.keys(first)
  if (dialect.insertAll && others.length > 0) {
    const { insertAll } = dialect
    const all = statements.get(`add all ${table}`, () => prepareSql(insertAll(table, columns)))
    return [() => connection.run(all, { rows: JSON.stringify(rows) })]
  }
  const one = statements.get(`add ${table}`, () => {
    const names = sql.join(columns.map((name) => sql.ref(name)))
    return prepareSql(
      sql`INSERT INTO ${sql.table(table)} (${names}) VALUES (${sql.join(columns.map((name) => param(name)))})`,
    )
  })
  return rows.map((row) => () => connection.run(one, row))
}
