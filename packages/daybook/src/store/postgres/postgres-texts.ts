import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { PostgresNames } from './postgres-names.ts'

/** A statement as PostgreSQL reads it. */
export interface PostgresText {
  readonly text: string
  /** The name of the prepared statement. */
  readonly name: string
}

/** The most statements that are kept translated. */
const MAX_TEXTS = 1000

/** Statements of ours in the form that PostgreSQL reads, each translated once. */
export class PostgresTexts {
  readonly names: PostgresNames
  readonly #texts = new LRUCache<string, PostgresText>({ max: MAX_TEXTS })

  constructor(names: PostgresNames) {
    this.names = names
  }

  /** With `$1` for the first `?`, and names that PostgreSQL keeps whole. */
  translate(sql: string): PostgresText {
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
