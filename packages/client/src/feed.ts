import { DaybookError, NetworkError } from './errors.ts'
import type { QueryParams } from './query.ts'
import type { Call, CallOptions, OpenEvents, Send } from './request.ts'
import { delayAfter, pause, type RetryOptions } from './retry.ts'
import type { AnyChange, ChangeStore } from './types/journal.ts'

export interface AnyFeedQuery extends CallOptions {
  readonly since?: string | undefined
  readonly collections?: readonly string[]
  readonly limit?: number
}

interface AnyPage {
  readonly items: readonly AnyChange[]
  readonly next: string
}

export interface AnyLiveQuery {
  readonly since?: string | undefined
  readonly collections?: readonly string[]
  readonly signal?: AbortSignal
  readonly idleTimeout?: number
}

/** The page size with which a copy catches up. */
const COPY_PAGE = 1000
/** Three heartbeats of a service, in milliseconds. */
const IDLE_MS = 45_000
/** The default pause before a reconnection, in milliseconds. */
const RECONNECT_MS = 2000
/** Failed connections are retried forever, after pauses of up to half a minute. */
const RETRY_FOREVER: RetryOptions = { attempts: Number.POSITIVE_INFINITY, minDelay: 1000, maxDelay: 30_000 }

export class Feed {
  readonly #send: Send
  readonly #open: OpenEvents

  constructor(send: Send, open: OpenEvents) {
    this.#send = send
    this.#open = open
  }

  async changes({ since, collections, limit, ...options }: AnyFeedQuery = {}): Promise<AnyPage> {
    const query: QueryParams = { since, collections, limit }
    const call: Call = { ...options, method: 'GET', path: ['api', 'cms', 'changes'], query, expects: 'items' }
    return (await this.#send(call)) as AnyPage
  }

  async *subscribe(query: AnyLiveQuery = {}): AsyncGenerator<AnyChange, void> {
    for await (const { items } of this.#groups(query)) yield* items
  }

  async sync(store: ChangeStore<AnyChange>, query: AnyLiveQuery = {}): Promise<void> {
    const { collections, signal } = query
    let since = await store.token()
    for (let isFirst = true; !signal?.aborted; isFirst = false) {
      try {
        since = await this.#catchUp(store, since, { collections, signal } as AnyFeedQuery)
        for await (const { items, next } of this.#groups({ ...query, since })) await store.apply(items, next)
      } catch (error) {
        if (signal?.aborted) return
        const restart = getRestart(error)
        if (!restart) throw error
        // Clear at once: the copy may contain content that the session may no longer see.
        await store.clear()
        since = restart.token
        if (!isFirst) await pause(RECONNECT_MS, signal)
      }
    }
  }

  async #catchUp(store: ChangeStore<AnyChange>, from: string | undefined, query: AnyFeedQuery): Promise<string> {
    for (let since = from; ; ) {
      const { items, next } = await this.changes({
        ...query,
        since,
        limit: COPY_PAGE,
        retry: RETRY_FOREVER,
        timeout: Infinity,
      })
      if (next !== since) await store.apply(items, next)
      else return next
      since = next
    }
  }

  /** Yields groups of items with the token after them. Reconnects by itself, and continues after the last group. */
  async *#groups(query: AnyLiveQuery): AsyncGenerator<AnyPage, void> {
    const { since, signal } = query
    let token = since
    let reconnectMs = RECONNECT_MS
    for (let failures = 0; !signal?.aborted; ) {
      try {
        for await (const { items, next = token, retry } of this.#connection(token, query)) {
          failures = 0
          reconnectMs = retry ?? reconnectMs
          if (items.length > 0 && next !== undefined) yield { items, next }
          token = next
        }
        await pause(reconnectMs * Math.random(), signal)
      } catch (error) {
        failures += 1
        await waitForRetry(error, failures, signal)
      }
    }
  }

  /** Yields the groups of one connection. */
  async *#connection(
    since: string | undefined,
    { collections, signal, idleTimeout = IDLE_MS }: AnyLiveQuery,
  ): AsyncGenerator<Group, void> {
    const connection = new AbortController()
    const abort = (): void => connection.abort(signal?.reason)
    signal?.addEventListener('abort', abort)
    try {
      const response = await this.#open({ since, collections }, connection.signal)
      yield* readGroups(response, connection, idleTimeout)
    } finally {
      signal?.removeEventListener('abort', abort)
      connection.abort()
    }
  }
}

