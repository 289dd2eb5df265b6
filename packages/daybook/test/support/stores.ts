import { join } from 'node:path'
import NativeDatabase from 'better-sqlite3'
import type { DaybookConfig } from 'daybook'
import { postgres } from 'daybook/postgres'
import { createTestService, type TestService } from 'daybook/testing'
import { PostgresDatabase } from './postgres-database.ts'

/** A service, and what its database says of itself, past it. */
export interface StoredService extends TestService, AsyncDisposable {
  /** Runs SQL that every engine reads; `?` stands for a value. */
  rows(sql: string, ...values: unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** A kind of store that every scenario runs on. */
export interface StoreKind {
  readonly name: 'sqlite' | 'postgres'
  /** A service on an empty store of its own. */
  open(config: DaybookConfig): Promise<StoredService>
}

const sqlite: StoreKind = {
  name: 'sqlite',
  async open(config) {
    const service = await createTestService(config)
    const rows: StoredService['rows'] = async (sql, ...values) => {
      const database = new NativeDatabase(join(service.data, 'daybook.db'), { timeout: 1000 })
      try {
        return database.prepare(sql).all(...values) as Record<string, unknown>[]
      } finally {
        database.close()
      }
    }
    return { ...service, rows }
  },
}

const onPostgres: StoreKind = {
  name: 'postgres',
  async open(config) {
    const database = await PostgresDatabase.make()
    try {
      const service = await createTestService({ ...config, database: postgres(database.url) })
      const close = async (): Promise<void> => {
        await service.close()
        await database[Symbol.asyncDispose]()
      }
      return {
        ...service,
        rows: (sql, ...values) => readRows(database, sql, values),
        close,
        [Symbol.asyncDispose]: close,
      }
    } catch (error) {
      await database[Symbol.asyncDispose]()
      throw error
    }
  },
}

async function readRows(
  database: PostgresDatabase,
  sql: string,
  values: readonly unknown[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  let place = 0
  const text = sql.replaceAll('?', () => {
    place += 1
    return `$${place}`
  })
  return database.rows<Record<string, unknown>>(text, ...values)
}

/** Every store; a new one is one line here. */
export const STORES: readonly StoreKind[] = [sqlite, onPostgres]
