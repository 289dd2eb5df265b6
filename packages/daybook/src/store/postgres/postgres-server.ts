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

/** The part of the driver that is used. */
export interface Driver {
  readonly Client: typeof Client
  readonly Pool: typeof Pool
  readonly Query: QueryClass
}

const hasJournal = async (client: Client): Promise<boolean> =>
  (await client.query("SELECT to_regclass('daybook$head')::text AS name")).rows[0]?.name !== null

/** How a server is used. */
export interface ServerSettings {
  /** Whether sessions may keep prepared statements. */
  readonly isPrepared: boolean
  /** Connections that read. */
  readonly connections: number
  /** How long it may take to answer before it counts as gone, in milliseconds. */
  readonly answerMs: number
  readonly texts: StatementTranslator
  /** This process, if it serves the database. */
  readonly service?: ServingProcess | undefined
  /** Called when other nodes say that the journal has come to a number. */
  readonly onMove?: (seq: number) => void
  /** Called with what other nodes announce. */
  readonly onNotice?: (text: string) => void
}

/** Where nodes say to each other how far the journal has come. */
export const JOURNAL_CHANNEL = 'daybook'
/** Where they announce what is not stored. */
export const NOTICE_CHANNEL = 'daybook_notices'

const IDLE_CLIENT_MS = 30_000
/**
 * The settings of sessions that read. To look inside a document costs some ten microseconds, forty times what the server
 * takes an operator for: it would rather look into 200 entries than follow the index that has the 20 wanted ones. A page out of
 * order costs little more than the next one, as most are in memory: else it would look into all entries to count most of them.
 * With 4 MB to count in it remembers pages instead of rows, and looks into every document on them. Compiling takes longer than
 * most statements run.
 */
export const READ_SETTINGS: readonly string[] = [
  'cpu_operator_cost = 0.1',
  'random_page_cost = 1.1',
  "work_mem = '32MB'",
  'jit = off',
]

const tune = async (client: ClientBase): Promise<void> => {
  await client.query(READ_SETTINGS.map((one) => `SET ${one}`).join('; '))
}

/** Clients that are in a set from their making to their end. */
function tracked(Base: typeof Client, all: Set<Client>): typeof Client {
  return class extends Base {
    constructor(config?: ClientConfig) {
      super(config)
      all.add(this)
      this.once('end', () => all.delete(this))
      // The statement that runs on the connection fails with the same error.
      this.on('error', () => {})
    }
  }
}

/** Runs a query on any connection of a pool; the types of the driver do not know that it takes one that is made. */
const runOn = (pool: Pool, query: Submittable): Promise<QueryResult> =>
  pool.query(query) as Submittable & Promise<QueryResult>

/** One PostgreSQL server: its connections, and whether it answers. */
export class PostgresServer {
  readonly reader: PostgresConnection
  /** Plans each statement for its values: for searches and filters. */
  readonly background: PostgresConnection
  readonly texts: StatementTranslator
  readonly #Client: typeof Client
  readonly #Pool: typeof Pool
  readonly #Query: QueryClass
  readonly #config: ClientConfig
  readonly #pools: Pool[] = []
  readonly #reads: Pool
  /** Whether no pooler stands in between. */
  readonly #isDirect: boolean
  readonly #health: PostgresHealth
  readonly #service: ServingProcess | undefined
  /** Every connection that is open, or about to be. */
  readonly #clients = new Set<Client>()
  /** The last number of its journal that was seen; unknown before there is a journal. */
  #head = -1
  #closing: Promise<void> | undefined

