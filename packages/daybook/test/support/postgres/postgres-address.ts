/** Where a PostgreSQL listens on 127.0.0.1, and the password of its roles. */
export interface PostgresAddress {
  readonly port: number
  readonly password: string
}

/** The server of a test run. */
export interface SharedPostgres {
  /** Where its sessions are kept: services of tests come in here. */
  readonly sessions: PostgresAddress
  /** The server itself. */
  readonly server: PostgresAddress
}

/** The role of tests and services: it owns its databases, and is no superuser. */
export const ROLE = 'daybook'

/** The URL of a database, as the role of the tests sees it. */
export function urlOf({ port, password }: PostgresAddress, database: string): string {
  return `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`
}

/** The URL of a database, as the superuser sees it. */
export function superuserUrlOf({ port, password }: PostgresAddress, database = 'postgres'): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
}
