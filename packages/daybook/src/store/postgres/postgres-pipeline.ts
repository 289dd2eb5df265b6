import type { Pool, PoolClient, QueryResult } from 'pg'
import { getSocket, type PostgresQuery, type QueryClass, type SendQuery, toQuery } from './postgres-connection.ts'

/** The maximum number of reads that share a connection. Each waits for those before it. */
const MAX_SHARED_READS = 8
/** The time after which the reads behind a slow one move to other connections, in milliseconds. */
const MAX_DELAY_MS = 250

interface OpenRead {
  readonly query: PostgresQuery
  resolve(result: QueryResult | Promise<QueryResult>): void
  reject(error: unknown): void
}

/**
 * Sends the reads of one turn of the event loop together, several on one connection. Most of the cost of a short read is the handling of
 * its messages by the system, the driver and PostgreSQL.
 */
export class ReadPipeline {
  readonly #pool: Pool
  readonly #Query: QueryClass
  readonly #sendAlone: SendQuery
  #waiting: OpenRead[] = []

  /**
   * @param pool connections that accept pipelined queries
   * @param askAlone sends a read on a connection that it has for itself
   */
  constructor(pool: Pool, Query: QueryClass, sendAlone: SendQuery) {
    this.#pool = pool
    this.#Query = Query
    this.#sendAlone = sendAlone
  }

  /** Sends a read, together with the others of this turn of the event loop. */
  send(query: PostgresQuery): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ query, resolve, reject })
      if (this.#waiting.length === 1) setImmediate(() => this.#sendAll())
    })
  }

  #sendAll(): void {
    const reads = this.#waiting
    this.#waiting = []
    for (let at = 0; at < reads.length; at += MAX_SHARED_READS) this.#send(reads.slice(at, at + MAX_SHARED_READS))
  }

  #send(reads: readonly OpenRead[]): void {
    this.#pool.connect((error, client) => {
      if (client) new SharedConnection(client, reads, this.#sendAlone).send(this.#Query)
      else for (const { reject } of reads) reject(error)
    })
  }
}

class SharedConnection {
  readonly #client: PoolClient
  /** The reads without a result, in the order in which they run. */
  readonly #open: Set<OpenRead>
  readonly #sendAlone: SendQuery
  readonly #timer: NodeJS.Timeout | undefined
  #isUnusable = false

  constructor(client: PoolClient, reads: readonly OpenRead[], sendAlone: SendQuery) {
    this.#client = client
    this.#open = new Set(reads)
    this.#sendAlone = sendAlone
    if (reads.length > 1) this.#timer = setTimeout(() => this.#checkDelay(), MAX_DELAY_MS)
  }

  send(Query: QueryClass): void {
    const socket = getSocket(this.#client)
    socket?.cork()
    for (const read of this.#open) {
      this.#client.query(toQuery(Query, read.query, (error, result) => this.#finish(read, error, result)))
    }
    socket?.uncork()
  }

  #finish(read: OpenRead, error: Error | undefined, result: QueryResult): void {
    if (!this.#open.delete(read)) return
    if (error) read.reject(error)
    else read.resolve(result)
    // The connection may have failed, so the other reads move.
    if (error) this.#resend(this.#open)
    if (this.#open.size > 0) this.#timer?.refresh()
    else this.#release()
  }

  /** Moves the reads behind a slow one. First lets the event loop read results that may have arrived. */
  #checkDelay(): void {
    const [running, ...behind] = this.#open
    setImmediate(() => {
      if (running && behind.length > 0 && this.#open.has(running)) this.#resend(behind)
    })
  }

  /** Sends reads on other connections. The results of this one are ignored, so it is closed at the end. */
  #resend(reads: Iterable<OpenRead>): void {
    this.#isUnusable = true
    for (const read of reads) {
      this.#open.delete(read)
      read.resolve(this.#sendAlone(read.query))
    }
  }

  #release(): void {
    clearTimeout(this.#timer)
    this.#client.release(this.#isUnusable)
  }
}
