import NativeDatabase from 'better-sqlite3'
import type { DaybookConfig, ServiceOptions } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import { afterAll } from 'vitest'
import { queryConnection } from '../postgres/postgres-connection.ts'
import { type PostgresDatabase, PostgresDatabases } from '../postgres/postgres-database.ts'
import { slowMachinePostgres } from '../postgres/slow-machine-postgres.ts'
import { WAIT_TIMEOUT_MS } from '../timeouts.ts'
import { Folder } from './folder.ts'
import type { Place } from './place.ts'
import { numbered, PostgresPlace } from './postgres-place.ts'
import { databaseIn, SqliteFiles } from './sqlite-files.ts'

/** Runs a query past the service, in SQL that every engine reads; `?` stands for a value. */
export type Rows = (sql: string, ...values: unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** A service with access to its database past the service. */
export interface StoredService<C extends DaybookConfig = DaybookConfig> extends TestService<C>, AsyncDisposable {
  readonly rows: Rows
  /** Lists the names of all tables whose rows can be read, in order. */
  tables(): Promise<readonly string[]>
  /** Lists the `pk` of every entry that has a search row, in order. */
  searched(collection: string): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** A kind of store that every scenario runs on. */
export interface StoreKind {
  readonly name: 'sqlite' | 'postgres'
  open<C extends DaybookConfig = DaybookConfig>(
    config: NoInfer<C>,
    options?: Pick<ServiceOptions, 'export' | 'log' | 'metrics'>,
  ): Promise<StoredService<C>>
  /** Makes an empty store that no service has opened. */
  at(): Promise<Place>
}

/** Excludes the tables of FTS5, which have no rows to read. */
const SQLITE_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%$search' ORDER BY name"
const POSTGRES_TABLES = "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"

const namesIn = (rows: Awaited<ReturnType<Rows>>): readonly string[] => rows.map(({ name }) => String(name))

/** The functions that close each open service. */
const open = new Set<() => Promise<void>>()

/** Tracks an open service until it is closed. The returned function can be called more than once. */
function trackOpen(end: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined
  const close = (): Promise<void> => {
    open.delete(close)
    ended ??= end()
    return ended
  }
  open.add(close)
  return close
}

const files = new SqliteFiles()

export const SQLITE: StoreKind = {
  name: 'sqlite',
  async open(config, options) {
    const service = await files.open<typeof config>(config, options)
    // Opening the file and reading its schema takes longer than most queries.
    let connection: NativeDatabase | undefined
    const rows: Rows = async (sql, ...values) => {
      connection ??= new NativeDatabase(databaseIn(service.data), { timeout: WAIT_TIMEOUT_MS })
      return connection.prepare(sql).all(...values) as Record<string, unknown>[]
    }
    const close = trackOpen(async () => {
      connection?.close()
      connection = undefined
      await service.close()
    })
    return {
      ...service,
      rows,
      tables: async () => namesIn(await rows(SQLITE_TABLES)),
      searched: (collection) => rows(`SELECT id AS pk FROM "${collection}$search_docsize" ORDER BY id`),
      close,
      [Symbol.asyncDispose]: close,
    }
  },
  at: () => Folder.make(),
}

const databases = new PostgresDatabases()

/** A database on the PostgreSQL of the test run. */
export const POSTGRES: StoreKind = {
  name: 'postgres',
  async open(config, options) {
    const { database, isMade } = await databases.take(config)
    const service = await serveFrom(database, config, options)
    if (!isMade) await database.keep()
    const connection = queryConnection(database.url)
    const end = async (): Promise<void> => {
      await Promise.all([service.close(), connection.end()])
      databases.leave(config, database)
    }
    const close = trackOpen(end)
    const rows: Rows = async (sql, ...values) => (await connection.query(numbered(sql), values)).rows
    return {
      ...service,
      rows,
      tables: async () => namesIn(await rows(POSTGRES_TABLES)),
      searched: (collection) => rows(`SELECT pk FROM "${collection}$search" ORDER BY pk`),
      close,
      [Symbol.asyncDispose]: close,
    }
  },
  at: () => PostgresPlace.make(),
}

/** Opens a service, with the type of its config. */
const serveFrom = <C extends DaybookConfig>(
  database: PostgresDatabase,
  config: C,
  options: ServiceOptions | undefined,
): Promise<TestService<C>> =>
  createTestService({ ...config, database: slowMachinePostgres(database.url) }, options) as unknown as Promise<
    TestService<C>
  >

/** The kinds of stores that a run can name in `DAYBOOK_STORES`; a new kind is one line here. */
const CHOICES: Readonly<Record<string, readonly StoreKind[]>> = {
  sqlite: [SQLITE],
  postgres: [POSTGRES],
  both: [SQLITE, POSTGRES],
}

/** The stores that `DAYBOOK_STORES` names, or undefined if it is not set. */
function readChoice(): readonly StoreKind[] | undefined {
  const name = process.env.DAYBOOK_STORES
  if (name === undefined || name === '') return undefined
  const stores = CHOICES[name]
  if (!stores)
    throw new Error(`DAYBOOK_STORES is "${name}". Set it to ${Object.keys(CHOICES).join(', ')}, or leave it out.`)
  return stores
}

const choice = readChoice()

/** The stores for tests of SQL: storage, lists, search, writes, the journal, and one journey of each feature. */
export const STORES: readonly StoreKind[] = choice ?? [SQLITE, POSTGRES]

/** The stores for tests of policy, such as access, hooks and messages, which the database does not decide. */
export const POLICY_STORES: readonly StoreKind[] = choice ?? [SQLITE]

/**
 * Drops the stores of a test file.
 *
 * @throws {Error} if services are still open: they would run during the next files
 */
export async function dropStores(): Promise<void> {
  const left = [...open]
  await Promise.all(left.map((close) => close()))
  await Promise.all([files.drop(), databases.drop()])
  if (left.length > 0) throw new Error(`${left.length} services are still open. Begin them with \`await using\`.`)
}

afterAll(dropStores)