/** Waits before a reconnection, unless the signal is aborted. @throws the error if a retry cannot help */
async function waitForRetry(error: unknown, failures: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return
  const delay = delayAfter(error, failures, RETRY_FOREVER)
  if (delay === undefined) throw error
  await pause(delay, signal)
}

/** Returns the token to restart a copy with, none for a service with another store; `undefined` for any other error. */
function getRestart(error: unknown): { readonly token: string | undefined } | undefined {
  if (!(error instanceof DaybookError)) return undefined
  if (error.code === 'GONE') return { token: String(error.details.restart) }
  const isForeign = error.details.issues?.some(({ code }) => code === 'token')
  return isForeign ? { token: undefined } : undefined
}

/** The fields between two ids of a stream. */
interface Group {
  readonly items: readonly AnyChange[]
  readonly next?: string | undefined
  readonly retry?: number | undefined
}

/** @throws {NetworkError} after the idle timeout, and if the connection broke; {DaybookError} on `reset` */
async function* readGroups(
  response: Response,
  connection: AbortController,
  idleTimeout: number,
): AsyncGenerator<Group, void> {
  const request = 'GET /api/cms/events'
  let items: AnyChange[] = []
  for await (const block of readBlocks(response, request, connection, idleTimeout)) {
    const fields = new Map(block.split('\n').map(splitField))
    const [event, data, id, retry] = ['event', 'data', 'id', 'retry'].map((name) => fields.get(name))
    if (event === 'reset') throw createResetError(request, JSON.parse(data ?? '{}'))
    if (data !== undefined && (event === 'upsert' || event === 'delete')) items.push(JSON.parse(data))
    if (id === undefined && retry === undefined) continue
    yield { items, next: id, retry: retry === undefined ? undefined : Number(retry) }
    items = []
  }
}

const createResetError = (request: string, details: { readonly restart?: string }): DaybookError =>
  new DaybookError(request, {
    code: 'GONE',
    status: 410,
    message: 'The events cannot continue. Start again with details.restart.',
    details,
    requestId: '',
    retryAfter: undefined,
  })

async function* readBlocks(
  response: Response,
  request: string,
  connection: AbortController,
  idleTimeout: number,
): AsyncGenerator<string, void> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const { signal } = connection
  // The response of a custom fetch may ignore the signal.
  signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}))
  for (let text = ''; reader; ) {
    const timer = setTimeout(() => connection.abort(new Error(`No data arrived for ${idleTimeout} ms.`)), idleTimeout)
    const { done, value } = await reader
      .read()
      .catch((cause: unknown) => {
        throw new NetworkError(request, 'was interrupted.', cause)
      })
      .finally(() => clearTimeout(timer))
    if (done && signal.aborted) throw new NetworkError(request, 'was interrupted.', signal.reason)
    if (done) return
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n')
    text = blocks.pop() ?? ''
    yield* blocks
  }
}

function splitField(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()]
}

/** A copy in memory, for `sync`. */
export class MemoryStore implements ChangeStore<AnyChange> {
  readonly #entries = new Map<string, Map<string, object>>()
  readonly #onChange: () => void
  #token: string | undefined

  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange
  }

  token(): string | undefined {
    return this.#token
  }

  apply(items: readonly AnyChange[], next: string): void {
    for (const item of items) {
      const entries = this.#entries.get(item.collection) ?? new Map<string, object>()
      this.#entries.set(item.collection, entries)
      if (item.action === 'upsert') entries.set(item.id, item.data)
      else entries.delete(item.id)
    }
    this.#token = next
    if (items.length > 0) this.#onChange()
  }

  clear(): void {
    this.#entries.clear()
    this.#token = undefined
    this.#onChange()
  }

  get(collection: string, id: string): object | undefined {
    return this.#entries.get(collection)?.get(id)
  }

  all(collection: string): readonly object[] {
    return [...(this.#entries.get(collection)?.values() ?? [])]
  }
}
