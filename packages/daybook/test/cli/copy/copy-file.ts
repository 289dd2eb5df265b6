import NativeDatabase from 'better-sqlite3'
import { WAIT_TIMEOUT_MS } from '../../support/timeouts.ts'

/** Queries a database file without a service. */
export function rows(file: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const native = new NativeDatabase(file, { timeout: WAIT_TIMEOUT_MS })
  try {
    return native.prepare(sql).all() as Record<string, unknown>[]
  } finally {
    native.close()
  }
}

/** Changes a database file without a service. */
export function change(file: string, sql: string): void {
  const native = new NativeDatabase(file, { timeout: WAIT_TIMEOUT_MS })
  try {
    native.exec(sql)
  } finally {
    native.close()
  }
}

/** Returns every row of every table, except search indexes and data of running nodes. */
export function allRows(file: string): Readonly<Record<string, unknown>> {
  const tables = rows(file, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%$search%'")
  const names = tables
    .map(({ name }) => String(name))
    .filter((name) => name !== 'daybook$leases' && !name.endsWith('$words'))
  const sorted = (table: string): readonly string[] =>
    rows(file, `SELECT * FROM "${table}"`)
      .map((row) => JSON.stringify(row))
      .sort()
  return Object.fromEntries(names.map((table) => [table, sorted(table)]))
}
