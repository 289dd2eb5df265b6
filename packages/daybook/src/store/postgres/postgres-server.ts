import type { Client, ClientBase, ClientConfig, Pool, PoolConfig, QueryResult, Submittable } from 'pg'
import type { Connection } from '../connection.ts'
import type { PoolState } from '../database.ts'
import type { ServingProcess } from '../serving-process.ts'
import {
  createSender,
  PostgresConnection,
  type PostgresQuery,
  type QueryClass,
  type SendQuery,
  TYPE_PARSERS,
  toQuery,
} from './postgres-connection.ts'
import { isClash, isConnectionLoss } from './postgres-errors.ts'
import { destroyConnection, PostgresHealth } from './postgres-health.ts'
import { ReadPipeline } from './postgres-pipeline.ts'
import type { StatementTranslator } from './postgres-statements.ts'

/** The classes of the driver that are used. */
export interface Driver {
  readonly Client: typeof Client
  readonly Pool: typeof Pool
  readonly Query: QueryClass
}

const hasJournal = async (client: Client): Promise<boolean> =>
  (await client.query("SELECT to_regclass('daybook$head')::text AS name")).rows[0]?.name !== null

export interface ServerSettings {
  /** True if sessions can keep prepared statements. */
  readonly isPrepared: boolean
  /** The maximum number of reading connections. */
  readonly connections: number
  /** The time in which the server must respond before it counts as down, in milliseconds. */
  readonly responseTimeoutMs: number
  readonly translator: StatementTranslator
  /** This process, if it serves the database. */
  readonly service?: ServingProcess | undefined
  /** Called with the head of the journal when another node has added to it. */
  readonly onMove?: (seq: number) => void
  /** Called with the announcements of other nodes. */
  readonly onNotice?: (text: string) => void
}

/** The channel on which nodes send the head of the journal. */
export const JOURNAL_CHANNEL = 'daybook'
export const NOTICE_CHANNEL = 'daybook_notices'

const IDLE_CLIENT_MS = 30_000
/**
 * The settings of reading sessions. Parsing a document takes some ten microseconds, forty times the planner's estimate for an operator:
 * it would rather parse 200 entries than use the index of the 20 that match. Random pages cost little more than sequential ones, as most
 * are cached; otherwise, counting most entries would parse all of them. With the default of 4 MB, bitmap scans remember pages instead of
 * rows, and parse every document on them. JIT compilation takes longer than most statements.
 */
export const READ_SETTINGS: readonly string[] = [
  'cpu_operator_cost = 0.1',
  'random_page_cost = 1.1',
  "work_mem = '32MB'",
  'jit = off',
]

const tune = async (client: ClientBase): Promise<void> => {
  await client.query(READ_SETTINGS.map((setting) => `SET ${setting}`).join('; '))
}

/** Returns a class of clients that are in a set while they are open. */
function trackClients(Base: typeof Client, all: Set<Client>): typeof Client {
  return class extends Base {
    constructor(config?: ClientConfig) {
      super(config)
      all.add(this)
      this.once('end', () => all.delete(this))
      // The running statement fails with the same error.
      this.on('error', () => {})
    }
  }
}

/** Runs a query object on any connection of a pool, which the driver's types do not declare. */
const runOn = (pool: Pool, query: Submittable): Promise<QueryResult> =>
  pool.query(query) as Submittable & Promise<QueryResult>

/** One PostgreSQL server: its connections and its health. */
export class PostgresServer {
  readonly reader: PostgresConnection
  /** The connection for searches and filters, which plans each statement for its values. */
  readonly background: PostgresConnection
  readonly translator: StatementTranslator
  readonly #Client: typeof Client
  readonly #Pool: typeof Pool
  readonly #Query: QueryClass
  readonly #config: ClientConfig
  readonly #pools: Pool[] = []
  readonly #reads: Pool
  /** True if there is no pooler in between. */
  readonly #isDirect: boolean
  readonly #health: PostgresHealth
  readonly #service: ServingProcess | undefined
  /** All open connections, and those being opened. */
  readonly #clients = new Set<Client>()
  /** The last known head of the journal; -1 before there is a journal. */
  #head = -1
  #closing: Promise<void> | undefined

