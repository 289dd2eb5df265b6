import { LRUCache } from 'lru-cache'
import { lruMax } from '../lru-max.ts'
import type { Caller } from './adapter.ts'

/** The maximum age of a cached session, in milliseconds. A session that another node ended is invalid within a second. */
const MAX_SESSION_AGE_MS = 800
const MAX_CACHED_SESSIONS = 10_000

/** Recently looked up sessions, by credential. Every change of users or sessions clears the cache. */
export class SessionCache {
  readonly #callers = new LRUCache<string, Caller>({ ...lruMax(MAX_CACHED_SESSIONS), ttl: MAX_SESSION_AGE_MS })
  /** Running lookups, which principal and identity of a request share. */
  readonly #lookups = new Map<string, Promise<Caller | null>>()
  /** The number of calls of {@link clear}. Results of earlier lookups are not cached. */
  #generation = 0

  /** Returns the caller of a credential, from the cache or from `lookUp`. */
  async get(credential: string, lookUp: () => Promise<Caller | null>): Promise<Caller | null> {
    const cached = this.#callers.get(credential)
    if (cached) return cached
    const lookup = this.#lookups.get(credential) ?? this.#start(credential, lookUp)
    this.#lookups.set(credential, lookup)
    return lookup
  }

  async #start(credential: string, lookUp: () => Promise<Caller | null>): Promise<Caller | null> {
    const generation = this.#generation
    try {
      const caller = await lookUp()
      // Invalid credentials are not cached, because made-up ones would displace the others.
      if (caller && generation === this.#generation) this.#callers.set(credential, caller)
      return caller
    } finally {
      if (generation === this.#generation) this.#lookups.delete(credential)
    }
  }

  clear(): void {
    this.#generation += 1
    this.#callers.clear()
    this.#lookups.clear()
  }
}
