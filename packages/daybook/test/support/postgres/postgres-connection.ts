import { Client, Pool, types } from 'pg'

/** The port of a PostgreSQL on 127.0.0.1, and the password of its roles. */
export interface PostgresAddress {
  readonly port: number
  readonly password: string
}

/** The server of a test run. */
export interface SharedPostgres {
  /** The session pool, which test services connect to. */
  readonly sessions: PostgresAddress
  /** The server itself. */
  readonly server: PostgresAddress
}

/** The role of tests and services. It owns its databases, and is no superuser. */
export const ROLE = 'daybook'

/** Returns the URL of a database for the role of the tests. */
export function urlOf({ port, password }: PostgresAddress, database: string): string {
  return `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`
}

export function superuserUrlOf({ port, password }: PostgresAddress, database = 'postgres'): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
}

/** The type id of `bigint`, which tests read as numbers. */
const BIGINT = 20
const TYPES = {
  getTypeParser: ((oid, format) =>
    oid === BIGINT ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
}

/** Runs one query on a new connection. */
export async function queryOnce<Row extends object>(
  url: string,
  sql: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url, types: TYPES })
  await client.connect()
  try {
    return (await client.query<Row>(sql, [...values])).rows
  } finally {
    await client.end()
  }
}

/** Returns a pool of one connection, which the first query opens. */
export function queryConnection(url: string): Pool {
  const pool = new Pool({ connectionString: url, types: TYPES, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // An idle connection that ends fails here; the next query opens another.
  pool.on('error', () => {})
  return pool
}
