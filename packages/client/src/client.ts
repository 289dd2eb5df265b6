import type { DaybookConfig, UndoRange } from 'daybook'
import { acrossCollections } from './across.ts'
import { Assets } from './assets.ts'
import { Auth } from './auth.ts'
import { DraftCollection } from './drafts.ts'
import { rememberTag } from './etag.ts'
import { type AnyFeedQuery, type AnyLiveQuery, Feed, MemoryStore } from './feed.ts'
import { Global } from './global.ts'
import { History } from './history.ts'
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
import type { Client } from './types/client.ts'
import type { AnyChange, ChangeStore } from './types/feed.ts'
import type { UndoOptions } from './types/history.ts'

/** An outcome as it is answered. */
interface AnsweredOutcome {
  readonly etag?: string
  readonly entry?: object
}

/**
 * Makes a client of a service. Nothing is sent until it is asked for something.
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
 * @throws {TypeError} when `baseUrl` is no address of a service
 */
export function createClient<C extends DaybookConfig>(options: ClientOptions): Client<C> {
  const send = connect(options)
  const feed = new Feed(send, connectEvents(options))
  // A wrong password is also a 401, and no reason for a new session.
  const { renewSession: _, ...authOptions } = options
  const client = {
    collections: byKey((key) => new DraftCollection(send, key)),
    globals: byKey((key) => new Global(send, key)),
    assets: new Assets(send),
    auth: new Auth(connect(authOptions)),
    batch: (operations: readonly object[], given?: AnyWriteOptions) => batch(send, operations, given),
    changes: (given?: AnyFeedQuery) => feed.changes(given),
    subscribe: (given?: AnyLiveQuery) => feed.subscribe(given),
    sync: (store: ChangeStore<AnyChange>, given?: AnyLiveQuery) => feed.sync(store, given),
    memoryCopy: (onChange?: () => void) => new MemoryStore(onChange),
    undo: (range: UndoRange, given?: UndoOptions) => new History(send).undo(range, given),
    ...acrossCollections(send),
    request: (request: RequestOptions) => send({ method: 'GET', ...request, holds: 'anything' }),
    model: (given?: CallOptions) => send({ ...given, method: 'GET', path: ['api', 'cms', 'model'] }),
    health: (given?: CallOptions) => send({ ...given, method: 'GET', path: ['api', 'health'] }),
    ready: (given?: CallOptions) => send({ ...given, method: 'GET', path: ['api', 'ready'] }),
    withToken: (token: Token | undefined) => createClient({ ...options, token }),
  }
  // Types come from the config alone, of which nothing is there when this runs.
  return client as unknown as Client<C>
}

/** An object that has something for every key: which ones the service knows is its own business. */
function byKey<T>(make: (key: string) => T): object {
  const made = new Map<string, T>()
  return new Proxy(Object.freeze({}), {
    get: (_target, key) => {
      if (typeof key === 'symbol') return undefined
      const known = made.get(key) ?? make(key)
      made.set(key, known)
      return known
    },
  })
}

async function batch(
  send: Send,
  operations: readonly object[],
  { locale, dryRun, ...options }: AnyWriteOptions = {},
): Promise<unknown> {
  const body = { operations }
  const answer = await send({
    ...options,
    method: 'POST',
    path: ['api', 'cms', 'batch'],
    query: { locale, dryRun },
    body,
    holds: 'results',
  })
  const { results } = answer as { readonly results: readonly AnsweredOutcome[] }
  for (const { entry, etag } of results) if (entry && etag !== undefined) rememberTag(entry, etag)
  return results
}
