import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { DaybookError } from '../errors.ts'
import { lruMax } from '../lru-max.ts'
import { getClientNetwork } from './client-network.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The most clients and accounts that are remembered as refused. */
const MAX_REFUSED = 10_000

/** An attempt to sign in to an account, or a request that sends it a message. */
export type AttemptKind = 'sign-in' | 'message'

/** How many attempts are admitted, on all nodes together. */
export interface AttemptLimits {
  /** Attempts of one client to sign in or to register, in a minute. */
  readonly perClient: number
  /** Attempts to sign in to one account, in a minute, whoever makes them. */
  readonly perAccount: number
  /** Requests that send a message to one account, in an hour, whoever makes them. */
  readonly messagesPerAccount: number
}

/**
 * Counts an attempt for all nodes together.
 *
 * @returns how long to wait when there were too many, in milliseconds, else 0
 */
export type CountAttempt = (attempt: {
  /** The account or the address that the attempts are counted for. */
  readonly key: string
  readonly max: number
  /** How long it counts, in milliseconds. */
  readonly ms: number
}) => Promise<number>

/** Bounds how often a client may try to sign in, and how often anyone may try with one account, whichever nodes they use. */
export class SignInLimiter {
  readonly #takeAttempt: CountAttempt
  readonly #limits: AttemptLimits
  /** Until when a client or an account is refused without asking the store again, in milliseconds since 1970. */
  readonly #refused = new LRUCache<string, number>(lruMax(MAX_REFUSED))

  constructor(takeAttempt: CountAttempt, limits: AttemptLimits) {
    this.#takeAttempt = takeAttempt
    this.#limits = limits
  }

  /**
   * Counts an attempt of a client.
   *
   * @param address of the client; clients without a known address count as one
   * @throws RATE_LIMITED with `details.retryAfter` in seconds
   */
  async countClientAttempt(address: string | null): Promise<void> {
    await this.#take({ key: `sign-in ${getClientNetwork(address)}`, max: this.#limits.perClient, ms: MINUTE_MS })
  }

  /**
   * Counts an attempt with each account that it names, in the same way with an account that does not exist.
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

/** A digest of the name of an account, the same in capitals and small letters: names of any length, and none in the database. */
function digestName(name: string): string {
  return createHash('sha256').update(name.trim().toLowerCase()).digest('base64url')
}
