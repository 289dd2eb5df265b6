import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

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
  restore(short: string): string {
    return this.#whole.get(short) ?? short
  }
}

/** A statement as PostgreSQL reads it. */
export interface TranslatedStatement {
  readonly text: string
  /** The name of the prepared statement. */
  readonly name: string
}

/** The most statements that are kept translated. */
const MAX_TEXTS = 1000

/** Statements of ours in the form that PostgreSQL reads, each translated once. */
export class StatementTranslator {
  readonly names: PostgresNames
  readonly #texts = new LRUCache<string, TranslatedStatement>({ max: MAX_TEXTS })

  constructor(names: PostgresNames) {
    this.names = names
  }

  /** With `$1` for the first `?`, and names that PostgreSQL keeps whole. */
  translate(sql: string): TranslatedStatement {
    const known = this.#texts.get(sql)
    if (known) return known
    let place = 0
    const text = sql
      .replace(/"([^"]*)"/g, (_, name: string) => `"${this.names.shorten(name)}"`)
      .replace(/\?/g, () => {
        place += 1
        return `$${place}`
      })
    const made = { text, name: createHash('sha256').update(text).digest('base64url').slice(0, 24) }
    this.#texts.set(sql, made)
    return made
  }
}
