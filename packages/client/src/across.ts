import type { CallOptions, Send } from './request.ts'

/** Where is searched, whatever the config. */
export interface AnySearch extends CallOptions {
  readonly collections?: readonly string[]
  readonly limit?: number
  readonly locale?: string
}

/** Which working copies are listed, whatever the config. */
export interface AnyDrafts extends CallOptions {
  readonly actor?: string
  readonly limit?: number
  readonly cursor?: string | null
  readonly locale?: string
}

/** What is found in all collections at once, without its types. */
export class Across {
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  async search(q: string, { collections, limit, locale, ...options }: AnySearch = {}): Promise<unknown> {
    const query = { q, collections, limit, locale }
    const answer = await this.#send({ ...options, method: 'GET', path: ['cms', 'search'], query })
    return (answer as { readonly items: unknown }).items
  }

  drafts({ actor, limit, cursor, locale, ...options }: AnyDrafts = {}): Promise<unknown> {
    const query = { actor, limit, cursor, locale }
    return this.#send({ ...options, method: 'GET', path: ['cms', 'drafts'], query })
  }

  schedules({ limit, cursor, locale, ...options }: AnyDrafts = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: ['cms', 'schedules'], query: { limit, cursor, locale } })
  }
}
