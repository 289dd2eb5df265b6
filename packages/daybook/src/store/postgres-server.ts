import type { Client, ClientConfig, Pool, PoolConfig, QueryResult, QueryResultRow } from 'pg'
import type { Connection, PoolState } from './database.ts'
import { PostgresConnection, type Query, TYPES } from './postgres-connection.ts'
import { isConnectionLoss } from './postgres-errors.ts'
import { destroy, PostgresHealth } from './postgres-health.ts'

/** What of the driver is used. */
export interface Driver {
  readonly Client: typeof Client
  readonly Pool: typeof Pool
}

const hasJournal = async (client: Client): Promise<boolean> =>
  (await client.query("SELECT to_regclass('daybook$head')::text AS name")).rows[0]?.name !== null

/** How a server is used. */
export interface ServerSettings {
  /** Whether sessions may keep prepared statements. */
  readonly isPrepared: boolean
  /** Connections that read. */
  readonly connections: number
  /** Called when other nodes say that the journal has come to a number. */
  readonly onMove?: (seq: number) => void
}

/** Where nodes say to each other how far the journal has come. */
export const CHANNEL = 'daybook'

const IDLE_MS = 30_000

/** One PostgreSQL server: its connections, and whether it answers. */
export class PostgresServer {
  readonly reader: PostgresConnection
  /** Plans each statement for its values: for searches and filters. */
  readonly slow: PostgresConnection
  readonly #driver: Driver
  readonly #config: ClientConfig
  readonly #pools: Pool[] = []
  readonly #reads: Pool
  readonly #health: PostgresHealth
  readonly #clients = new Set<object>()
  /** The last number of its journal that was seen; unknown before there is a journal. */
  #head = -1

  constructor(driver: Driver, config: ClientConfig, { isPrepared, connections, onMove }: ServerSettings) {
    this.#driver = driver
    this.#config = { ...config, types: TYPES }
    this.#reads = this.pool(connections)
    this.#health = new PostgresHealth({
      connect: () => this.#connect(isPrepared ? onMove : undefined),
      ask: (client) => this.#beat(client),
      onDown: () => this.#cutAll(),
    })
    const ask = (query: Query): Promise<QueryResult> => this.#read(query)
    this.reader = new PostgresConnection(ask, isPrepared)
    this.slow = new PostgresConnection(ask, false)
  }

  get isUp(): boolean {
    return this.#health.isUp
  }

  /** The last number of its journal, as it was half a second ago or later. */
  get head(): number {
    return this.#head
  }

  get poolState(): PoolState {
    const sum = (key: 'totalCount' | 'idleCount' | 'waitingCount'): number =>
      this.#pools.reduce((all, pool) => all + pool[key], 0)
    return { total: sum('totalCount'), idle: sum('idleCount'), waiting: sum('waitingCount') }
  }

  /** @throws SERVICE_UNAVAILABLE while it does not answer */
  demand(): void {
    this.#health.demand()
  }

  query<Row extends QueryResultRow>(text: string): Promise<QueryResult<Row>> {
    return this.#reads.query<Row>(text)
  }

  /** Gives `work` a session of its own, which ends with it. */
  async session<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    try {
      return await work(new PostgresConnection((query) => client.query({ ...query, values: [...query.values] }), false))
    } finally {
      await client.end()
    }
  }

  /** Opens another pool of connections. */
  pool(max: number): Pool {
    const pool = new this.#driver.Pool({ ...this.#config, max, idleTimeoutMillis: IDLE_MS } as PoolConfig)
    pool.on('connect', (client) => {
      this.#clients.add(client)
      client.on('error', () => {})
    })
    pool.on('remove', (client) => this.#clients.delete(client))
    pool.on('error', () => {})
    this.#pools.push(pool)
    return pool
  }

  async close(): Promise<void> {
    await this.#health.close()
    await Promise.all(this.#pools.map((pool) => pool.end()))
  }

  /** @param onMove listens to other nodes, which takes a session of one's own */
  async #connect(onMove?: (seq: number) => void): Promise<Client> {
    const client = new this.#driver.Client(this.#config)
    client.on('error', () => {})
    await client.connect()
    if (!onMove) return client
    client.on('notification', ({ payload }) => onMove(Number(payload)))
    await client.query(`LISTEN ${CHANNEL}`)
    return client
  }

  async #beat(client: Client): Promise<void> {
    if (this.#head < 0 && !(await hasJournal(client))) return
    const { rows } = await client.query<{ seq: number }>('SELECT seq FROM daybook$head')
    this.#head = rows[0]?.seq ?? -1
  }

  async #read(query: Query): Promise<QueryResult> {
    const ask = (): Promise<QueryResult> => {
      this.#health.demand()
      return this.#reads.query({ ...query, values: [...query.values] })
    }
    // Reading changes nothing, so a lost connection is no reason to give up.
    return ask().catch((error) => (isConnectionLoss(error) ? ask() : Promise.reject(error)))
  }

  /** Whoever waits for an answer learns at once that none will come. */
  #cutAll(): void {
    for (const client of this.#clients) destroy(client)
  }
}
