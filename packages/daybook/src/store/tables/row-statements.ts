import { type RawBuilder, sql } from 'kysely'
import { param, prepareSql, type Statement } from '../compile.ts'
import { SYSTEM_TABLES, type SystemTables } from './tables.ts'

/** Inserts a row; a parameter for each column. */
export function insertRow(table: string, columns: readonly string[]): RawBuilder<unknown> {
  const names = sql.join(columns.map((name) => sql.ref(name)))
  return sql`INSERT INTO ${sql.table(table)} (${names}) VALUES (${sql.join(columns.map((name) => param(name)))})`
}

/** The end of a statement that inserts rows: the columns of a row with the same key are updated. */
export function onConflictUpdate(key: readonly string[], columns: readonly string[]): RawBuilder<unknown> {
  const changed = columns.filter((name) => !key.includes(name))
  const changes = changed.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`)
  return sql`ON CONFLICT (${sql.join(key.map((name) => sql.ref(name)))}) DO UPDATE SET ${sql.join(changes)}`
}

/** Prepares to insert a row into one of Daybook's own tables. */
export function prepareInsert(table: keyof SystemTables): Statement {
  return prepareSql(insertRow(table, Object.keys(SYSTEM_TABLES[table].columns)))
}

/** Prepares to insert a row, or to replace the one with the same key. */
export function preparePut(table: keyof SystemTables): Statement {
  const { columns, key } = SYSTEM_TABLES[table]
  const names = Object.keys(columns)
  return prepareSql(sql`${insertRow(table, names)} ${onConflictUpdate(key, names)}`)
}
