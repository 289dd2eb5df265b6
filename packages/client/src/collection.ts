import type { JsonObject } from './answer.ts'
import { DaybookError } from './errors.ts'
import { etagOf } from './etag.ts'
import type { QueryParams } from './query.ts'
import { type Call, type CallOptions, isAddressable, type Send } from './request.ts'

/** An entry as it was read, or its id. */
type EntryOrId = string | { readonly id: string }

interface Options extends CallOptions {
  readonly locale?: string
  readonly ifMatch?: string
  readonly idempotencyKey?: string
}

/** The most entries that a page holds where the config does not say. */
const LARGEST_PAGE = 100

/** What `CollectionClient` promises for every collection, without its types. */
export class Collection {
  readonly #send: Send
  readonly #key: string

  constructor(send: Send, key: string) {
    this.#send = send
    this.#key = key
  }

  findMany(query: QueryParams = {}, options: CallOptions = {}): Promise<JsonObject | undefined> {
    return this.#send({ ...options, method: 'GET', path: [this.#key], query, holds: 'items' })
  }

  async *iterate(query: QueryParams = {}, options: CallOptions = {}): AsyncGenerator<unknown, void> {
    for (let cursor: unknown; cursor !== null; ) {
      const page = await this.findMany({ limit: LARGEST_PAGE, ...query, cursor }, options)
      yield* page?.items as readonly unknown[]
      cursor = page?.nextCursor ?? null
    }
  }

  findBySlug(slug: string, query?: QueryParams, options?: CallOptions): Promise<JsonObject | null> {
    return this.#find(slug, query, options)
  }

  findById(id: string, query?: QueryParams, options?: CallOptions): Promise<JsonObject | null> {
    return this.#find(id, query, options)
  }

  async #find(address: string, query: QueryParams = {}, options: CallOptions = {}): Promise<JsonObject | null> {
    if (!isAddressable(address)) return null
    try {
      return (await this.#send({ ...options, method: 'GET', path: [this.#key, address], query })) ?? null
    } catch (error) {
      if (error instanceof DaybookError && error.code === 'NOT_FOUND') return null
      throw error
    }
  }

  create(data: unknown, { locale, ...options }: Options = {}): Promise<JsonObject | undefined> {
    return this.#send({ ...options, method: 'POST', path: [this.#key], query: { locale }, body: data })
  }

  async update(entry: EntryOrId, data: unknown, options?: Options): Promise<JsonObject | undefined> {
    return this.#change('PUT', entry, data, options)
  }

  async patch(entry: EntryOrId, data: unknown, options?: Options): Promise<JsonObject | undefined> {
    return this.#change('PATCH', entry, data, options)
  }

  async delete(entry: EntryOrId, options?: Options): Promise<void> {
    await this.#change('DELETE', entry, undefined, options)
  }

  #change(method: Call['method'], entry: EntryOrId, body: unknown, { locale, ...options }: Options = {}) {
    const at = typeof entry === 'string' ? { id: entry } : { id: entry.id, ifMatch: options.ifMatch ?? etagOf(entry) }
    const { id, ...condition } = at
    const holds = method === 'DELETE' ? 'nothing' : undefined
    return this.#send({ ...options, ...condition, method, path: [this.#key, id], query: { locale }, body, holds })
  }

  references(id: string, query: QueryParams = {}, options: CallOptions = {}): Promise<JsonObject | undefined> {
    return this.#send({ ...options, method: 'GET', path: [this.#key, id, 'references'], query, holds: 'items' })
  }
}
