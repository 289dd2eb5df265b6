import { type AnswerContent, readAnswer } from './answer.ts'
import { DaybookError, NetworkError, TimeoutError } from './errors.ts'
import { type QueryParams, toQueryString } from './query.ts'
import { delayAfter, type RetryOptions } from './retry.ts'

/** What every call takes. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** How long the call may take, with all attempts and the whole answer, in milliseconds. @default that of the client */
  readonly timeout?: number
  /** @default that of the client */
  readonly retry?: RetryOptions
}

/** A bearer token, or what gives one: it is asked before each attempt. */
export type Token = string | (() => string | undefined | Promise<string | undefined>)

/** Sends a request. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** How a service is reached. */
export interface ClientOptions {
  /** Where the service is, such as `https://cms.example.org`; in a browser also relative to the page. */
  readonly baseUrl: string
  /** Sends requests. @default the global `fetch` */
  readonly fetch?: Fetch
  /** Sent as `Authorization: Bearer`. @default none */
  readonly token?: Token | undefined
  /** Whether a browser sends cookies; `include` sends them to other origins, too. @default what `fetch` does */
  readonly credentials?: 'include' | 'omit' | 'same-origin'
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** How long a call may take, with all attempts and the whole answer, in milliseconds; `Infinity`: no limit. @default 30,000 */
  readonly timeout?: number
  /**
   * Asked when the service answers that a call needs a session (401): a call for which it answers true is sent once more, as nothing of
   * it was carried out. Calls about sessions themselves do not ask. @default none
   */
  readonly renewSession?: () => Promise<boolean>
  /** Which pauses reads, and writes with an idempotency key, are tried again after. */
  readonly retry?: RetryOptions
}

/** A form in place of JSON. */
export interface RequestForm {
  /** Body and headers of an attempt, which the signal ends. */
  open(signal: AbortSignal): Promise<RequestInit>
  /** Sends it where neither `fetch` nor `credentials` of the client say how. */
  readonly fetch?: Fetch
}

/** One call of the service. */
export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Segments below `/api`. */
  readonly path: readonly string[]
  readonly query?: QueryParams
  readonly body?: unknown
  readonly form?: RequestForm
  readonly ifMatch?: string
  readonly ifNoneMatch?: '*'
  readonly idempotencyKey?: string
  readonly holds?: AnswerContent
}

/** What writes take, whatever the config. */
export interface AnyWriteOptions extends CallOptions, Pick<Call, 'ifMatch' | 'ifNoneMatch' | 'idempotencyKey'> {
  readonly locale?: string
  readonly dryRun?: boolean
}

/** Sends a call and answers what the service does. */
export type Send = (call: Call) => Promise<unknown>

const DEFAULT_TIMEOUT = 30_000
/** The longest time that timers know, in milliseconds. */
const LONGEST = 2 ** 31 - 1

/**
 * Makes the one function that talks to a service.
 *
 * @throws {TypeError} when `baseUrl` is no address of a service
 */
export function connect(options: ClientOptions): Send {
  const base = toBase(options.baseUrl)
  return async (call) => {
    const url = base + toPath(call.path)
    const request = `${call.method} ${url}`
    const search = toQueryString(call.query ?? {})
    const timeout = call.timeout ?? options.timeout ?? DEFAULT_TIMEOUT
    const ask = (): Promise<unknown> =>
      withinTime(timeout, request, call.signal, (watch) =>
        repeat({ ...options.retry, ...call.retry }, call, watch, async () => {
          const init = await toInit(request, call, options, watch.signal)
          const response = await fetchFor(call, options)(url + search, init).catch((cause: unknown) => {
            throw new NetworkError(request, `got no answer: ${failureReason(cause)}`, cause)
          })
          return readAnswer(request, response, call.holds)
        }),
      )
    return ask().catch(async (error: unknown) => {
      if (!(await isRenewed(error, call, options))) throw error
      return ask()
    })
  }
}

/** Whether a call that needs a session has one now. */
async function isRenewed(error: unknown, { path, signal }: Call, { renewSession }: ClientOptions): Promise<boolean> {
  const isAboutSessions = path[0] === 'cms' && path[1] === 'auth'
  if (!renewSession || isAboutSessions || !(error instanceof DaybookError) || error.status !== 401) return false
  const isRenewed = await renewSession()
  signal?.throwIfAborted()
  return isRenewed
}

/** Opens a stream of events, which the signal ends. @throws as a call does */
export type OpenEvents = (query: QueryParams, signal: AbortSignal) => Promise<Response>

/**
 * Makes the function that opens streams of a service. No time limit is set to them, and none is opened twice.
 *
 * @throws {TypeError} when `baseUrl` is no address of a service
 */
