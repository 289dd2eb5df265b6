import { LRUCache } from 'lru-cache'
import { lruMax } from '../lru-max.ts'
import type { Caller } from './adapter.ts'

/** How long a session is believed without asking, in milliseconds: one that another node ended is over within a second. */
const MAX_SESSION_AGE_MS = 800
const MAX_CACHED_SESSIONS = 10_000

/** Sessions that were looked up a moment ago, by credential. Every change of users or sessions clears it. */
export class SessionCache {
  readonly #found = new LRUCache<string, Caller>({ ...lruMax(MAX_CACHED_SESSIONS), ttl: MAX_SESSION_AGE_MS })
  /** Looked up right now: principal and identity of a request are asked for at once. */
  readonly #underWay = new Map<string, Promise<Caller | null>>()
  /** Changes with each {@link clear}: what was looked up before that is not kept. */
  #age = 0

  /** The caller of a credential; `look` finds it when the cache does not hold it. */
  async get(credential: string, look: () => Promise<Caller | null>): Promise<Caller | null> {
    const known = this.#found.get(credential)
    if (known) return known
    const others = this.#underWay.get(credential)
    if (others) return others
    const own = this.#look(credential, look)
    this.#underWay.set(credential, own)
    return own
  }

  async #look(credential: string, look: () => Promise<Caller | null>): Promise<Caller | null> {
    const age = this.#age
    try {
      const caller = await look()
      // Invalid credentials are not cached: made-up credentials would push the others out.
      if (caller && age === this.#age) this.#found.set(credential, caller)
      return caller
    } finally {
      if (age === this.#age) this.#underWay.delete(credential)
    }
  }

  clear(): void {
    this.#age += 1
    this.#found.clear()
    this.#underWay.clear()
  }
}
