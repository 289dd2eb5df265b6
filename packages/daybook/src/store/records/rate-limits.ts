import type { Connection } from '../connection.ts'
import { build, param, prepare, preparePut } from '../statement.ts'

export interface RateLimit {
  /** The account or the address whose attempts are counted. */
  readonly key: string
  readonly max: number
  /** The period from the first attempt, in milliseconds. */
  readonly ms: number
}

export class RateLimits {
  readonly #connection: Connection
  readonly #now: () => Promise<number>

  /** @param now the database's clock, in milliseconds since 1970 */
  constructor(connection: Connection, now: () => Promise<number>) {
    this.#connection = connection
    this.#now = now
  }

  /** Counts one attempt. Returns the time to wait if there were too many, in milliseconds, else 0. */
  async take({ key, max, ms }: RateLimit): Promise<number> {
    const now = await this.#now()
    const row = await this.#connection.get(ATTEMPTS, { key })
    const isOpen = row !== undefined && row.until > now
    const until = isOpen ? row.until : now + ms
    const count = isOpen ? row.count + 1 : 1
    await this.#connection.run(PUT_ATTEMPTS, { key, count, until })
    return count > max ? until - now : 0
  }

  /** Deletes attempts whose period is over. */
  async dropExpired(): Promise<void> {
    await this.#connection.run(DROP_ATTEMPTS, { now: await this.#now() })
  }
}

const ATTEMPTS = prepare(build.selectFrom('daybook$attempts').selectAll().where('key', '=', param<string>('key')))
const PUT_ATTEMPTS = preparePut('daybook$attempts')
const DROP_ATTEMPTS = prepare(build.deleteFrom('daybook$attempts').where('until', '<=', param<number>('now')))
