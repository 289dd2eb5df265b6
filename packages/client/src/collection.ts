import type { EntryPosition, UndoRange } from 'daybook'
import { DaybookError } from './errors.ts'
import type { QueryParams } from './query.ts'
import { type AnyWriteOptions, type Call, type CallOptions, isAddressable, type Send } from './request.ts'
import { etagOf } from './response.ts'
import type { ComparedVersions, UndoOptions } from './types/journal.ts'
import type { EntryOrId } from './types/write-options.ts'

interface ListPage {
  readonly items: readonly unknown[]
  readonly nextCursor?: string | null
}

/** The default maximum page size of a collection. */
const DEFAULT_PAGE_SIZE = 100

interface AnyBulkOptions extends AnyWriteOptions {
  readonly q?: string
  readonly status?: unknown
}

interface EntryRequest extends Pick<Call, 'query' | 'body'> {
  /** The segment of the path after the id. */
  readonly at?: string
}

/** Implements `CollectionClient` without its types. */
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
    return this.#send({ ...options, method: 'GET', path: this.#path, query, expects: 'items' })
  }

  listDeleted(query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.findMany({ ...query, deleted: true }, options)
  }

  async *iterate(query: QueryParams = {}, options: CallOptions = {}): AsyncGenerator<unknown, void> {
    for (let cursor: unknown; cursor !== null; ) {
      const page = (await this.findMany({ limit: DEFAULT_PAGE_SIZE, ...query, cursor }, options)) as ListPage
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

  async move(entry: EntryOrId, position: EntryPosition, options?: AnyWriteOptions): Promise<unknown> {
    return this.send('POST', entry, options, { at: 'move', body: position })
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

  /** Sends a request for one entry. With an entry instead of an id, the request is conditional on its tag. */
  protected send(
    method: Call['method'],
    entry: EntryOrId,
    { locale, dryRun, ...options }: AnyWriteOptions = {},
    { at, query, body }: EntryRequest = {},
  ): Promise<unknown> {
    const { id, ...condition } =
      typeof entry === 'string' ? { id: entry } : { id: entry.id, ifMatch: options.ifMatch ?? etagOf(entry) }
    const path = [...this.#path, id, ...(at === undefined ? [] : [at])]
    const expects = method === 'DELETE' ? 'anything' : undefined
    return this.#send({
      ...options,
      ...condition,
      method,
      path,
      query: { locale, dryRun, ...query },
      body,
      expects,
    })
  }

  updateMany(where: unknown, data: unknown, options?: AnyBulkOptions): Promise<unknown> {
    return this.#sendBulk('PATCH', where, data, options)
  }

  deleteMany(where: unknown, options?: AnyBulkOptions): Promise<unknown> {
    return this.#sendBulk('DELETE', where, undefined, options)
  }

  async #sendBulk(
    method: Call['method'],
    where: unknown,
    body: unknown,
    { locale, q, status, dryRun, ...options }: AnyBulkOptions = {},
  ): Promise<unknown> {
    const query = { where, q, status, locale, dryRun }
    return this.#send({ ...options, method, path: this.#path, query, body })
  }

  async enter(id: string, options: CallOptions = {}): Promise<unknown> {
    const call = { method: 'POST', path: [...this.#path, id, 'presence'], expects: 'present' } as const
    return ((await this.#send({ ...options, ...call })) as { readonly present: unknown }).present
  }

  leave(id: string, options: CallOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'DELETE', path: [...this.#path, id, 'presence'], expects: 'anything' })
  }

  references(id: string, query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: [...this.#path, id, 'references'], query, expects: 'items' })
  }

  versions(id: string, query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#history.list([...this.#path, id], query, options)
  }

  version(id: string, revision: number, query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#history.read([...this.#path, id], revision, query, options)
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

export class History {
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  list(path: readonly string[], query: QueryParams, options: CallOptions): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: [...path, 'versions'], query, expects: 'items' })
  }

  read(path: readonly string[], revision: number, query: QueryParams, options: CallOptions): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: [...path, 'versions', String(revision)], query })
  }

  difference(
    path: readonly string[],
    { revision, against }: ComparedVersions,
    query: QueryParams,
    options: CallOptions,
  ): Promise<unknown> {
    return this.read(path, revision, { ...query, against }, options)
  }

  undo(range: UndoRange, { dryRun, ...options }: UndoOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'POST', path: ['api', 'cms', 'undo'], query: { dryRun }, body: range })
  }
}

interface AnySaveOptions extends AnyWriteOptions {
  readonly autosave?: boolean
  readonly merge?: boolean
}

interface AnyPublishOptions extends AnyWriteOptions {
  readonly at?: string
  readonly locales?: readonly string[]
}

/** Implements `DraftsClient` without its types. The service has no such routes for a collection without a status. */
export class DraftCollection extends Collection {
  async saveDraft(entry: EntryOrId, data: unknown, options: AnySaveOptions = {}): Promise<unknown> {
    const { autosave, merge, ...writeOptions } = options
    return this.send(merge ? 'PATCH' : 'PUT', entry, writeOptions, { query: { draft: true, autosave }, body: data })
  }

  async discardDraft(entry: EntryOrId, options?: AnyWriteOptions): Promise<void> {
    await this.send('DELETE', entry, options, { query: { draft: true } })
  }

  async publish(entry: EntryOrId, { at, locales, ...options }: AnyPublishOptions = {}): Promise<unknown> {
    return this.send('POST', entry, options, { at: 'publish', body: { publishAt: at, locales } })
  }

  async unpublish(entry: EntryOrId, { at, locales, ...options }: AnyPublishOptions = {}): Promise<unknown> {
    return this.send('POST', entry, options, { at: 'unpublish', body: { unpublishAt: at, locales } })
  }

  async unschedule(entry: EntryOrId, options?: CallOptions): Promise<void> {
    await this.send('DELETE', getId(entry), options, { at: 'schedule' })
  }

  async preview(
    entry: EntryOrId,
    { expiresIn, ...options }: CallOptions & { readonly expiresIn?: number } = {},
  ): Promise<unknown> {
    return this.send('POST', getId(entry), options, { at: 'preview', body: { expiresIn } })
  }

  async revokePreviews(entry: EntryOrId, options?: CallOptions): Promise<void> {
    await this.send('DELETE', getId(entry), options, { at: 'preview' })
  }
}

/** Returns the id for an unconditional request. */
const getId = (entry: EntryOrId): string => (typeof entry === 'string' ? entry : entry.id)
