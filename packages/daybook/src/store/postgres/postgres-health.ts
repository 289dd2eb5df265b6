import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Client } from 'pg'
import { DaybookError } from '../../errors.ts'
import { getSocket } from './postgres-connection.ts'
import { getErrorCode } from './postgres-errors.ts'

const CHECK_INTERVAL_MS = 250
/** The pause before the next attempt to connect, in milliseconds. */
const HEALTH_RETRY_MS = 250
/** The SQLSTATE of a session that an administrator ended (PostgreSQL's appendix A). */
const ADMIN_SHUTDOWN = '57P01'

export interface WatchedServer {
  /** Opens a connection, or fails within a timeout. */
  connect(): Promise<Client>
  ping(client: Client): Promise<unknown>
  /** Called when the server stops responding. */
  onDown(): void
  readonly responseTimeoutMs: number
}

/**
 * Watches if a server responds. A separate connection polls it, so that an outage is noticed at once for all requests, instead of by each
 * request after its own timeout.
 */
export class PostgresHealth {
  readonly #server: WatchedServer
  readonly #ended = new AbortController()
  readonly #watching: Promise<void>
  readonly #firstAttempt = Promise.withResolvers<void>()
  #failure: unknown
  #hasResponded = false

  constructor(server: WatchedServer) {
    this.#server = server
    this.#watching = this.#watch()
  }

  /** Resolves when the first attempt to connect has succeeded or failed. */
  get firstAttempt(): Promise<void> {
    return this.#firstAttempt.promise
  }

  get isUp(): boolean {
    return this.#failure === undefined
  }

  /** @throws SERVICE_UNAVAILABLE while the server does not respond */
  requireUp(): void {
    if (this.#failure) throw new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, this.#failure)
  }

  async close(): Promise<void> {
    this.#ended.abort()
    await this.#watching
  }

  async #watch(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      try {
        const client = await this.#connect().finally(() => this.#firstAttempt.resolve())
        this.#failure = undefined
        this.#hasResponded = true
        await this.#listen(client)
      } catch (error) {
        this.#fail(error)
      }
      await this.#pause(HEALTH_RETRY_MS)
    }
  }

  /** Connects, and retries once if an administrator ended the session: the second attempt shows if the server is shutting down. */
  #connect(): Promise<Client> {
    return this.#server.connect().catch((error) => {
      if (getErrorCode(error) !== ADMIN_SHUTDOWN) throw error
      return this.#server.connect()
    })
  }

  /** Polls until the connection ends, which need not affect others. Rejects if the server does not respond. */
  async #listen(client: Client): Promise<void> {
    let isLost = false
    client.on('error', () => {
      isLost = true
    })
    try {
      while (!this.#ended.signal.aborted && !isLost) {
        const response = this.#server.ping(client).then(
          () => true,
          () => false,
        )
        if (!(await this.#withTimeout(response))) return
        await this.#pause(CHECK_INTERVAL_MS)
      }
    } finally {
      destroyConnection(client)
    }
  }

  async #withTimeout<T>(response: Promise<T>): Promise<T> {
    const { responseTimeoutMs } = this.#server
    const late = Symbol('late')
    const clock = new AbortController()
    const first = await Promise.race([
      response,
      sleep(responseTimeoutMs, late, { signal: clock.signal }).catch(() => late),
    ])
    clock.abort()
    if (first !== late) return first as T
    // If this process was busy, the response may have arrived unread.
    await turn()
    await turn()
    const second = await Promise.race([response, turn(late)])
    if (second === late) throw new Error(`PostgreSQL did not respond within ${responseTimeoutMs} ms.`)
    return second as T
  }

  #fail(error: unknown): void {
    const wasUp = this.isUp && this.#hasResponded
    this.#failure = error
    if (wasUp) this.#server.onDown()
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#ended.signal, ref: false }).catch(() => {})
  }
}

/** Closes a connection without waiting for the server. */
export function destroyConnection(client: object): void {
  getSocket(client)?.destroy()
}
