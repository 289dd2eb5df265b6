import { isIPv4, isIPv6 } from 'node:net'
import { DaybookError } from '../errors.ts'

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
  /** Whose it is. */
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
  readonly #refused = new Map<string, number>()

  /** @param max attempts a minute of one client */
  constructor(takeAttempt: TakeAttempt, max: number) {
    this.#takeAttempt = takeAttempt
    this.#max = max
  }

  /**
   * Counts one attempt.
   *
   * @param address of the client; those that nobody knows are one client
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
    if (this.#refused.size >= MAX_REFUSED) this.#refused.clear()
    if (wait > 0) this.#refused.set(key, Date.now() + wait)
    return wait
  }
}

/** What one client has: an address of IPv4, or a network of IPv6 with 64 bits (RFC 6177), however either is written. */
export function networkOf(address: string | null): string {
  if (address === null) return 'unknown'
  if (isIPv4(address)) return address
  const bare = address.replace(/%.*$/, '')
  if (!isIPv6(bare)) return 'unknown'
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  const groups = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => '0'), ...last]
  return mappedIPv4(groups) ?? `${groups.slice(0, 4).join(':')}::/64`
}

/** `::ffff:192.0.2.1` is an address of IPv4 (RFC 4291, section 2.5.5.2). */
function mappedIPv4(groups: readonly string[]): string | undefined {
  if (groups.slice(0, 5).some((one) => one !== '0') || groups[5] !== 'ffff') return undefined
  const bytes = groups.slice(6).flatMap((one) => {
    const value = Number.parseInt(one, 16)
    return [value >> 8, value & 255]
  })
  return bytes.join('.')
}
