import { LRUCache } from 'lru-cache'
import { prepareSql } from '../compile.ts'
import type { ExpansionDialect } from '../dialect.ts'
import type { SearchQuery } from '../search/search.ts'
import type { ReadSource } from './read-source.ts'

/** The most beginnings whose words are remembered; each has up to 16 KiB of them. */
const MAX_BEGINNINGS = 100

/** Finds the stored words that the last word of a search may stand for. */
export class SearchWords {
  readonly #source: ReadSource
  /** Made for the first search: each transaction has readers of its own, and few of them search. */
  #known: LRUCache<string, Promise<readonly string[]>> | undefined

  constructor(source: ReadSource) {
    this.#source = source
  }

  /**
   * A search as the engine finds it fastest: with the stored words in place of a beginning.
   *
   * @param revision of the collection: as long as it is the same, words are not looked for again. @default always looked for
   */
  async expand(table: string, search: SearchQuery, revision?: number): Promise<SearchQuery> {
    const { expansion } = this.#source.dialect.search
    const term = expansion?.term(search)
    if (!expansion || !term) return search
    const stored = await this.#words(expansion, table, term.word, revision)
    // What no stored word begins with, or too many do, is left to the engine.
    if (stored.length === 0) return search
    return { ...search, terms: search.terms.map((one) => (one === term ? { ...one, stored } : one)) }
  }

  #words(
    expansion: ExpansionDialect,
    table: string,
    word: string,
    revision: number | undefined,
  ): Promise<readonly string[]> {
    if (revision === undefined) return this.#find(expansion, table, word)
    this.#known ??= new LRUCache({ max: MAX_BEGINNINGS })
    const known = this.#known
    const key = `${table} ${revision} ${word}`
    const underWay = known.get(key)
    if (underWay) return underWay
    const found = this.#find(expansion, table, word)
    known.set(key, found)
    found.catch(() => known.delete(key))
    return found
  }

  async #find(expansion: ExpansionDialect, table: string, from: string): Promise<readonly string[]> {
    const { statements, background } = this.#source
    const statement = statements.get(`words ${table}`, () => prepareSql(expansion.words(table)))
    const words = (await background.get(statement, { from, to: `${from}\u{10ffff}` }))?.words
    return words ? words.split(' ') : []
  }
}
