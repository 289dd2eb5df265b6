import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { LazyResponse } from '../content/reads/index.ts'
import { SingleFlight } from '../single-flight.ts'

/** JSON text as it is sent, with its entity tag. */
export interface TaggedText {
  /** The text in UTF-8: encoding a large text takes longer than sending it. */
  readonly json: Uint8Array
  readonly tag: string
}

/** Converts a text to a response. It has no surrogate keys, since it depends on no document. */
export const toLazyResponse = ({ tag, json }: TaggedText): LazyResponse<Uint8Array> => ({
  tag,
  surrogateKeys: () => [],
  read: async () => json,
})

/** The maximum number of cached texts: rules distinguish few kinds of callers, and a text may be large. */
const MAX_TEXTS = 8

/** Caches texts that depend only on the config and on the access of the caller: one for each kind of caller. */
export class TextCache {
  readonly #texts = new LRUCache<string, TaggedText>({ max: MAX_TEXTS })
  readonly #builds = new SingleFlight<TaggedText>()

  /**
   * Returns a text, and builds it if it is not cached. Concurrent requests share one build.
   *
   * @param cacheKey identifies the kind of caller
   */
  async get(cacheKey: string, build: () => string | Promise<string>): Promise<TaggedText> {
    const cached = this.#texts.get(cacheKey)
    if (cached) return cached
    return this.#builds.run(cacheKey, async () => {
      const json = Buffer.from(await build())
      const text = { json, tag: `"${hash('sha256', json, 'base64url').slice(0, 22)}"` }
      this.#texts.set(cacheKey, text)
      return text
    })
  }
}
