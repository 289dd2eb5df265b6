import type { Connection } from '../connection.ts'
import { build, param, prepare, preparePut } from '../statement.ts'

/** So many attempts within a time. */
export interface RateLimit {
  /** The account or the address that the attempts are counted for. */
  readonly key: string
  readonly max: number
  /** How long they count, from the first one on, in milliseconds. */
  readonly ms: number
}

/** Counts attempts for all nodes together, inside one transaction. */
export class RateLimits {
  readonly #connection: Connection
  readonly #now: () => Promise<number>

  /** @param now the database's clock, in milliseconds since 1970 */
  constructor(connection: Connection, now: () => Promise<number>) {
    this.#connection = connection
    this.#now = now
  }

  /** Counts one attempt; answers how long to wait when there were too many, in milliseconds, else 0. */
  async take({ key, max, ms }: RateLimit): Promise<number> {
    const now = await this.#now()
    const found = await this.#connection.get(ATTEMPTS, { key })
    const isOpen = found !== undefined && found.until > now
    const until = isOpen ? found.until : now + ms
    const count = isOpen ? found.count + 1 : 1
    await this.#connection.run(PUT_ATTEMPTS, { key, count, until })
    return count > max ? until - now : 0
  }

  /** Forgets attempts that count no more. */
  async dropExpired(): Promise<void> {
    await this.#connection.run(DROP_ATTEMPTS, { now: await this.#now() })
  }
}

const ATTEMPTS = prepare(build.selectFrom('daybook$attempts').selectAll().where('key', '=', param<string>('key')))
const PUT_ATTEMPTS = preparePut('daybook$attempts')
const DROP_ATTEMPTS = prepare(build.deleteFrom('daybook$attempts').where('until', '<=', param<number>('now')))
