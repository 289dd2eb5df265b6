import type { ClientConfig } from 'pg'
import { StartupError } from '../../errors.ts'
import type { Driver } from './postgres-server.ts'

/** The options of PostgreSQL. */
export interface PostgresOptions {
  /** The URLs of streaming replicas, which serve requests without a session. @default none */
  readonly replicas?: readonly string[]
  /** The maximum number of reading connections, to the database and to each replica. Writing uses up to two more, and watching one. @default 10 */
  readonly connections?: number
  /**
   * The connection pooler between the service and the server: `'transaction'` for PgBouncer or the like in transaction mode. Sessions then
   * keep no state, and changes of other nodes are noticed by polling once a second instead of by `LISTEN`. @default 'none'
   */
  readonly pooler?: 'none' | 'transaction'
  /** `ca`, `cert` and `key`, as Node's `tls.connect` has them, besides the URL's `sslmode`. @default as in the URL */
  readonly ssl?: boolean | { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** The timeout of a statement, in milliseconds. @default 10,000 */
  readonly statementMs?: number
  /**
   * The time in which the server must respond, in milliseconds. After that, it counts as down, and waiting requests are 503 within the same
   * time again. @default 1,000
   */
  readonly responseMs?: number
}

export const DEFAULT_CONNECTIONS = 10
const DEFAULT_STATEMENT_MS = 10_000
/** The default of `responseMs`, in milliseconds. */
export const DEFAULT_RESPONSE_TIMEOUT_MS = 1000
/** The timeout of a connection attempt, as a multiple of `responseMs`. */
const CONNECT_FACTOR = 1.5
/** The time for which a write waits for those of other nodes, in milliseconds. */
const LOCK_MS = 4000
/** The time after which the idle transaction of a stalled node is ended, in milliseconds. */
const STALLED_MS = 5000

/**
 * Loads the driver, an optional peer dependency.
 *
 * @throws {StartupError} if it is not installed
 */
export async function loadDriver(): Promise<Driver> {
  try {
    return (await import('pg')).default
  } catch (error) {
    throw new StartupError(`PostgreSQL needs its driver. Run: npm install pg (${(error as Error).message})`)
  }
}

export function clientConfig(
  url: string,
  {
    pooler = 'none',
    ssl,
    statementMs = DEFAULT_STATEMENT_MS,
    responseMs: responseTimeoutMs = DEFAULT_RESPONSE_TIMEOUT_MS,
  }: PostgresOptions,
): ClientConfig {
  const config: ClientConfig = {
    connectionString: url,
    application_name: 'daybook',
    connectionTimeoutMillis: CONNECT_FACTOR * responseTimeoutMs,
    keepAlive: true,
  }
  if (ssl !== undefined) config.ssl = ssl
  // Behind a pooler, the settings of a session would affect its next client, so only the driver's timeout is set.
  if (pooler === 'transaction') return { ...config, query_timeout: statementMs }
  return {
    ...config,
    statement_timeout: statementMs,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: STALLED_MS,
  }
}

/** Returns the settings of each transaction behind a pooler, where those of the session cannot be set. */
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
