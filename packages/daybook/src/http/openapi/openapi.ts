import { setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { ANONYMOUS } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import type { Model } from '../../model/model.ts'
import { ReaderTexts, type TaggedText } from '../answers/reader-texts.ts'
import { type ApiReader, anyReader, apiReader, plainVariant } from './api-reader.ts'
import { type OpenApiParts, openApiText } from './document.ts'
import type { Text } from './text.ts'

/** The most kinds of readers without rules that are kept: scopes of tokens make more than two. */
const MAX_PLAIN_READERS = 8
/** How long a document is worked on before other requests have their turn, in milliseconds. */
const TURN_MS = 5

/** The OpenAPI documents of a service, one for each kind of reader, made when it is first asked for. */
export class OpenApi {
  readonly #parts: OpenApiParts
  /** The kinds of readers that there are without rules. */
  readonly #plainReaders = new LRUCache<string, ApiReader>({ max: MAX_PLAIN_READERS })
  readonly #texts = new ReaderTexts()

  constructor(parts: OpenApiParts) {
    this.#parts = parts
  }

  async #reader(access: Access): Promise<ApiReader> {
    const { model, routes } = this.#parts
    if (hasRules(model)) return apiReader(model, routes, access)
    const variant = plainVariant(model, access)
    const reader = this.#plainReaders.get(variant) ?? anyReader(model, routes, access)
    this.#plainReaders.set(variant, reader)
    return reader
  }

  /** The document for a caller: it holds nothing that the caller may not know. */
  async for(access: Access): Promise<TaggedText> {
    const reader = await this.#reader(access)
    return this.#texts.get(reader.variant, () => makeInTurns(openApiText(this.#parts, reader)))
  }

  /** Makes the document that callers without a session get. */
  async prepare(): Promise<void> {
    await this.for(new Access(this.#parts.model, ANONYMOUS))
  }
}

/** Goes on with a work until it is done, and lets others have their turn in between. */
async function makeInTurns(work: Generator<undefined, Text>): Promise<Text> {
  for (let until = performance.now() + TURN_MS; ; ) {
    const { done, value } = work.next()
    if (done) return value
    if (performance.now() < until) continue
    await turn()
    until = performance.now() + TURN_MS
  }
}

function hasRules({ collections, globals }: Model): boolean {
  return [...collections.values(), ...globals.values()].some(
    ({ access, fields, peopleRule }) =>
      typeof peopleRule === 'function' ||
      Object.values(access).some((rule) => rule !== undefined) ||
      fields.some((field) => field.access.read !== undefined || field.access.write !== undefined),
  )
}
