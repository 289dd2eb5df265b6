import { LRUCache } from 'lru-cache'
import { ANONYMOUS } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import type { Model } from '../../model/model.ts'
import { ReaderTexts, type TaggedText } from '../answers/reader-texts.ts'
import type { Route } from '../contract.ts'
import { type ApiReader, anyReader, apiReader, plainVariant } from './api-reader.ts'
import { buildDocument } from './document.ts'

/** What a document is made of. */
interface OpenApiParts {
  readonly model: Model
  readonly routes: readonly Route[]
  /** The name of the cookie that holds a session. */
  readonly sessionCookie: string
}

/** The most kinds of readers without rules that are kept: scopes of tokens make more than two. */
const MAX_PLAIN_READERS = 8

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
    const { model, sessionCookie } = this.#parts
    const reader = await this.#reader(access)
    return this.#texts.get(reader.variant, async () =>
      JSON.stringify(await buildDocument(model, reader, sessionCookie)),
    )
  }

  /** Makes the document that callers without a session get. */
  async prepare(): Promise<void> {
    await this.for(new Access(this.#parts.model, ANONYMOUS))
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
