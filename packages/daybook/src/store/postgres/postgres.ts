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
  DEFAULT_RESPONSE_TIMEOUT_MS,
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
 * Stores content in PostgreSQL, 14 or newer, instead of the embedded file.
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

const toNotify = (text: string): string => `NOTIFY ${NOTICE_CHANNEL}, '${text.replaceAll("'", "''")}'`

/** @throws {StartupError} if the server cannot be used, with advice */
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

export class PostgresDatabase implements Database {
  readonly dialect: Dialect
  readonly reader: PostgresConnection
  readonly background: PostgresConnection
  readonly #server: PostgresServer
  readonly #replicas: readonly PostgresReplica[]
  readonly #writer: PostgresWriter
  readonly #isPrepared: boolean
  readonly #listeners = new Set<(text: string) => void>()
  readonly #announcements: Announcements = {
    // Announcements may be lost.
    send: (topic, text) => void this.#server.query(toNotify(`${topic} ${text}`)).catch(() => {}),
    listen: (topic, listener) => {
      const prefix = `${topic} `
      const receive = (payload: string): void => {
        if (payload.startsWith(prefix)) listener(payload.slice(prefix.length))
      }
      this.#listeners.add(receive)
      return () => this.#listeners.delete(receive)
    },
  }
  readonly #watch: GrowthWatch
  readonly #shown: string
  readonly #snapshot: () => Promise<Snapshot>
  #turn = 0

  /** @param shown the URL without the password, for errors */
  constructor(driver: Driver, url: string, shown: string, options: PostgresOptions & Pick<StoreOptions, 'service'>) {
    const {
      pooler = 'none',
      replicas = [],
      connections = DEFAULT_CONNECTIONS,
      responseMs: responseTimeoutMs = DEFAULT_RESPONSE_TIMEOUT_MS,
    } = options
    const names = new PostgresNames()
    const settings = {
      isPrepared: pooler === 'none',
      connections,
      responseTimeoutMs,
      translator: new StatementTranslator(names),
    }
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
        for (const receive of this.#listeners) receive(text)
      },
    })
    this.#watch = new GrowthWatch(async () => (await this.reader.get(JOURNAL_HEAD))?.seq ?? 0)
    this.#writer = new PostgresWriter(this.#server, options, hint)
    this.reader = this.#server.reader
    this.background = this.#server.background
    this.#replicas = replicas.map(
      (replica) =>
        new PostgresReplica(
          redactUrl(replica),
          new PostgresServer(driver, clientConfig(replica, options), settings),
          this,
        ),
    )
  }

  get statementCount(): number {
    return this.reader.statementCount + this.background.statementCount + this.#writer.statementCount
  }

  get poolState(): PoolState {
    return this.#server.poolState
  }

  get replicas(): readonly ReplicaState[] {
    return this.#replicas
  }

  replicaAt(seq: number): Database | undefined {
    const current = this.#replicas.filter((replica) => replica.has(seq))
    this.#turn += 1
    return current[this.#turn % current.length]
  }

  /** Absent behind a pooler, which may give each statement another session, so that none can listen. */
  get announcements(): Announcements | undefined {
    return this.#isPrepared ? this.#announcements : undefined
  }

  /** @throws {StartupError} if the database cannot be used */
  async check(): Promise<void> {
    await checkDatabase((text) => this.#server.query(text), this.#shown)
    await this.#server.firstHealthCheck
  }

  transaction<T>(work: (writer: WriteConnection) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#writer.write(work, options)
  }

  /** @throws {StartupError} if the connection is lost; then all changes are stored, or none */
  alter<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    return this.#writer.alter(work).catch((error) => {
      throw toStartupError(isUnavailable(error) ? error.cause : error, this.#shown) ?? error
    })
  }

  /** Absent behind a pooler, which may give each statement another session, so that none can hold the lock. */
  get runOutsideTransaction(): Database['runOutsideTransaction'] {
    if (!this.#isPrepared) return undefined
    return (work) =>
      this.#server.withSession(async (connection) => {
        await lockAlter(connection)
        await work(connection)
      })
  }

  /** Absent behind a pooler, where no service has a session to register in. */
  get listServices(): Database['listServices'] {
    return this.#isPrepared ? () => listServices((text) => this.#server.query(text)) : undefined
  }

  onGrowth(listener: GrowthListener, after?: number): () => void {
    return this.#watch.listen(listener, after)
  }

  /** @throws SERVICE_UNAVAILABLE if the server does not respond */
  async snapshot(): Promise<Snapshot> {
    this.#server.requireUp()
    return this.#snapshot()
  }

  async close(): Promise<void> {
    await this.#writer.drained()
    this.#watch.close()
    await Promise.all([this.#server, ...this.#replicas].map((part) => part.close()))
  }
}
