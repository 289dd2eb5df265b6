import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Access } from '../../content/access/access.ts'
import type { Model } from '../../model/model.ts'
import { type ApiReader, anyReader, apiReader } from './api-reader.ts'
import { type OpenApiParts, openApiText } from './document.ts'

/** The document as it is sent. */
export interface PrintedDocument {
  readonly json: string
  readonly tag: string
}

/** The most documents that are kept: rules distinguish few kinds of readers, and a document may be large. */
const MAX_DOCUMENTS = 8

/** The OpenAPI documents of a service. The first request of each kind of reader makes one. */
export class OpenApi {
  readonly #parts: OpenApiParts
  /** The one kind of reader that there is without rules. */
  #onlyReader: ApiReader | undefined
  readonly #printed = new LRUCache<string, PrintedDocument>({ max: MAX_DOCUMENTS })

  constructor(parts: OpenApiParts) {
    this.#parts = parts
  }

  async #reader(access: Access): Promise<ApiReader> {
    const { model, routes } = this.#parts
    this.#onlyReader ??= hasRules(model) ? undefined : anyReader(model, routes)
    return this.#onlyReader ?? apiReader(model, routes, access)
  }

  /** The document for a caller: it holds nothing that the caller may not know. */
  async for(access: Access): Promise<PrintedDocument> {
    const reader = await this.#reader(access)
    const known = this.#printed.get(reader.variant)
    if (known) return known
    const json = openApiText(this.#parts, reader)
    const printed = { json, tag: `"${hash('sha256', json, 'base64url').slice(0, 22)}"` }
    this.#printed.set(reader.variant, printed)
    return printed
  }
}

function hasRules({ collections, globals }: Model): boolean {
  return [...collections.values(), ...globals.values()].some(
    ({ access, fields }) =>
      Object.values(access).some((rule) => rule !== undefined) ||
      fields.some((field) => field.access.read !== undefined || field.access.write !== undefined),
  )
}
