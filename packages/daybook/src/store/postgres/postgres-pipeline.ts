import type { Pool, PoolClient, QueryResult } from 'pg'
import { getSocket, type PostgresQuery, type QueryClass, type SendQuery, toQuery } from './postgres-connection.ts'

/** How many reads share a connection at most: each waits for those before it. */
const MAX_TOGETHER = 8
/** How long one of them may run before those behind it are asked elsewhere, in milliseconds. */
const HELD_UP_MS = 250

/** A read that is not answered yet. */
interface OpenRead {
  readonly query: PostgresQuery
  resolve(result: QueryResult | Promise<QueryResult>): void
  reject(error: unknown): void
}

/**
 * Sends the reads of one turn of the event loop together, several on one connection: most of what a short read costs is its way, as the system,
 * the driver and PostgreSQL handle a message for each, and back.
 */
export class ReadPipeline {
  readonly #pool: Pool
  readonly #Query: QueryClass
  readonly #askAlone: SendQuery
  #waiting: OpenRead[] = []

  /**
   * @param pool of connections that take a query before they have answered another
   * @param askAlone sends a read on a connection that it has for itself
   */
  constructor(pool: Pool, Query: QueryClass, askAlone: SendQuery) {
    this.#pool = pool
    this.#Query = Query
    this.#askAlone = askAlone
  }

  /** @param query one that takes long holds up others, for a while */
  send(query: PostgresQuery): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ query, resolve, reject })
      if (this.#waiting.length === 1) setImmediate(() => this.#sendAll())
    })
  }

  #sendAll(): void {
    const reads = this.#waiting
    this.#waiting = []
    for (let at = 0; at < reads.length; at += MAX_TOGETHER) this.#send(reads.slice(at, at + MAX_TOGETHER))
  }

  #send(reads: readonly OpenRead[]): void {
    this.#pool.connect((error, client) => {
      if (client) new SharedConnection(client, reads, this.#askAlone).send(this.#Query)
      else for (const { reject } of reads) reject(error)
    })
  }
}

/** A connection while reads share it. */
class SharedConnection {
  readonly #client: PoolClient
  /** In the order in which they run. */
  readonly #open: Set<OpenRead>
  readonly #askAlone: SendQuery
  readonly #timer: NodeJS.Timeout | undefined
  #isToEnd = false

  constructor(client: PoolClient, reads: readonly OpenRead[], askAlone: SendQuery) {
    this.#client = client
    this.#open = new Set(reads)
    this.#askAlone = askAlone
    if (reads.length > 1) this.#timer = setTimeout(() => this.#look(), HELD_UP_MS)
  }

  send(Query: QueryClass): void {
    const socket = getSocket(this.#client)
    socket?.cork()
    for (const read of this.#open) {
      this.#client.query(toQuery(Query, read.query, (error, result) => this.#settle(read, error, result)))
    }
    socket?.uncork()
  }

  #settle(read: OpenRead, error: Error | undefined, result: QueryResult): void {
    if (!this.#open.delete(read)) return
    if (error) read.reject(error)
    else read.resolve(result)
    // It may have been the connection's fault.
    if (error) this.#askElsewhere(this.#open)
    if (this.#open.size > 0) this.#timer?.refresh()
    else this.#release()
  }

  /** Answers may have come that this process had no time to read: the turn of the event loop before the immediate reads them. */
  #look(): void {
    const [running, ...behind] = this.#open
    setImmediate(() => {
      if (running && behind.length > 0 && this.#open.has(running)) this.#askElsewhere(behind)
    })
  }

  /** Lets go of what is still answered here. */
  #askElsewhere(reads: Iterable<OpenRead>): void {
    this.#isToEnd = true
    for (const read of reads) {
      this.#open.delete(read)
      read.resolve(this.#askAlone(read.query))
    }
  }

  #release(): void {
    clearTimeout(this.#timer)
    this.#client.release(this.#isToEnd)
  }
}
