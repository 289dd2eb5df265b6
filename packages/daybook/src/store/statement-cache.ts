import { LRUCache } from 'lru-cache'
import type { Statement } from './compile.ts'

/** The most statements that are kept compiled. */
const MAX_STATEMENTS = 250

/** Statements that were compiled once and run many times. */
export class StatementCache {
  readonly #kept = new LRUCache<string, Statement>({ max: MAX_STATEMENTS })

  /** @param cacheKey tells the statement from all others of this cache */
  get<Row>(cacheKey: string, make: () => Statement<Row>): Statement<Row> {
    const known = this.#kept.get(cacheKey)
    if (known) return known as Statement<Row>
    const made = make()
    this.#kept.set(cacheKey, made)
    return made
  }
}
