import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { LazyResponse } from '../content/reads/index.ts'
import { SingleFlight } from '../single-flight.ts'

/** JSON text as it is sent, with its entity tag. */
export interface TaggedText {
  /** In UTF-8: a large text would take longer to encode than to send. */
  readonly json: Uint8Array
  readonly tag: string
}

/** The response that is such a text. It has no surrogate keys, since it depends on no document. */
export const toLazyResponse = ({ tag, json }: TaggedText): LazyResponse<Uint8Array> => ({
  tag,
  surrogateKeys: () => [],
  read: async () => json,
})

/** The most texts that are kept: rules distinguish few kinds of readers, and a text may be large. */
const MAX_TEXTS = 8

/** Texts that depend on the config and on what a reader may know alone: each kind of reader has one, made when it is first asked for. */
export class TextCache {
  readonly #texts = new LRUCache<string, TaggedText>({ max: MAX_TEXTS })
  readonly #making = new SingleFlight<TaggedText>()

  /**
   * Requests that ask while a text is made wait for the same one.
   *
   * @param variant names the kind of reader
   */
  async get(variant: string, make: () => string | Promise<string>): Promise<TaggedText> {
    const cached = this.#texts.get(variant)
    if (cached) return cached
    return this.#making.run(variant, async () => {
      const json = Buffer.from(await make())
      const text = { json, tag: `"${hash('sha256', json, 'base64url').slice(0, 22)}"` }
      this.#texts.set(variant, text)
      return text
    })
  }
}
