import { randomBytes } from 'node:crypto'
import type { DaybookConfig } from 'daybook'
import { Pool } from 'pg'
import { inject } from 'vitest'
import {
  type PostgresAddress,
  queryConnection,
  queryOnce,
  ROLE,
  type SharedPostgres,
  superuserUrlOf,
  urlOf,
} from './postgres-connection.ts'

/** The server of the test run, requested once in each test process. */
let shared: Promise<SharedPostgres> | undefined

/** Connections that create and drop databases, by port. */
const makers = new Map<number, Pool>()

/** Copies the rows of all tables into a separate schema. */
const KEEP = `
create schema kept;
do $$ declare one text; has_rows boolean; begin
  for one in select tablename from pg_tables where schemaname = 'public' loop
    execute format('select exists (select from public.%I)', one) into has_rows;
    if has_rows then execute format('create table kept.%1$I as table public.%1$I', one); end if;
  end loop;
end $$`

/** Restores the rows. Deleting is far faster than creating empty tables; without triggers, the order of the tables does not matter. */
const RESTORE = `
set session_replication_role = replica;
do $$ declare one text; begin
  for one in select tablename from pg_tables where schemaname = 'public' loop
    execute format('delete from public.%I', one);
    if to_regclass(format('kept.%I', one)) is not null then
      execute format('insert into public.%1$I select * from kept.%1$I', one);
    end if;
  end loop;
  for one in select attrelid::regclass from pg_attribute where attname = 'pk' and attidentity <> '' loop
    execute format('select setval(pg_get_serial_sequence(%1$L, ''pk''), (select coalesce(max(pk), 0) + 1 from %1$s), false)', one);
  end loop;
end $$`

/** An empty database for one test. */
export class PostgresDatabase implements AsyncDisposable {
  readonly name: string
  /** The URL for the role of the tests. */
  readonly url: string
  readonly #address: PostgresAddress
  /** The connection of `keep` and `restore`, which has the tables cached. */
  #keeper: Pool | undefined

  private constructor(address: PostgresAddress, name: string) {
    this.#address = address
    this.name = name
    this.url = urlOf(address, name)
  }

  /** Creates an empty database. @param address the server. @default that of the test run */
  static async make(address?: PostgresAddress): Promise<PostgresDatabase> {
    const server = address ?? (await sharedPostgres())
    const name = `test_${randomBytes(8).toString('hex')}`
    // By default, each new database would add eight megabytes to the write-ahead log.
    await getMaker(server).query(`create database ${name} owner ${ROLE} template template0 strategy file_copy`)
    return new PostgresDatabase(server, name)
  }

  /** Runs a query past the service. */
  rows<Row extends object>(sql: string, ...values: unknown[]): Promise<readonly Row[]> {
    return queryOnce<Row>(this.url, sql, values)
  }

  /** Saves the rows of its tables for {@link restore}. */
  async keep(): Promise<void> {
    this.#keeper ??= queryConnection(superuserUrlOf(this.#address, this.name))
    await this.#keeper.query(KEEP)
  }

  /** Restores the rows that {@link keep} saved. No service may be connected. */
  async restore(): Promise<void> {
    await this.#keeper?.query(RESTORE)
  }

  /** Drops the database and closes its connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keeper?.end()
    await getMaker(this.#address).query(`drop database if exists ${this.name} with (force)`)
  }
}

/** Returns the address of the session pool in front of the test run's server, which the first request starts. */
export const sharedPostgres = async (): Promise<PostgresAddress> => (await askForServer()).sessions

/** Returns the address of the server itself, for tests of signing in: each connection is a new session. */
export const barePostgres = async (): Promise<PostgresAddress> => (await askForServer()).server

function askForServer(): Promise<SharedPostgres> {
  shared ??= requestServer()
  return shared
}

async function requestServer(): Promise<SharedPostgres> {
  const response = await fetch(inject('postgresDoor'))
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as SharedPostgres
}

function getMaker(address: PostgresAddress): Pool {
  const existing = makers.get(address.port)
  if (existing) return existing
  const pool = new Pool({ connectionString: superuserUrlOf(address), max: 4, allowExitOnIdle: true })
  // An idle connection fails here when its server stops; the next query reports the same error.
  pool.on('error', () => {})
  makers.set(address.port, pool)
  return pool
}

/** A database for a service with one config. */
interface ReadyDatabase {
  readonly database: PostgresDatabase
  /** True if a service with this config has created its tables. */
  readonly isMade: boolean
}

/**
 * The databases of a test file. Creating one with its tables takes half a second, so the database of a closed service is restored and
 * reused for the next service with the same config.
 */
export class PostgresDatabases {
  readonly #all = new Set<PostgresDatabase>()
  readonly #idle = new Map<DaybookConfig, PostgresDatabase[]>()

  /** Takes a database in the state before its first request. */
  async take(config: DaybookConfig): Promise<ReadyDatabase> {
    const idle = this.#idle.get(config)?.pop()
    if (idle) {
      await idle.restore()
      return { database: idle, isMade: true }
    }
    const database = await PostgresDatabase.make()
    this.#all.add(database)
    return { database, isMade: false }
  }

  /** Returns a database without connections for reuse. */
  leave(config: DaybookConfig, database: PostgresDatabase): void {
    this.#idle.set(config, [...(this.#idle.get(config) ?? []), database])
  }

  async drop(): Promise<void> {
    await Promise.all([...this.#all].map((database) => database[Symbol.asyncDispose]()))
    this.#all.clear()
    this.#idle.clear()
  }
}