export function connectEvents(options: ClientOptions): OpenEvents {
  const url = `${toBase(options.baseUrl)}${toPath(['cms', 'events'])}`
  const call: Call = { method: 'GET', path: [] }
  return async (query, signal) => {
    const request = `GET ${url}`
    const init = await toInit(request, call, options, signal)
    const response = await fetchFor(call, options)(url + toQueryString(query), init).catch((cause: unknown) => {
      throw new NetworkError(request, `got no answer: ${failureReason(cause)}`, cause)
    })
    const isStream = response.ok && response.headers.get('Content-Type')?.startsWith('text/event-stream')
    // What is no stream is an error, or the answer of something else.
    if (!isStream) await readAnswer(request, response, 'events')
    return response
  }
}

/** `XMLHttpRequest` cannot leave out the cookies of the page's own origin. */
const fetchFor = ({ form }: Call, { fetch: own, credentials }: ClientOptions): Fetch =>
  own ?? (credentials === 'omit' ? undefined : form?.fetch) ?? fetch

/** The innermost message: `fetch` itself says no more than that it failed. */
const failureReason = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? failureReason(cause.cause) : cause.message
}

function toBase(baseUrl: string): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  const url = URL.canParse(baseUrl, location?.href) ? new URL(baseUrl, location?.href) : undefined
  // A name or a password in it is left out of what is said.
  const isPlain = url && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname
  if (isPlain) return url.href.replace(/\/+$/, '')
  throw new TypeError('baseUrl: write the address of the service alone, such as https://cms.example.org')
}

/** @throws {TypeError} for a segment that an address cannot hold, as browsers take it for a way up */
function toPath(segments: readonly string[]): string {
  return ['/api', ...segments.map(toSegment)].join('/')
}

/** Whether a slug or an id can stand in an address. */
export const isAddressable = (segment: string): boolean => !['', '.', '..'].includes(segment)

function toSegment(segment: string): string {
  if (isAddressable(segment)) return encodeURIComponent(segment.toWellFormed())
  throw new TypeError(`"${segment}" is no id`)
}

async function toInit(
  request: string,
  { method, body, form, ifMatch, ifNoneMatch, idempotencyKey }: Call,
  { token, credentials, headers }: ClientOptions,
  signal: AbortSignal,
): Promise<RequestInit> {
  const given = typeof token === 'function' ? await token() : token
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const own = {
    Accept: 'application/json',
    Authorization: given ? `Bearer ${given}` : undefined,
    'Content-Type': body === undefined ? undefined : type,
    'If-Match': ifMatch,
    'If-None-Match': ifNoneMatch,
    'Idempotency-Key': idempotencyKey,
  }
  const { headers: formHeaders, ...formInit } = (await form?.open(signal)) ?? {}
  return {
    ...formInit,
    method,
    headers: toHeaders(request, headers, { ...own, ...(formHeaders as Record<string, string>) }),
    signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(credentials === undefined ? {} : { credentials }),
  }
}

function toHeaders(
  request: string,
  given: ClientOptions['headers'],
  own: Readonly<Record<string, string | undefined>>,
): Headers {
  try {
    const headers = new Headers(given)
    for (const [name, value] of Object.entries(own)) if (value !== undefined) headers.set(name, value)
    return headers
  } catch {
    // What the platform says of it holds the value, which may be a token.
    throw new TypeError(`${request}: the token or a header holds characters that no header takes`)
  }
}

/** What ends a call before its time. */
interface Watch {
  readonly signal: AbortSignal
  /** When the call is over, as `performance.now()` counts. */
  readonly until: number
  /** What the last attempt failed with. */
  failure?: unknown
}

/** Gives work a time, and ends it with a signal, also where `fetch` would not. */
async function withinTime<T>(
  timeout: number,
  request: string,
  given: AbortSignal | undefined,
  work: (watch: Watch) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  const watch: Watch = { signal, until: performance.now() + timeout }
  const abort = (): void => controller.abort(given?.reason)
  const timer =
    timeout <= LONGEST && setTimeout(() => controller.abort(new TimeoutError(request, timeout, watch.failure)), timeout)
  given?.addEventListener('abort', abort)
  if (given?.aborted) abort()
  try {
    return await unlessAborted(signal, () => work(watch))
  } finally {
    if (timer !== false) clearTimeout(timer)
    given?.removeEventListener('abort', abort)
  }
}

function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    if (signal.aborted) reject(signal.reason)
    else work().then(resolve, reject)
  })
}

/** Tries a call until it is answered; what is not safe to send twice, once. */
async function repeat<T>(
  options: RetryOptions,
  { method, idempotencyKey }: Call,
  watch: Watch,
  attempt: () => Promise<T>,
): Promise<T> {
  const isRepeatable = method === 'GET' || idempotencyKey !== undefined
  const limits = isRepeatable ? options : { ...options, attempts: 1 }
  for (let count = 1; ; count += 1) {
    try {
      return await attempt()
    } catch (error) {
      // What an earlier attempt came to is not known: it may be why this one is refused.
      if (error instanceof DaybookError && count > 1) error.cause = watch.failure
      watch.failure = error
      const delay = delayAfter(error, count, limits)
      if (delay === undefined || performance.now() + delay >= watch.until) throw error
      await pause(delay, watch.signal)
    }
  }
}

function pause(delay: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, delay)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
