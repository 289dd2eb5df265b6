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

/** Returns the URL of a database for the superuser. */
export function superuserUrlOf({ port, password }: PostgresAddress, database = 'postgres'): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
}
