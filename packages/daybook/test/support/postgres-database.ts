import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { inject } from 'vitest'
import { type PostgresAddress, ROLE, superuserUrlOf, urlOf } from './postgres-address.ts'
import { queryOnce } from './postgres-query.ts'

/** The server of the test run, asked for once in each test process. */
let shared: Promise<PostgresAddress> | undefined

/** Connections that make and drop databases, by server. */
const makers = new Map<number, Pool>()

/** An empty database for one test. */
export class PostgresDatabase implements AsyncDisposable {
  readonly name: string
  /** Its URL, as the role of the tests. */
  readonly url: string
  readonly #address: PostgresAddress

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

  /** Drops it, whoever is connected. */
  async [Symbol.asyncDispose](): Promise<void> {
    await makerOf(this.#address).query(`drop database if exists ${this.name} with (force)`)
  }
}

/** The server of the test run; it starts when the first test asks for it. */
export function sharedPostgres(): Promise<PostgresAddress> {
  shared ??= askForServer()
  return shared
}

async function askForServer(): Promise<PostgresAddress> {
  const response = await fetch(inject('postgresDoor'))
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as PostgresAddress
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
