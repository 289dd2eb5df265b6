import type { ClientConfig, Pool, PoolClient, QueryResult } from 'pg'
import { DaybookError, StartupError } from '../errors.ts'
import type { Database, DatabaseSource, WriteConnection } from './database.ts'
import type { Dialect } from './dialect.ts'
import type { Ledger } from './ledger.ts'
import { type PostgresConnection, PostgresTransaction } from './postgres-connection.ts'
import { POSTGRES } from './postgres-dialect.ts'
import { isClash, isConnectionLoss, translate } from './postgres-errors.ts'
import { destroy } from './postgres-health.ts'
import { isStored } from './postgres-outcome.ts'
import { PostgresReplica } from './postgres-replica.ts'
import { type Driver, PostgresServer } from './postgres-server.ts'
import { checkDatabase, shownUrl, toStartupError } from './postgres-start.ts'

/** How PostgreSQL is used. */
export interface PostgresOptions {
  /** Copies of the database that stream from it, as URLs: they answer what readers without a session ask. @default none */
  readonly replicas?: readonly string[]
  /** Connections that read; writing takes up to two more, and watching one. @default 10 */
  readonly connections?: number
  /**
   * What stands between the service and the server: `'transaction'` is PgBouncer (or the like) in transaction mode,
   * where nothing may be kept in a session. @default 'none'
   */
  readonly pooler?: 'none' | 'transaction'
  /** What TLS takes besides the URL's `sslmode`, as Node's `tls.connect` has it. */
  readonly ssl?: boolean | { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** How long one statement may run, in milliseconds. @default 10,000 */
  readonly statementMs?: number
}

const CONNECT_MS = 1500
/** How long a write waits for those of other nodes, in milliseconds. */
const LOCK_MS = 4000
/** How long a transaction may wait for a node that has stopped moving, in milliseconds. */
const STALLED_MS = 5000
/** The most writes that share one commit. */
const MAX_GROUP = 64
const USUAL_CONNECTIONS = 10
/** One that writes, and one that finds out what became of a write. */
const WRITERS = 2
const USUAL_STATEMENT_MS = 10_000

/**
 * Keeps content in PostgreSQL, 14 or newer, instead of the embedded file.
 *
 * @param url `postgres://user:password@host:5432/database`, usually `process.env.DATABASE_URL`
 *
 * @example
 * ```ts
 * import { postgres } from 'daybook/postgres'
 *
 * export default defineConfig({ database: postgres(process.env.DATABASE_URL), collections })
 * ```
 */
export function postgres(url: string | undefined, options: PostgresOptions = {}): DatabaseSource {
  return { open: () => openPostgres(url, options) }
}

/** @throws {StartupError} when the server cannot be used, with what to do about it */
async function openPostgres(url: string | undefined, options: PostgresOptions): Promise<PostgresStore> {
  const shown = shownUrl(url)
  const driver = await loadDriver()
  const store = new PostgresStore(driver, String(url), shown, options)
  try {
    await store.check()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

async function loadDriver(): Promise<Driver> {
  try {
    return (await import('pg')).default
  } catch (error) {
    throw new StartupError(`PostgreSQL needs its driver. Run: npm install pg (${(error as Error).message})`)
  }
}

/** Content in PostgreSQL. Writes of one node share a transaction; writes of all nodes take turns. */
export class PostgresStore implements Database {
  readonly dialect: Dialect = POSTGRES
  readonly reader: PostgresConnection
  readonly slow: PostgresConnection
  readonly #server: PostgresServer
  readonly #replicas: readonly PostgresReplica[]
  readonly #writes: Pool
  readonly #isPrepared: boolean
  readonly #begin: string
  readonly #shown: string
  readonly #queue: Job[] = []
  #draining: Promise<void> | undefined
  #written = 0
  #turn = 0

  /** @param shown the URL as errors may show it */
  constructor(driver: Driver, url: string, shown: string, options: PostgresOptions) {
    this.#shown = shown
    const { pooler = 'none', replicas = [], connections = USUAL_CONNECTIONS } = options
    const settings = { isPrepared: pooler === 'none', connections }
    this.#isPrepared = settings.isPrepared
    this.#begin = beginText(options)
    this.#server = new PostgresServer(driver, clientConfig(url, options), settings)
    this.#writes = this.#server.writers(WRITERS)
    this.reader = this.#server.reader
    this.slow = this.#server.slow
    this.#replicas = replicas.map(
      (one) => new PostgresReplica(new PostgresServer(driver, clientConfig(one, options), settings), this),
    )
  }

  get executed(): number {
    return this.reader.executed + this.slow.executed + this.#written
  }

  /** Connections, for those who watch the service. */
  get poolState(): { readonly total: number; readonly idle: number; readonly waiting: number } {
    return this.#server.poolState
  }

  near(seq: number): Database | undefined {
    const fit = this.#replicas.filter((one) => one.has(seq))
    this.#turn += 1
    return fit[this.#turn % fit.length]
  }

  /** @throws {StartupError} when the database is not fit for what is stored */
  check(): Promise<void> {
    return checkDatabase((text) => this.#server.query(text), this.#shown)
  }

  transaction<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      this.#draining ??= this.#drain()
    })
  }

  /** @throws {StartupError} when the database goes away meanwhile; nothing has changed then, or everything */
  async alter<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    const results: T[] = []
    const job: Job = { work, resolve: (value) => results.push(value as T), reject: () => {} }
    const outcomes = await this.#together(ALTER, [job]).catch((error: unknown) => {
      throw toStartupError(isUnavailable(error) ? error.cause : error, this.#shown) ?? error
    })
    for (const settle of outcomes) settle()
    return results[0] as T
  }

  async close(): Promise<void> {
    await this.#draining
    await Promise.all([this.#server, ...this.#replicas].map((one) => one.close()))
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const size = this.#queue[0]?.isAlone ? 1 : MAX_GROUP
      await this.#commitGroup(this.#queue.splice(0, size))
    }
    this.#draining = undefined
  }

  /** Nothing of a transaction that was lost or undone is stored, so it is begun once more. */
  async #commitGroup(group: readonly Job[]): Promise<void> {
    const outcomes = await this.#together(this.#begin, group)
      .catch((error) => (isUndone(error) ? this.#together(this.#begin, group) : Promise.reject(error)))
      .catch((error: unknown) => error)
    if (Array.isArray(outcomes)) for (const settle of outcomes) settle()
    else if (outcomes instanceof Spoiled) this.#queue.unshift(...group.map((job) => ({ ...job, isAlone: true })))
    else this.#refuse(group, translate(outcomes))
  }

  /** Whoever waits behind a failure that may pass would wait for nothing but the same. */
  #refuse(group: readonly Job[], error: unknown): void {
    for (const { reject } of group) reject(error)
    if (!isUnavailable(error)) return
    const refusal = new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error)
    for (const { reject } of this.#queue.splice(0)) reject(refusal)
  }

  /** Runs jobs in one transaction. One that fails after it has changed something takes the others with it. */
  async #together(begin: string, group: readonly Job[]): Promise<readonly (() => void)[]> {
    this.#server.demand()
    const client = await this.#writes.connect()
    let failure: unknown
    try {
      const transaction = await this.#open(client, begin)
      const outcomes: (() => void)[] = []
      for (const job of group) outcomes.push(await attempt(transaction, job, group.length > 1))
      await transaction.ledger.settle()
      this.#written += transaction.executed
      await this.#commit(client, transaction.ledger)
      return outcomes
    } catch (error) {
      failure = error
      if (!isLost(error)) await client.query('ROLLBACK').catch(() => {})
      throw error
    } finally {
      client.release(failure !== undefined && isLost(failure))
    }
  }

  async #open(client: PoolClient, begin: string): Promise<PostgresTransaction> {
    const results = (await client.query(begin)) as unknown as readonly QueryResult[]
    const head = results.at(-1)?.rows[0]?.seq
    return new PostgresTransaction(client, this.#isPrepared, head === undefined ? undefined : Number(head))
  }

  /** @throws SERVICE_UNAVAILABLE with `details.outcome` `unknown` when nobody can tell whether it is stored */
  async #commit(client: PoolClient, { last }: Ledger): Promise<void> {
    try {
      const { command } = await client.query('COMMIT')
      // So says the server of a transaction in which a statement failed, whoever kept silent about it.
      if (command === 'ROLLBACK') throw new Error('The transaction was rolled back, as a statement in it had failed.')
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      const outcome = await isStored(() => this.#writes.connect(), last)
      if (outcome === undefined) throw inDoubt(error)
      if (!outcome) throw error
      // It is stored; only the connection is gone.
      destroy(client)
    }
  }
}

