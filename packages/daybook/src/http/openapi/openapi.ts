import type { Access } from '../../content/access/access.ts'
import type { Model } from '../../model/model.ts'
import { ReaderTexts, type TaggedText } from '../reader-texts.ts'
import { type ApiReader, anyReader, apiReader } from './api-reader.ts'
import { type OpenApiParts, openApiText } from './document.ts'

/** The OpenAPI documents of a service. The first request of each kind of reader makes one. */
export class OpenApi {
  readonly #parts: OpenApiParts
  /** The one kind of reader that there is without rules. */
  #onlyReader: ApiReader | undefined
  readonly #texts = new ReaderTexts()

  constructor(parts: OpenApiParts) {
    this.#parts = parts
  }

  async #reader(access: Access): Promise<ApiReader> {
    const { model, routes } = this.#parts
    this.#onlyReader ??= hasRules(model) ? undefined : anyReader(model, routes)
    return this.#onlyReader ?? apiReader(model, routes, access)
  }

  /** The document for a caller: it holds nothing that the caller may not know. */
  async for(access: Access): Promise<TaggedText> {
    const reader = await this.#reader(access)
    return this.#texts.get(reader.variant, () => openApiText(this.#parts, reader))
  }
}

function hasRules({ collections, globals }: Model): boolean {
  return [...collections.values(), ...globals.values()].some(
    ({ access, fields }) =>
      Object.values(access).some((rule) => rule !== undefined) ||
      fields.some((field) => field.access.read !== undefined || field.access.write !== undefined),
  )
}
