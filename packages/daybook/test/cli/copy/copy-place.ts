import { join } from 'node:path'
import NativeDatabase from 'better-sqlite3'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { WAIT_TIMEOUT_MS } from '../../support/timeouts.ts'
import { folderOf } from '../cli.ts'

/** A folder for data folders and configs, and a database to copy from or to; `dispose` deletes both. */
export class CopyPlace {
  readonly folder: Awaited<ReturnType<typeof folderOf>>
  readonly database: PostgresDatabase

  private constructor(folder: CopyPlace['folder'], database: PostgresDatabase) {
    this.folder = folder
    this.database = database
  }

  static async make(): Promise<CopyPlace> {
    return new CopyPlace(await folderOf({}), await PostgresDatabase.make())
  }

  at(name: string): string {
    return join(this.folder.path, name)
  }

  fileOf(name: string): string {
    return join(this.at(name), 'daybook.db')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]()
    await this.database[Symbol.asyncDispose]()
  }
}

export function rows(file: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const native = new NativeDatabase(file, { timeout: WAIT_TIMEOUT_MS })
  try {
    return native.prepare(sql).all() as Record<string, unknown>[]
  } finally {
    native.close()
  }
}

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
