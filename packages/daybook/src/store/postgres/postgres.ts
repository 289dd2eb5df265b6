import type {
  Announcements,
  Database,
  DatabaseSource,
  PoolState,
  ReplicaState,
  Snapshot,
  StoreOptions,
  TransactionOptions,
  WriteConnection,
} from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { type GrowthListener, GrowthWatch } from '../growth-watch.ts'
import { JOURNAL_HEAD } from '../writes/commit-batch.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { postgresDialect } from './postgres-dialect.ts'
import {
  clientConfig,
  DEFAULT_CONNECTIONS,
  DEFAULT_POSTGRES_ANSWER_MS,
  loadDriver,
  type PostgresOptions,
} from './postgres-options.ts'
import { PostgresReplica } from './postgres-replica.ts'
import { type Driver, listServices, NOTICE_CHANNEL, PostgresServer } from './postgres-server.ts'
import { snapshotPostgres } from './postgres-snapshot.ts'
import { checkDatabase, redactUrl, toStartupError } from './postgres-startup.ts'
import { PostgresNames, StatementTranslator } from './postgres-statements.ts'
import { isUnavailable, lockAlter, PostgresWriter } from './postgres-writer.ts'

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
  return {
    open: ({ service } = {}) => openPostgres(url, options, service),
    snapshot: () => snapshotPostgres(url, options),
  }
}

const notify = (text: string): string => `NOTIFY ${NOTICE_CHANNEL}, '${text.replaceAll("'", "''")}'`

/** @throws {StartupError} when the server cannot be used, with what to do about it */
export async function openPostgres(
  url: string | undefined,
  options: PostgresOptions,
  service?: StoreOptions['service'],
): Promise<PostgresDatabase> {
  const shown = redactUrl(url)
  for (const [index, replica] of (options.replicas ?? []).entries()) redactUrl(replica, `replicas[${index}]`)
  const driver = await loadDriver()
  const store = new PostgresDatabase(driver, String(url), shown, { ...options, service })
  try {
    await store.check()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Content in PostgreSQL. Writes of one node share a transaction; writes of all nodes take turns. */
export class PostgresDatabase implements Database {
  readonly dialect: Dialect
  readonly reader: PostgresConnection
  readonly background: PostgresConnection
  readonly #server: PostgresServer
  readonly #replicas: readonly PostgresReplica[]
  readonly #writer: PostgresWriter
  readonly #isPrepared: boolean
  readonly #hearers = new Set<(text: string) => void>()
  readonly #announcements: Announcements = {
    // What is lost is said again.
    send: (topic, text) => void this.#server.query(notify(`${topic} ${text}`)).catch(() => {}),
    listen: (topic, listener) => {
      const prefix = `${topic} `
      const hear = (payload: string): void => {
        if (payload.startsWith(prefix)) listener(payload.slice(prefix.length))
      }
      this.#hearers.add(hear)
      return () => this.#hearers.delete(hear)
    },
  }
  readonly #watch: GrowthWatch
  readonly #shown: string
  readonly #snapshot: () => Promise<Snapshot>
  #turn = 0

  /** @param shown the URL as errors may show it */
  constructor(driver: Driver, url: string, shown: string, options: PostgresOptions & Pick<StoreOptions, 'service'>) {
    const {
      pooler = 'none',
      replicas = [],
      connections = DEFAULT_CONNECTIONS,
      answerMs = DEFAULT_POSTGRES_ANSWER_MS,
    } = options
    const names = new PostgresNames()
    const settings = { isPrepared: pooler === 'none', connections, answerMs, texts: new StatementTranslator(names) }
    this.dialect = postgresDialect(names)
    const hint = (seq: number): void => this.#watch.hint(seq)
    this.#shown = shown
    this.#snapshot = () => snapshotPostgres(url, options)
    this.#isPrepared = settings.isPrepared
    this.#server = new PostgresServer(driver, clientConfig(url, options), {
      ...settings,
      service: options.service,
      onMove: hint,
      onNotice: (text) => {
        for (const hear of this.#hearers) hear(text)
      },
    })
    this.#watch = new GrowthWatch(async () => (await this.reader.get(JOURNAL_HEAD))?.seq ?? 0)
    this.#writer = new PostgresWriter(this.#server, options, hint)
    this.reader = this.#server.reader
    this.background = this.#server.background
    this.#replicas = replicas.map(
      (one) =>
        new PostgresReplica(redactUrl(one), new PostgresServer(driver, clientConfig(one, options), settings), this),
    )
  }

  get statementCount(): number {
    return this.reader.statementCount + this.background.statementCount + this.#writer.statementCount
  }

  /** Connections, for metrics. */
  get poolState(): PoolState {
    return this.#server.poolState
  }

  get replicas(): readonly ReplicaState[] {
    return this.#replicas
  }

  replicaAt(seq: number): Database | undefined {
    const fit = this.#replicas.filter((one) => one.has(seq))
    this.#turn += 1
    return fit[this.#turn % fit.length]
  }

  /** A pooler may give each statement another session, so that none could listen. */
  get announcements(): Announcements | undefined {
    return this.#isPrepared ? this.#announcements : undefined
  }

  /** @throws {StartupError} when the database is not fit for what is stored */
  async check(): Promise<void> {
    await checkDatabase((text) => this.#server.query(text), this.#shown)
    await this.#server.firstHealthCheck
  }

  transaction<T>(work: (writer: WriteConnection) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#writer.write(work, options)
  }

  /** @throws {StartupError} when the database goes away meanwhile; nothing has changed then, or everything */
  alter<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    return this.#writer.alter(work).catch((error) => {
      throw toStartupError(isUnavailable(error) ? error.cause : error, this.#shown) ?? error
    })
  }

  /** A pooler may give each statement another session, so that none could hold the lock. */
  get runOutsideTransaction(): Database['runOutsideTransaction'] {
    if (!this.#isPrepared) return undefined
    return (work) =>
      this.#server.withSession(async (connection) => {
        await lockAlter(connection)
        await work(connection)
      })
  }

  /** Behind a pooler, no service has a session that could say so. */
  get listServices(): Database['listServices'] {
    return this.#isPrepared ? () => listServices((text) => this.#server.query(text)) : undefined
  }

  onGrowth(listener: GrowthListener, after?: number): () => void {
    return this.#watch.listen(listener, after)
  }

  /** @throws SERVICE_UNAVAILABLE when the server does not answer */
  async snapshot(): Promise<Snapshot> {
    this.#server.requireUp()
    return this.#snapshot()
  }

  async close(): Promise<void> {
    await this.#writer.drained()
    this.#watch.close()
    await Promise.all([this.#server, ...this.#replicas].map((one) => one.close()))
  }
}
