import type { DaybookConfig, UndoRange } from 'daybook'
import { Assets } from './assets.ts'
import { Auth } from './auth.ts'
import { DraftCollection, History } from './collection.ts'
import { type AnyFeedQuery, type AnyLiveQuery, Feed, MemoryStore } from './feed.ts'
import type { QueryParams } from './query.ts'
import {
  type AnyWriteOptions,
  type CallOptions,
  type ClientOptions,
  connect,
  connectEvents,
  type RequestOptions,
  type Send,
  type Token,
} from './request.ts'
import { rememberTag } from './response.ts'
import type { Client } from './types/client.ts'
import type { AnyChange, ChangeStore, ComparedVersions, UndoOptions } from './types/journal.ts'

interface OutcomeResponse {
  readonly etag?: string
  readonly entry?: object
}

/**
 * Creates a client of a service. It sends nothing until a method is called.
 *
 * @example
 * ```ts
 * import { createClient } from '@daybook/client'
 * import type config from '../cms/daybook.config.ts'
 *
 * const client = createClient<typeof config>({ baseUrl: 'https://cms.example.org' })
 * const { items } = await client.collections.posts.findMany({ sort: '-publishedOn', include: ['author'] })
 * ```
 *
 * @throws {TypeError} if `baseUrl` is not the URL of a service
 */
export function createClient<C extends DaybookConfig>(options: ClientOptions): Client<C> {
  const send = connect(options)
  const feed = new Feed(send, connectEvents(options))
  // A wrong password is also a 401, which a new session would not fix.
  const { renewSession: _, ...authOptions } = options
  const client = {
    collections: createByKey((key) => new DraftCollection(send, key)),
    globals: createByKey((key) => new Global(send, key)),
    assets: new Assets(send),
    auth: new Auth(connect(authOptions)),
    batch: (operations: readonly object[], writeOptions?: AnyWriteOptions) => batch(send, operations, writeOptions),
    changes: (query?: AnyFeedQuery) => feed.changes(query),
    subscribe: (query?: AnyLiveQuery) => feed.subscribe(query),
    sync: (store: ChangeStore<AnyChange>, query?: AnyLiveQuery) => feed.sync(store, query),
    memoryCopy: (onChange?: () => void) => new MemoryStore(onChange),
    undo: (range: UndoRange, undoOptions?: UndoOptions) => new History(send).undo(range, undoOptions),
    ...createCrossCollectionLists(send),
    request: (request: RequestOptions) => send({ method: 'GET', ...request, expects: 'anything' }),
    model: (callOptions?: CallOptions) => send({ ...callOptions, method: 'GET', path: ['api', 'cms', 'model'] }),
    health: (callOptions?: CallOptions) => send({ ...callOptions, method: 'GET', path: ['api', 'health'] }),
    ready: (callOptions?: CallOptions) => send({ ...callOptions, method: 'GET', path: ['api', 'ready'] }),
    withToken: (token: Token | undefined) => createClient({ ...options, token }),
  }
  // The types come only from the config, which does not exist at run time.
  return client as unknown as Client<C>
}

/** Creates an object with a client for every key, since only the service knows its collections. */
function createByKey<T>(create: (key: string) => T): object {
  const clients = new Map<string, T>()
  return new Proxy(Object.freeze({}), {
    get: (_target, key) => {
      if (typeof key === 'symbol') return undefined
      const client = clients.get(key) ?? create(key)
      clients.set(key, client)
      return client
    },
  })
}

async function batch(
  send: Send,
  operations: readonly object[],
  { locale, dryRun, ...options }: AnyWriteOptions = {},
): Promise<unknown> {
  const body = { operations }
  const response = await send({
    ...options,
    method: 'POST',
    path: ['api', 'cms', 'batch'],
    query: { locale, dryRun },
    body,
    expects: 'results',
  })
  const { results } = response as { readonly results: readonly OutcomeResponse[] }
  for (const { entry, etag } of results) if (entry && etag !== undefined) rememberTag(entry, etag)
  return results
}

type ListRequest = (query?: CallOptions & QueryParams) => Promise<unknown>

/** Creates the lists over all collections, without their types. */
function createCrossCollectionLists(
  send: Send,
): Readonly<Record<'journal' | 'search' | 'drafts' | 'schedules' | 'brokenLinks', ListRequest>> {
  const list =
    (name: string): ListRequest =>
    ({ signal, timeout, retry, ...query } = {}) => {
      const options = { signal, timeout, retry } as CallOptions
      return send({ ...options, method: 'GET', path: ['api', 'cms', name], query, expects: 'items' })
    }
  return {
    journal: list('journal'),
    search: list('search'),
    drafts: list('drafts'),
    schedules: list('schedules'),
    brokenLinks: list('broken-links'),
  }
}

/** Implements `GlobalClient` without its types. */
class Global {
  readonly #send: Send
  readonly #path: readonly string[]
  readonly #history: History

  constructor(send: Send, key: string) {
    this.#send = send
    this.#path = ['api', 'globals', key]
    this.#history = new History(send)
  }

  get(query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'GET', path: this.#path, query })
  }

  update(data: unknown, { locale, dryRun, ...options }: AnyWriteOptions = {}): Promise<unknown> {
    return this.#send({ ...options, method: 'PUT', path: this.#path, query: { locale, dryRun }, body: data })
  }

  versions(query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#history.list(this.#path, query, options)
  }

  version(revision: number, query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#history.read(this.#path, revision, query, options)
  }

  difference(versions: ComparedVersions, query: QueryParams = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#history.difference(this.#path, versions, query, options)
  }
}
