import { LRUCache } from 'lru-cache'
import type { Statement } from '../compile.ts'

/** Statements that were compiled once and run many times. */
export class StatementCache {
  readonly #statements: LRUCache<string, Statement>

  /** @param max the most statements that are kept compiled */
  constructor(max: number) {
    this.#statements = new LRUCache({ max })
  }

  /** @param cacheKey tells the statement from all others of this cache */
  get<Row>(cacheKey: string, make: () => Statement<Row>): Statement<Row> {
    const known = this.#statements.get(cacheKey)
    if (known) return known as Statement<Row>
    const made = make()
    this.#statements.set(cacheKey, made)
    return made
  }
}
