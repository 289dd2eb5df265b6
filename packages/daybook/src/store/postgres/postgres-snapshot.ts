import type { Client } from 'pg'
import type { Snapshot } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { createSender, PostgresConnection, type QueryClass, TYPE_PARSERS } from './postgres-connection.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { clientConfig, loadDriver, type PostgresOptions } from './postgres-options.ts'
import { redactUrl, toStartupError } from './postgres-startup.ts'
import { PostgresNames, StatementTranslator } from './postgres-statements.ts'

class PostgresSnapshot extends PostgresConnection implements Snapshot {
  readonly dialect: Dialect
  readonly #client: Client

  constructor(client: Client, Query: QueryClass) {
    const names = new PostgresNames()
    super(createSender(client, Query), false, new StatementTranslator(names))
    this.dialect = postgresDialect(names)
    this.#client = client
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}

/** Begins a read-only transaction without timeouts, since the reader may be slow. */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT 1`

/**
 * Opens a snapshot of a database, while others write to it.
 *
 * @throws {StartupError} if it cannot be read, with advice
 */
export async function snapshotPostgres(url: string | undefined, options: PostgresOptions = {}): Promise<Snapshot> {
  const shown = redactUrl(url)
  const { Client, Query } = await loadDriver()
  // The pooler option keeps state out of the session, so that there can be a pooler. No timeout: a new table may be slow to read.
  const config = clientConfig(String(url), { ...options, pooler: 'transaction', statementMs: 0 })
  const client = new Client({ ...config, types: TYPE_PARSERS })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(BEGIN)
    return new PostgresSnapshot(client, Query)
  } catch (error) {
    await client.end().catch(() => {})
    throw toStartupError(error, shown) ?? error
  }
}
