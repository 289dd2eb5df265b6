import NativeDatabase from 'better-sqlite3'
import { PATIENCE_MS } from '../../support/patience.ts'

/** Asks the file of a store, past the service. */
export function rows(file: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const native = new NativeDatabase(file, { timeout: PATIENCE_MS })
  try {
    return native.prepare(sql).all() as Record<string, unknown>[]
  } finally {
    native.close()
  }
}

/** Changes the file of a store behind everybody's back. */
export function change(file: string, sql: string): void {
  const native = new NativeDatabase(file, { timeout: PATIENCE_MS })
  try {
    native.exec(sql)
  } finally {
    native.close()
  }
}

/** Every row of every table, but for those that only the search engine reads and what belongs to running nodes. */
export function allRows(file: string): Readonly<Record<string, unknown>> {
  const tables = rows(file, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%$search%'")
  const kept = tables
    .map((one) => String(one.name))
    .filter((one) => one !== 'daybook$leases' && !one.endsWith('$words'))
  const sorted = (table: string): readonly string[] =>
    rows(file, `SELECT * FROM "${table}"`)
      .map((row) => JSON.stringify(row))
      .sort()
  return Object.fromEntries(kept.map((table) => [table, sorted(table)]))
}
