import type { ClientConfig } from 'pg'
import { StartupError } from '../../errors.ts'
import type { Driver } from './postgres-server.ts'

/** How PostgreSQL is used. */
export interface PostgresOptions {
  /** Copies of the database that stream from it, as URLs: they answer what readers without a session ask. @default none */
  readonly replicas?: readonly string[]
  /** Connections that read, to the database and to each replica; writing takes up to two more, and watching one. @default 10 */
  readonly connections?: number
  /**
   * What stands between the service and the server: `'transaction'` is PgBouncer (or the like) in transaction mode. Nothing is then kept
   * in a session, and other nodes' changes are noticed by looking once a second instead of by `LISTEN`. @default 'none'
   */
  readonly pooler?: 'none' | 'transaction'
  /** `ca`, `cert` and `key`, as Node's `tls.connect` has them, besides the URL's `sslmode`. @default as in the URL */
  readonly ssl?: boolean | { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** How long one statement may run, in milliseconds. @default 10,000 */
  readonly statementMs?: number
  /**
   * How long the server may take to answer, in milliseconds: then it counts as gone, and requests that wait for it are 503 within as
   * long again. @default 1,000
   */
  readonly answerMs?: number
}

/** Connections that read, where nothing else is said. */
export const DEFAULT_CONNECTIONS = 10
const DEFAULT_STATEMENT_MS = 10_000
/** How long the server may take to answer, where nothing else is said, in milliseconds. */
export const DEFAULT_POSTGRES_ANSWER_MS = 1000
/** How many times as long it may take to make a connection. */
const CONNECT_FACTOR = 1.5
/** How long a write waits for those of other nodes, in milliseconds. */
const LOCK_MS = 4000
/** How long a transaction may wait for a node that has stopped moving, in milliseconds. */
const STALLED_MS = 5000

/**
 * Loads the driver, which is an optional peer.
 *
 * @throws {StartupError} when it is not installed
 */
export async function loadDriver(): Promise<Driver> {
  try {
    return (await import('pg')).default
  } catch (error) {
    throw new StartupError(`PostgreSQL needs its driver. Run: npm install pg (${(error as Error).message})`)
  }
}

/** How connections are made. */
export function clientConfig(
  url: string,
  { pooler = 'none', ssl, statementMs = DEFAULT_STATEMENT_MS, answerMs = DEFAULT_POSTGRES_ANSWER_MS }: PostgresOptions,
): ClientConfig {
  const config: ClientConfig = {
    connectionString: url,
    application_name: 'daybook',
    connectionTimeoutMillis: CONNECT_FACTOR * answerMs,
    keepAlive: true,
  }
  if (ssl !== undefined) config.ssl = ssl
  // Behind a pooler, a session's settings go to its next user: here only the driver's patience can end.
  if (pooler === 'transaction') return { ...config, query_timeout: statementMs }
  return {
    ...config,
    statement_timeout: statementMs,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: STALLED_MS,
  }
}

/** The settings of each transaction where those of the session cannot be set. */
export function transactionLimits({
  pooler = 'none',
  statementMs = DEFAULT_STATEMENT_MS,
}: PostgresOptions): readonly string[] {
  if (pooler === 'none') return []
  return [
    `SET LOCAL lock_timeout = ${LOCK_MS}`,
    `SET LOCAL statement_timeout = ${Math.floor(statementMs)}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${STALLED_MS}`,
  ]
}