  constructor(
    driver: Driver,
    config: ClientConfig,
    { isPrepared, connections, responseTimeoutMs, translator, service, onMove, onNotice }: ServerSettings,
  ) {
    this.translator = translator
    this.#Client = trackClients(driver.Client, this.#clients)
    this.#Pool = driver.Pool
    this.#Query = driver.Query
    this.#isDirect = isPrepared
    this.#service = service
    this.#config = { ...config, types: TYPE_PARSERS }
    // A pooler would pass the settings of a session to its next client.
    this.#reads = this.#pool(connections, {
      ...this.#config,
      ...(isPrepared ? { onConnect: tune, pipeline: true } : {}),
    })
    this.#health = new PostgresHealth({
      connect: () => this.#connect(isPrepared ? onMove : undefined, onNotice),
      ping: (client) => this.#ping(client),
      onDown: () => this.#closeAll(),
      responseTimeoutMs,
    })
    const sendAlone: SendQuery = (query) => runOn(this.#reads, toQuery(this.#Query, query))
    const pipeline = new ReadPipeline(this.#reads, this.#Query, sendAlone)
    const sendPipelined: SendQuery = isPrepared ? (query) => pipeline.send(query) : sendAlone
    this.reader = new PostgresConnection((query) => this.#read(query, sendPipelined), isPrepared, translator)
    this.background = new PostgresConnection((query) => this.#read(query, sendAlone), false, translator)
  }

  get isUp(): boolean {
    return this.#health.isUp
  }

  /** The head of the journal at the last health check. */
  get head(): number {
    return this.#head
  }

  get poolState(): PoolState {
    const sum = (key: 'totalCount' | 'idleCount' | 'waitingCount'): number =>
      this.#pools.reduce((all, pool) => all + pool[key], 0)
    return { total: sum('totalCount'), idle: sum('idleCount'), waiting: sum('waitingCount') }
  }

  /** Resolves after the first health check. Then the service is registered, unless the server does not respond. */
  get firstHealthCheck(): Promise<void> {
    return this.#health.firstAttempt
  }

  /** @throws SERVICE_UNAVAILABLE while the server does not respond */
  requireUp(): void {
    this.#health.requireUp()
  }

  /** Runs a query regardless of the server's health. */
  query(text: string): Promise<QueryResult> {
    return this.#reads.query(text)
  }

  /** Returns a function that sends queries on a connection. */
  sender(client: ClientBase): SendQuery {
    return createSender(client, this.#Query)
  }

  /** Runs `work` in a new session, which ends with it. */
  async withSession<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    try {
      return await work(new PostgresConnection(this.sender(client), false, this.translator))
    } finally {
      await client.end()
    }
  }

  /**
   * Opens a pool of writing connections. Their statements have no timeout of the driver, since transactions have limits, and are sent
   * without waiting for the results of previous ones.
   */
  openWritePool(max: number): Pool {
    return this.#pool(max, { ...this.#config, query_timeout: 0, pipeline: this.#isDirect })
  }

  #pool(max: number, config: PoolConfig): Pool {
    const settings = { max, idleTimeoutMillis: IDLE_CLIENT_MS, Client: this.#Client }
    const pool = new this.#Pool({ ...config, ...settings } as PoolConfig)
    pool.on('error', () => {})
    this.#pools.push(pool)
    return pool
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    // The health check runs until the end, so that waiting requests fail if the server stops responding.
    await Promise.all(this.#pools.map((pool) => pool.end()))
    await this.#health.close()
    this.#closeAll()
  }

  /** @param onMove with it, the session listens to other nodes and registers the service */
  async #connect(onMove?: (seq: number) => void, onNotice?: (text: string) => void): Promise<Client> {
    const client = new this.#Client(this.#config)
    try {
      await client.connect()
      if (!onMove) return client
      client.on('notification', ({ channel, payload = '' }) =>
        channel === JOURNAL_CHANNEL ? onMove(Number(payload)) : onNotice?.(payload),
      )
      await client.query(`LISTEN ${JOURNAL_CHANNEL}; LISTEN ${NOTICE_CHANNEL}`)
      if (this.#service) await registerService(client, this.#service)
      return client
    } catch (error) {
      destroyConnection(client)
      throw error
    }
  }

  async #ping(client: Client): Promise<void> {
    if (this.#head < 0 && !(await hasJournal(client))) return
    const { rows } = await client.query<{ seq: number }>('SELECT seq FROM daybook$head')
    this.#head = rows[0]?.seq ?? -1
  }

  /** @throws SERVICE_UNAVAILABLE at once while the server does not respond */
  #read(query: PostgresQuery, send: SendQuery): Promise<QueryResult> {
    this.#health.requireUp()
    // A read can be repeated after a lost connection or a deadlock.
    return send(query).catch((error) =>
      isConnectionLoss(error) || isClash(error) ? this.#retryRead(query) : Promise.reject(error),
    )
  }

  /** Repeats a read on a new connection, since those of the pool may be lost, too, without having noticed. */
  async #retryRead(query: PostgresQuery): Promise<QueryResult> {
    this.#health.requireUp()
    const client = await this.#connect()
    try {
      return await this.sender(client)(query)
    } finally {
      destroyConnection(client)
    }
  }

  /** Closes all connections, so that running statements fail at once. */
  #closeAll(): void {
    for (const client of this.#clients) destroyConnection(client)
  }
}

/** The first key of the shared locks of services in this schema. The second is the digest of their config. */
const LOCK_CLASS = "hashtext('daybook service ' || current_schema())"

/** Takes the lock, and adds the name of the process to that of the application, which has at most 63 bytes. */
const REGISTER = `SELECT pg_try_advisory_lock_shared(${LOCK_CLASS}, $2),
  set_config('application_name', left(current_setting('application_name'), 62 - length($1)) || ' ' || $1, false)`
const MAX_PROCESS_NAME = 50

/** Lists a process among the services of the database for as long as the session lasts. */
async function registerService(client: Client, { name, config }: ServingProcess): Promise<void> {
  // Cuts the start of a long host name; the process id must stay.
  await client.query(REGISTER, [name.slice(-MAX_PROCESS_NAME), Number.parseInt(config, 16) | 0])
}

/** Lists the locks of services. `pg_locks` shows keys as unsigned numbers. */
const LIST = `SELECT substring(application_name FROM '\\S+$') AS name, lpad(to_hex(objid::bigint), 8, '0') AS config
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND objsubid = 2 AND classid::bigint = ${LOCK_CLASS}::bigint & 4294967295 AND datname = current_database()`

export async function listServices(query: (text: string) => Promise<QueryResult>): Promise<readonly ServingProcess[]> {
  const { rows } = await query(LIST)
  return rows as readonly ServingProcess[]
}
