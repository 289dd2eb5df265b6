import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** The maximum length of a name in PostgreSQL, in bytes. */
const MAX_NAME = 63

/** Shortens names that are too long for PostgreSQL to a digest and their ends, and restores them. */
export class PostgresNames {
  /** The full names, by their short ones. */
  readonly #fullNames = new Map<string, string>()

  shorten(name: string): string {
    if (name.length <= MAX_NAME) return name
    const digest = createHash('sha256').update(name).digest('hex').slice(0, 12)
    const short = `${digest}$${name.slice(-(MAX_NAME - 13))}`
    this.#fullNames.set(short, name)
    return short
  }

  /** Returns the full name of one that {@link shorten} returned. */
  restore(short: string): string {
    return this.#fullNames.get(short) ?? short
  }
}

export interface TranslatedStatement {
  readonly text: string
  readonly name: string
}

const MAX_TEXTS = 1000

/** Translates statements to PostgreSQL's syntax, and caches the results. */
export class StatementTranslator {
  readonly names: PostgresNames
  readonly #statements = new LRUCache<string, TranslatedStatement>({ max: MAX_TEXTS })

  constructor(names: PostgresNames) {
    this.names = names
  }

  /** Replaces `?` by `$1` and so on, and shortens names. */
  translate(sql: string): TranslatedStatement {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    let place = 0
    const text = sql
      .replace(/"([^"]*)"/g, (_, name: string) => `"${this.names.shorten(name)}"`)
      .replace(/\?/g, () => {
        place += 1
        return `$${place}`
      })
    const translated = { text, name: createHash('sha256').update(text).digest('base64url').slice(0, 24) }
    this.#statements.set(sql, translated)
    return translated
  }
}