  constructor(
    driver: Driver,
    config: ClientConfig,
    { isPrepared, connections, answerMs, texts, service, onMove, onNotice }: ServerSettings,
  ) {
    this.texts = texts
    this.#Client = tracked(driver.Client, this.#clients)
    this.#Pool = driver.Pool
    this.#Query = driver.Query
    this.#isDirect = isPrepared
    this.#service = service
    this.#config = { ...config, types: TYPE_PARSERS }
    // A pooler hands a session to its next client, settings included.
    this.#reads = this.#pool(connections, {
      ...this.#config,
      ...(isPrepared ? { onConnect: tune, pipeline: true } : {}),
    })
    this.#health = new PostgresHealth({
      connect: () => this.#connect(isPrepared ? onMove : undefined, onNotice),
      ping: (client) => this.#beat(client),
      onDown: () => this.#cutAll(),
      answerMs,
    })
    const alone: SendQuery = (query) => runOn(this.#reads, toQuery(this.#Query, query))
    const pipeline = new ReadPipeline(this.#reads, this.#Query, alone)
    const together: SendQuery = isPrepared ? (query) => pipeline.send(query) : alone
    this.reader = new PostgresConnection((query) => this.#read(query, together), isPrepared, texts)
    this.background = new PostgresConnection((query) => this.#read(query, alone), false, texts)
  }

  get isUp(): boolean {
    return this.#health.isUp
  }

  /** The last number of its journal, as it was when it last answered. */
  get head(): number {
    return this.#head
  }

  get poolState(): PoolState {
    const sum = (key: 'totalCount' | 'idleCount' | 'waitingCount'): number =>
      this.#pools.reduce((all, pool) => all + pool[key], 0)
    return { total: sum('totalCount'), idle: sum('idleCount'), waiting: sum('waitingCount') }
  }

  /** Resolves after the first attempt to watch it: then the service is registered, unless the server does not answer. */
  get firstHealthCheck(): Promise<void> {
    return this.#health.firstAttempt
  }

  /** @throws SERVICE_UNAVAILABLE while it does not answer */
  requireUp(): void {
    this.#health.requireUp()
  }

  /** Asks whatever the server's health is. */
  query(text: string): Promise<QueryResult> {
    return this.#reads.query(text)
  }

  /** Sends queries on one of its connections. */
  sender(client: ClientBase): SendQuery {
    return createSender(client, this.#Query)
  }

  /** Gives `work` a session of its own, which ends with it. */
  async withSession<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    try {
      return await work(new PostgresConnection(this.sender(client), false, this.texts))
    } finally {
      await client.end()
    }
  }

  /**
   * Opens a pool of connections that write: statements have no timeout, as their transaction has limits of
   * its own. Statements are sent without waiting for the answer to those before.
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
    // It is watched to the end: requests that still wait learn when no answer will come.
    await Promise.all(this.#pools.map((pool) => pool.end()))
    await this.#health.close()
    this.#cutAll()
  }

  /** @param onMove listens to other nodes, which takes a session of one's own, and registers the service there */
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

  async #beat(client: Client): Promise<void> {
    if (this.#head < 0 && !(await hasJournal(client))) return
    const { rows } = await client.query<{ seq: number }>('SELECT seq FROM daybook$head')
    this.#head = rows[0]?.seq ?? -1
  }

  /** @throws SERVICE_UNAVAILABLE at once while it does not answer */
  #read(query: PostgresQuery, send: SendQuery): Promise<QueryResult> {
    this.#health.requireUp()
    // Reading changes nothing, so a lost connection is no reason to give up, nor is a deadlock.
    return send(query).catch((error) =>
      isConnectionLoss(error) || isClash(error) ? this.#readAnew(query) : Promise.reject(error),
    )
  }

  /** Asks on a connection of its own: those of the pool may be lost, too, and not know it yet. */
  async #readAnew(query: PostgresQuery): Promise<QueryResult> {
    this.#health.requireUp()
    const client = await this.#connect()
    try {
      return await this.sender(client)(query)
    } finally {
      destroyConnection(client)
    }
  }

  /** Destroys every connection, so that statements under way fail at once. */
  #cutAll(): void {
    for (const client of this.#clients) destroyConnection(client)
  }
}

/** The first key of the shared locks of services in this schema. The second is the digest of their config. */
const LOCK_CLASS = "hashtext('daybook service ' || current_schema())"

/** A name of an application has 63 bytes at most, and those of the process come last. */
const REGISTER = `SELECT pg_try_advisory_lock_shared(${LOCK_CLASS}, $2),
  set_config('application_name', left(current_setting('application_name'), 62 - length($1)) || ' ' || $1, false)`
/** The longest name of a process, in characters. */
const MAX_PROCESS_NAME = 50

/** Lists a process among the services of the database for as long as the session lasts. */
async function registerService(client: Client, { name, config }: ServingProcess): Promise<void> {
  // The start of a long name of a host can be spared; the id of the process cannot.
  await client.query(REGISTER, [name.slice(-MAX_PROCESS_NAME), Number.parseInt(config, 16) | 0])
}

/** Locks have their keys as numbers without a sign. */
const LIST = `SELECT substring(application_name FROM '\\S+$') AS name, lpad(to_hex(objid::bigint), 8, '0') AS config
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND objsubid = 2 AND classid::bigint = ${LOCK_CLASS}::bigint & 4294967295 AND datname = current_database()`

/** Lists the services of the database. */
export async function listServices(query: (text: string) => Promise<QueryResult>): Promise<readonly ServingProcess[]> {
  const { rows } = await query(LIST)
  return rows as readonly ServingProcess[]
}
