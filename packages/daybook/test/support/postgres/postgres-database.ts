import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { inject } from 'vitest'
import { type PostgresAddress, ROLE, type SharedPostgres, superuserUrlOf, urlOf } from './postgres-address.ts'
import { queryConnection, queryOnce } from './postgres-query.ts'

/** The server of the test run, asked for once in each test process. */
let shared: Promise<SharedPostgres> | undefined

/** Connections that make and drop databases, by server. */
const makers = new Map<number, Pool>()

/** Copies what is in the tables, in a schema of its own that no service looks into. */
const KEEP = `
create schema kept;
do $$ declare one text; has_rows boolean; begin
  for one in select tablename from pg_tables where schemaname = 'public' loop
    execute format('select exists (select from public.%I)', one) into has_rows;
    if has_rows then execute format('create table kept.%1$I as table public.%1$I', one); end if;
  end loop;
end $$`

/** Deleting is far faster than making empty tables; without triggers the order of the tables is all the same. */
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
  /** Its URL, as the role of the tests. */
  readonly url: string
  readonly #address: PostgresAddress
  /** It knows the tables already: another connection would look each of them up. */
  #keeper: Pool | undefined

  private constructor(address: PostgresAddress, name: string) {
    this.#address = address
    this.name = name
    this.url = urlOf(address, name)
  }

  /** Makes one. @param address where; the server of the test run by default */
  static async make(address?: PostgresAddress): Promise<PostgresDatabase> {
    const where = address ?? (await sharedPostgres())
    const name = `test_${randomBytes(8).toString('hex')}`
    // Copied as files: written to the log, as is the default, every database would be eight megabytes of it.
    await makerOf(where).query(`create database ${name} owner ${ROLE} template template0 strategy file_copy`)
    return new PostgresDatabase(where, name)
  }

  /** What a query finds, seen from outside the service. */
  rows<Row extends object>(sql: string, ...values: unknown[]): Promise<readonly Row[]> {
    return queryOnce<Row>(this.url, sql, values)
  }

  /** Remembers what its tables hold, for {@link restore}. */
  async keep(): Promise<void> {
    this.#keeper ??= queryConnection(superuserUrlOf(this.#address, this.name))
    await this.#keeper.query(KEEP)
  }

  /** Brings its tables back to what they held when {@link keep} was called; no service may be connected. */
  async restore(): Promise<void> {
    await this.#keeper?.query(RESTORE)
  }

  /** Drops it, connections and all. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keeper?.end()
    await makerOf(this.#address).query(`drop database if exists ${this.name} with (force)`)
  }
}

/** The server of the test run, behind what keeps its sessions; it starts when the first test asks for it. */
export const sharedPostgres = async (): Promise<PostgresAddress> => (await askForServer()).sessions

/** The same server itself, for what is about signing in: each connection is a new session. */
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

function makerOf(address: PostgresAddress): Pool {
  const known = makers.get(address.port)
  if (known) return known
  const pool = new Pool({ connectionString: superuserUrlOf(address), max: 4, allowExitOnIdle: true })
  // A connection that is idle when its server stops says so here; the next query says it again.
  pool.on('error', () => {})
  makers.set(address.port, pool)
  return pool
}
