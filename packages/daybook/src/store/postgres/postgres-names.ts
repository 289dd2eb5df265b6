import { createHash } from 'node:crypto'

/** The longest name that PostgreSQL keeps whole, in bytes. */
const MAX_NAME = 63

/** Names as PostgreSQL keeps them: of a longer one its end, behind a digest of all of it. */
export class PostgresNames {
  /** Names that were too long, by those that took their place. */
  readonly #whole = new Map<string, string>()

  /** The name that PostgreSQL keeps. */
  shorten(name: string): string {
    if (name.length <= MAX_NAME) return name
    const digest = createHash('sha256').update(name).digest('hex').slice(0, 12)
    const short = `${digest}$${name.slice(-(MAX_NAME - 13))}`
    this.#whole.set(short, name)
    return short
  }

  /** The name that {@link shorten} made this one of. */
  whole(short: string): string {
    return this.#whole.get(short) ?? short
  }
}
