import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { DaybookError } from '../errors.ts'
import { lruMax } from '../lru-max.ts'
import { getClientNetwork } from './client-network.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The maximum number of clients and accounts that are cached as rejected. */
const MAX_REFUSED = 10_000

/** The kind of an attempt: signing in to an account, or a request that sends a message to it. */
export type AttemptKind = 'sign-in' | 'message'

/** The maximum numbers of attempts, on all nodes together. */
export interface AttemptLimits {
  /** Attempts of one client to sign in or to register, per minute. */
  readonly perClient: number
  /** Attempts of all clients to sign in to one account, per minute. */
  readonly perAccount: number
  /** Requests of all clients that send a message to one account, per hour. */
  readonly messagesPerAccount: number
}

/**
 * Counts an attempt on all nodes together.
 *
 * @returns the time to wait if there were too many, in milliseconds, else 0
 */
export type CountAttempt = (attempt: {
  readonly key: string
  readonly max: number
  /** The time for which it counts, in milliseconds. */
  readonly ms: number
}) => Promise<number>

/** Limits attempts to sign in by client and by account, on all nodes together. */
export class SignInLimiter {
  readonly #takeAttempt: CountAttempt
  readonly #limits: AttemptLimits
  /** The time until which a client or an account is rejected without reading the store, in milliseconds since 1970. */
  readonly #refused = new LRUCache<string, number>(lruMax(MAX_REFUSED))

  constructor(takeAttempt: CountAttempt, limits: AttemptLimits) {
    this.#takeAttempt = takeAttempt
    this.#limits = limits
  }

  /**
   * Counts an attempt of a client.
   *
   * @param address of the client; clients without an address count as one
   * @throws RATE_LIMITED with `details.retryAfter` in seconds
   */
  async countClientAttempt(address: string | null): Promise<void> {
    await this.#take({ key: `sign-in ${getClientNetwork(address)}`, max: this.#limits.perClient, ms: MINUTE_MS })
  }

  /**
   * Counts an attempt with each named account. Accounts that do not exist count in the same way.
   *
   * @throws RATE_LIMITED with `details.retryAfter` in seconds
   */
  async countAccountAttempts(kind: AttemptKind, names: readonly string[]): Promise<void> {
    const { perAccount, messagesPerAccount } = this.#limits
    const limit = kind === 'sign-in' ? { max: perAccount, ms: MINUTE_MS } : { max: messagesPerAccount, ms: HOUR_MS }
    const keys = new Set(names.map((name) => `account ${kind} ${digestName(name)}`))
    for (const key of keys) await this.#take({ key, ...limit })
  }

  async #take(attempt: Parameters<CountAttempt>[0]): Promise<void> {
    const wait = this.#refusedFor(attempt.key) ?? (await this.#count(attempt))
    if (wait > 0) throw new DaybookError('RATE_LIMITED', undefined, { retryAfter: Math.ceil(wait / 1000) })
  }

  #refusedFor(key: string): number | undefined {
    const until = this.#refused.get(key)
    if (until === undefined) return undefined
    if (until > Date.now()) return until - Date.now()
    this.#refused.delete(key)
    return undefined
  }

  async #count(attempt: Parameters<CountAttempt>[0]): Promise<number> {
    const wait = await this.#takeAttempt(attempt)
    if (wait > 0) this.#refused.set(attempt.key, Date.now() + wait)
    return wait
  }
}

/** Returns a digest of an account name without case, so that the database contains no names, and none that are too long. */
function digestName(name: string): string {
  return createHash('sha256').update(name.trim().toLowerCase()).digest('base64url')
}
