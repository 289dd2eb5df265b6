import { DaybookError } from './errors.ts'
import { etagOf } from './etag.ts'
import { History } from './history.ts'
import type { QueryParams } from './query.ts'
import { type AnyWriteOptions, type Call, type CallOptions, isAddressable, type Send } from './request.ts'
import type { ComparedVersions } from './types/history.ts'
import type { EntryOrId } from './types/write-options.ts'

/** A page of a list. */
interface ListPage {
  readonly items: readonly unknown[]
  readonly nextCursor?: string | null
}

/** The most entries that a page holds where the config does not say. */
const LARGEST_PAGE = 100

/** What writes of all entries that match take, whatever the config. */
interface AnyManyOptions extends AnyWriteOptions {
  readonly q?: string
  readonly status?: unknown
}

/** What a request says of one entry. */
interface EntryRequest extends Pick<Call, 'query' | 'body'> {
  /** The segment behind its id. */
  readonly at?: string
}

/** What `CollectionClient` promises for every collection, without its types. */
export class Collection {
  readonly #send: Send
  readonly #path: readonly string[]
  readonly #history: History

  constructor(send: Send, key: string) {
    this.#send = send
    this.#path = ['api', key]
    this.#history = new History(send)
  }

  findMany(query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: this.#path, query, holds: 'items' })
  }

  listDeleted(query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.findMany({ ...query, deleted: true }, options)
  }

  async *iterate(query: QueryParams = {}, options: CallOptions = {}): AsyncGenerator<unknown, void> {
    for (let cursor: unknown; cursor !== null; ) {
      const page = (await this.findMany({ limit: LARGEST_PAGE, ...query, cursor }, options)) as ListPage
      yield* page.items
      cursor = page.nextCursor ?? null
    }
  }

  findBySlug(slug: string, query?: QueryParams, options?: CallOptions): Promise<unknown> {
    return this.#find(slug, query, options)
  }

  findById(id: string, query?: QueryParams, options?: CallOptions): Promise<unknown> {
    return this.#find(id, query, options)
  }

  async #find(address: string, query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    if (!isAddressable(address)) return null
    try {
      return await this.#send({ ...options, method: 'GET', path: [...this.#path, address], query })
    } catch (error) {
      if (error instanceof DaybookError && error.code === 'NOT_FOUND') return null
      throw error
    }
  }

  create(data: unknown, { locale, dryRun, ...options }: AnyWriteOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'POST', path: this.#path, query: { locale, dryRun }, body: data })
  }

  async update(entry: EntryOrId, data: unknown, options?: AnyWriteOptions): Promise<unknown> {
    return this.send('PUT', entry, options, { body: data })
  }

  async patch(entry: EntryOrId, data: unknown, options?: AnyWriteOptions): Promise<unknown> {
    return this.send('PATCH', entry, options, { body: data })
  }

  async delete(entry: EntryOrId, options?: AnyWriteOptions): Promise<void> {
    await this.send('DELETE', entry, options)
  }

  async restore(
    entry: EntryOrId,
    revision?: number,
    { slug, ...options }: AnyWriteOptions & { readonly slug?: string } = {},
  ): Promise<unknown> {
    return this.send('POST', entry, options, { at: 'restore', body: { revision, slug } })
  }

  /** Asks something of one entry; where the entry is given in place of its id, only if it has not changed since it was read. */
  protected send(
    method: Call['method'],
    entry: EntryOrId,
    { locale, dryRun, ...options }: AnyWriteOptions = {},
    { at, query, body }: EntryRequest = {},
  ): Promise<unknown> {
    const named =
      typeof entry === 'string' ? { id: entry } : { id: entry.id, ifMatch: options.ifMatch ?? etagOf(entry) }
    const { id, ...condition } = named
    const path = [...this.#path, id, ...(at === undefined ? [] : [at])]
    const holds = method === 'DELETE' ? 'anything' : undefined
    return this.#send({ ...options, ...condition, method, path, query: { locale, dryRun, ...query }, body, holds })
  }

  updateMany(where: unknown, data: unknown, options?: AnyManyOptions): Promise<unknown> {
    return this.#sendMany('PATCH', where, data, options)
  }

  deleteMany(where: unknown, options?: AnyManyOptions): Promise<unknown> {
    return this.#sendMany('DELETE', where, undefined, options)
  }

  async #sendMany(
    method: Call['method'],
    where: unknown,
    body: unknown,
    { locale, q, status, dryRun, ...options }: AnyManyOptions = {},
  ): Promise<unknown> {
    const query = { where, q, status, locale, dryRun }
    return this.#send({ ...options, method, path: this.#path, query, body })
  }

  async enter(id: string, options: CallOptions = {}): Promise<unknown> {
    const call = { method: 'POST', path: [...this.#path, id, 'presence'], holds: 'present' } as const
    return ((await this.#send({ ...options, ...call })) as { readonly present: unknown }).present
  }

  leave(id: string, options: CallOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'DELETE', path: [...this.#path, id, 'presence'], holds: 'anything' })
  }

  references(id: string, query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: [...this.#path, id, 'references'], query, holds: 'items' })
  }

  versions(id: string, query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#history.list([...this.#path, id], query, options)
  }

  version(id: string, revision: number, query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#history.one([...this.#path, id], revision, query, options)
  }

  difference(
    id: string,
    versions: ComparedVersions,
    query: QueryParams = {},
    options: CallOptions = {},
  ): Promise<unknown> {
    return this.#history.difference([...this.#path, id], versions, query, options)
  }
}