interface Job {
  /** Whether it shares its transaction with nobody. */
  readonly isAlone?: boolean
  readonly work: (writer: WriteConnection) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** A job that failed half-way has spoiled the transaction that it shared. */
class Spoiled extends Error {
  override readonly name = 'Spoiled'
}

async function attempt(
  transaction: PostgresTransaction,
  { work, resolve, reject }: Job,
  isShared: boolean,
): Promise<() => void> {
  const { ledger } = transaction
  const { mark } = ledger
  transaction.begin()
  try {
    const value = await work(transaction)
    return () => resolve(value)
  } catch (error) {
    if (!isShared || (transaction.isTouched && isUnavailable(error))) throw error
    if (transaction.isTouched) throw new Spoiled()
    ledger.back(mark)
    return () => reject(error)
  }
}

const isUnavailable = (error: unknown): error is DaybookError =>
  error instanceof DaybookError && error.code === 'SERVICE_UNAVAILABLE'

/** Whether something holds for an error or for what caused it, unless nobody knows what is stored. */
function isCertain(error: unknown, is: (error: unknown) => boolean): boolean {
  if (error instanceof DaybookError && error.details.outcome === 'unknown') return false
  return is(error) || (error instanceof Error && is(error.cause))
}

/** Whether the transaction ended with its connection. */
const isLost = (error: unknown): boolean => isCertain(error, isConnectionLoss)

/** Whether the transaction ended, and another attempt may fare better. */
const isUndone = (error: unknown): boolean => isLost(error) || isCertain(error, isClash)

const inDoubt = (cause: unknown): DaybookError =>
  new DaybookError(
    'SERVICE_UNAVAILABLE',
    'The connection was lost while this was being stored; whether it was is not known. Read before you send it again.',
    { outcome: 'unknown' },
    cause,
  )

function clientConfig(url: string, { pooler = 'none', ssl, statementMs = USUAL_STATEMENT_MS }: PostgresOptions) {
  const config: ClientConfig = {
    connectionString: url,
    application_name: 'daybook',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  }
  if (ssl !== undefined) config.ssl = ssl
  // Behind a pooler, what a session is told goes to whoever gets it next: here only the driver's patience can end.
  if (pooler === 'transaction') return { ...config, query_timeout: statementMs }
  return {
    ...config,
    statement_timeout: statementMs,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: STALLED_MS,
  }
}

const LOCK_HEAD = 'SELECT seq FROM daybook$head FOR UPDATE'
/** Nodes that start at once make their tables one after the other, however long it takes, and in turn with those that write. */
const ALTER = `BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SELECT pg_advisory_xact_lock(hashtext('daybook'), hashtext(current_schema()));
  DO $$ BEGIN IF to_regclass('daybook$head') IS NOT NULL THEN PERFORM seq FROM daybook$head FOR UPDATE; END IF; END $$`

/** Writers take turns from their first statement on: what one reads, no other changes before it is done. */
function beginText({ pooler = 'none', statementMs = USUAL_STATEMENT_MS }: PostgresOptions): string {
  const limits =
    pooler === 'none'
      ? []
      : [
          `SET LOCAL lock_timeout = ${LOCK_MS}`,
          `SET LOCAL statement_timeout = ${Math.floor(statementMs)}`,
          `SET LOCAL idle_in_transaction_session_timeout = ${STALLED_MS}`,
        ]
  return ['BEGIN', ...limits, LOCK_HEAD].join('; ')
}
