import { ANONYMOUS } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import type { Model } from '../../model/model.ts'
import { ReaderTexts, type TaggedText } from '../answers/reader-texts.ts'
import type { Route } from '../contract.ts'
import { anyReader, apiReader, plainVariant } from './api-reader.ts'
import { buildDocument } from './document.ts'

/** The parts of a service that its documents describe. */
interface OpenApiParts {
  readonly model: Model
  readonly routes: readonly Route[]
  /** The name of the cookie that holds a session. */
  readonly sessionCookie: string
}

/** The OpenAPI documents of a service, one for each kind of caller. Each is built for the first request of its kind. */
export class OpenApi {
  readonly #parts: OpenApiParts
  readonly #texts = new ReaderTexts()

  constructor(parts: OpenApiParts) {
    this.#parts = parts
  }

  /** Returns the document for a caller. It holds nothing that the caller may not know. */
  async for(access: Access): Promise<TaggedText> {
    const { model, routes, sessionCookie } = this.#parts
    const ruledReader = hasRules(model) ? await apiReader(model, routes, access) : undefined
    return this.#texts.get(ruledReader?.variant ?? plainVariant(model, access), async () => {
      const reader = ruledReader ?? anyReader(model, routes, access)
      return JSON.stringify(await buildDocument(model, reader, sessionCookie))
    })
  }

  /** Builds the document for callers without a session. */
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
