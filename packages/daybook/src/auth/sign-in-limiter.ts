import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { DaybookError } from '../errors.ts'
import { upTo } from '../lru-bounds.ts'

/** How long an attempt counts, in milliseconds. */
const WINDOW_MS = 60_000
/** The most clients that are remembered as refused. */
const MAX_REFUSED = 10_000

/**
 * Counts an attempt for all nodes together.
 *
 * @returns how long to wait when there were too many, in milliseconds, else 0
 */
export type TakeAttempt = (attempt: {
  /** The account or the address that the attempts are counted for. */
  readonly key: string
  readonly max: number
  /** How long it counts, in milliseconds. */
  readonly ms: number
}) => Promise<number>

/** Bounds how often a client may try to sign in, whichever node it asks. */
export class SignInLimiter {
  readonly #takeAttempt: TakeAttempt
  readonly #max: number
  /** Until when a client is refused without asking the store again, in milliseconds since 1970. */
  readonly #refused = new LRUCache<string, number>(upTo(MAX_REFUSED))

  /** @param max attempts a minute of one client */
  constructor(takeAttempt: TakeAttempt, max: number) {
    this.#takeAttempt = takeAttempt
    this.#max = max
  }

  /**
   * Counts one attempt.
   *
   * @param address of the client; clients without a known address count as one
   * @throws RATE_LIMITED with `details.retryAfter` in seconds
   */
  async take(address: string | null): Promise<void> {
    const key = `sign-in ${networkOf(address)}`
    const wait = this.#known(key) ?? (await this.#count(key))
    if (wait > 0) throw new DaybookError('RATE_LIMITED', undefined, { retryAfter: Math.ceil(wait / 1000) })
  }

  #known(key: string): number | undefined {
    const until = this.#refused.get(key)
    if (until === undefined) return undefined
    if (until > Date.now()) return until - Date.now()
    this.#refused.delete(key)
    return undefined
  }

  async #count(key: string): Promise<number> {
    const wait = await this.#takeAttempt({ key, max: this.#max, ms: WINDOW_MS })
    if (wait > 0) this.#refused.set(key, Date.now() + wait)
    return wait
  }
}

/** The network of one client: an address of IPv4, or a network of IPv6 with 64 bits (RFC 6177), however either is written. */
export function networkOf(address: string | null): string {
  if (address === null || isIP(address) === 0) return 'unknown'
  const known = ipaddr.process(address)
  if (!(known instanceof ipaddr.IPv6)) return known.toString()
  const network = known.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
