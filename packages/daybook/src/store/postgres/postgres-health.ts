import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Client } from 'pg'
import { DaybookError } from '../../errors.ts'
import { getSocket } from './postgres-connection.ts'
import { getErrorCode } from './postgres-errors.ts'

/** How often the server is asked whether it answers, in milliseconds. */
const BEAT_MS = 250
/** How long to wait before the next attempt to reach it, in milliseconds. */
const HEALTH_RETRY_MS = 250
/** PostgreSQL's appendix A: an administrator ended this session, or all of them. */
const ADMIN_SHUTDOWN = '57P01'

/** A server as its health is watched. */
export interface WatchedServer {
  /** Opens a connection, or fails within a bounded time. */
  connect(): Promise<Client>
  /** Asks it something short. */
  ping(client: Client): Promise<unknown>
  /** Called when it stops answering. */
  onDown(): void
  /** How long its answer may take, in milliseconds. */
  readonly answerMs: number
}

/**
 * Knows whether the server answers. A connection of its own asks it again and again, so that a server which is gone,
 * or lets everything wait, is noticed by all at once instead of by each request after its own time-out.
 */
export class PostgresHealth {
  readonly #server: WatchedServer
  readonly #ended = new AbortController()
  readonly #watching: Promise<void>
  readonly #firstAttempt = Promise.withResolvers<void>()
  #failure: unknown
  #hasAnswered = false

  constructor(server: WatchedServer) {
    this.#server = server
    this.#watching = this.#watch()
  }

  /** Resolves when the first attempt to connect has ended, well or not. */
  get firstAttempt(): Promise<void> {
    return this.#firstAttempt.promise
  }

  get isUp(): boolean {
    return this.#failure === undefined
  }

  /** @throws SERVICE_UNAVAILABLE while the server does not answer */
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
        this.#hasAnswered = true
        await this.#listen(client)
      } catch (error) {
        this.#fail(error)
      }
      await this.#pause(HEALTH_RETRY_MS)
    }
  }

  /** An administrator may end a session as it begins: the next one tells whether the server goes away. */
  #connect(): Promise<Client> {
    return this.#server.connect().catch((error) => {
      if (getErrorCode(error) !== ADMIN_SHUTDOWN) throw error
      return this.#server.connect()
    })
  }

  /** Resolves when the connection ended, which may have been its own fault alone; rejects when there was no answer. */
  async #listen(client: Client): Promise<void> {
    let isLost = false
    client.on('error', () => {
      isLost = true
    })
    try {
      while (!this.#ended.signal.aborted && !isLost) {
        const answer = this.#server.ping(client).then(
          () => true,
          () => false,
        )
        if (!(await this.#within(answer))) return
        await this.#pause(BEAT_MS)
      }
    } finally {
      destroyConnection(client)
    }
  }

  async #within<T>(answer: Promise<T>): Promise<T> {
    const { answerMs } = this.#server
    const late = Symbol('late')
    const clock = new AbortController()
    const first = await Promise.race([answer, sleep(answerMs, late, { signal: clock.signal }).catch(() => late)])
    clock.abort()
    if (first !== late) return first as T
    // When this process itself was busy, the answer may be there already.
    await turn()
    await turn()
    const second = await Promise.race([answer, turn(late)])
    if (second === late) throw new Error(`PostgreSQL did not answer within ${answerMs} ms.`)
    return second as T
  }

  #fail(error: unknown): void {
    const wasUp = this.isUp && this.#hasAnswered
    this.#failure = error
    if (wasUp) this.#server.onDown()
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#ended.signal, ref: false }).catch(() => {})
  }
}

/** Cuts a connection without waiting for the other side. */
export function destroyConnection(client: object): void {
  getSocket(client)?.destroy()
}
