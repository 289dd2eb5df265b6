import { DaybookError, NetworkError, TimeoutError } from './errors.ts'
import { type QueryParams, toQueryString } from './query.ts'
import { type ResponseContent, readResponse } from './response.ts'
import { delayAfter, pause, type RetryOptions } from './retry.ts'

/** The options that every call takes. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** The longest time that the call may take, with all attempts and the whole response, in milliseconds. @default that of the client */
  readonly timeout?: number
  /** @default that of the client */
  readonly retry?: RetryOptions
}

/** A bearer token, or a function that returns one; the client calls it before each attempt. */
export type Token = string | (() => string | undefined | Promise<string | undefined>)

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ClientOptions {
  /** The address of the service, such as `https://cms.example.org`; in a browser also relative to the page. */
  readonly baseUrl: string
  /** Sends requests. @default the global `fetch` */
  readonly fetch?: Fetch
  /** Sent as `Authorization: Bearer`. @default none */
  readonly token?: Token | undefined
  /** The requests with which a browser sends cookies; `include` sends them to other origins, too. @default the default of `fetch` */
  readonly credentials?: 'include' | 'omit' | 'same-origin'
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The longest time that a call may take, with all attempts and the whole response, in milliseconds, or `Infinity`. @default 30,000 */
  readonly timeout?: number
  /**
   * Called when the service refuses a call for lack of a session (401). If it returns true, the call is sent once more, since the
   * service has carried out nothing of it. The methods of `auth` never call it. @default none
   */
  readonly renewSession?: () => Promise<boolean>
  /** The attempts for reads, and for writes with an idempotency key, and the pauses between them. */
  readonly retry?: RetryOptions
}

/** A request of any route. */
export interface RequestOptions extends CallOptions {
  /** @default 'GET' */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below `baseUrl`, such as `/api/cms/webhooks`, or a list of its segments, which the client encodes. */
  readonly path: `/${string}` | readonly string[]
  /** The query, written as `toQueryString` writes it. */
  readonly query?: QueryParams
  /** Sent as JSON; the body of a `PATCH` as a JSON merge patch (RFC 7396). */
  readonly body?: unknown
  /** Sent with this request, such as `If-Match`; they replace the client's. */
  readonly headers?: Readonly<Record<string, string>>
  /** The `Idempotency-Key`, with which the client retries a write as well. @default none */
  readonly idempotencyKey?: string
}

/** A form in place of JSON. */
export interface RequestForm {
  /** Body and headers of an attempt, which the signal ends. */
  open(signal: AbortSignal): Promise<RequestInit>
  /** Sends it where neither `fetch` nor `credentials` of the client say how. */
  readonly fetch?: Fetch
}

/** A request as the methods of the client send it. */
export interface Call extends RequestOptions {
  readonly method: NonNullable<RequestOptions['method']>
  readonly form?: RequestForm
  readonly ifMatch?: string
  readonly ifNoneMatch?: '*'
  readonly expects?: ResponseContent
}

/** The options of writes, whatever the config. */
export interface AnyWriteOptions extends CallOptions, Pick<Call, 'ifMatch' | 'ifNoneMatch' | 'idempotencyKey'> {
  readonly locale?: string
  readonly dryRun?: boolean
}

/** Sends a call and returns the parsed response. */
export type Send = (call: Call) => Promise<unknown>

const DEFAULT_TIMEOUT = 30_000
/** The longest delay of a timer, in milliseconds. */
const LONGEST_DELAY = 2 ** 31 - 1

/**
 * Makes the function that sends all calls of a client.
 *
 * @throws {TypeError} if `baseUrl` is not the address of a service
 */
export function connect(options: ClientOptions): Send {
  const base = toBase(options.baseUrl)
  return async (call) => {
    const url = base + toPath(call.path)
    try {
      return await sendInTime(url, call, options)
    } catch (error) {
      const isUnauthorized = error instanceof DaybookError && error.status === 401
      if (!isUnauthorized || !(await options.renewSession?.())) throw error
      call.signal?.throwIfAborted()
      return sendInTime(url, call, options)
    }
  }
}

/** Opens a stream of events, which the signal ends. @throws as a call does */
export type OpenEvents = (query: QueryParams, signal: AbortSignal) => Promise<Response>

/**
 * Makes the function that opens streams of a service. A stream has no timeout, and the function retries nothing.
 *
 * @throws {TypeError} if `baseUrl` is not the address of a service
 */
export function connectEvents(options: ClientOptions): OpenEvents {
  const url = `${toBase(options.baseUrl)}/api/cms/events`
  return async (query, signal) => {
    const response = await fetchResponse(url, { method: 'GET', path: [], query }, options, signal)
    const isStream = response.ok && response.headers.get('Content-Type')?.startsWith('text/event-stream')
    // Anything but a stream is an error, or the response of another server.
    if (!isStream) await readResponse(`GET ${url}`, response, 'events')
    return response
  }
}

/** `XMLHttpRequest` cannot leave out the cookies of the page's own origin. */
const fetchFor = ({ form }: Call, options: ClientOptions): Fetch =>
  options.fetch ?? (options.credentials === 'omit' ? undefined : form?.fetch) ?? fetch

/** The innermost message: `fetch` itself only says that it failed. */
const failureReason = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? failureReason(cause.cause) : cause.message
}

function toBase(baseUrl: string): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  const url = URL.canParse(baseUrl, location?.href) ? new URL(baseUrl, location?.href) : undefined
  // The message must not reveal a name or a password in it.
  const isPlain = url && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname
  if (isPlain) return url.href.replace(/\/+$/, '')
  throw new TypeError('baseUrl is invalid. Write only the address of the service, such as https://cms.example.org.')
}

/** @throws {TypeError} for a path that would change the host, the query, or the number of segments */
function toPath(path: string | readonly string[]): string {
  const text = typeof path === 'string' ? path : path.map((segment) => `/${toSegment(segment)}`).join('')
  if (/^\/[^?#]*$/.test(text)) return text
  throw new TypeError('path is invalid. Begin it with a slash, and write the parameters into query.')
}

/** True if a slug or an id can stand in an address: browsers take `..` for a way up. */
export const isAddressable = (segment: string): boolean => !['', '.', '..'].includes(segment)

function toSegment(segment: string): string {
  if (isAddressable(segment)) return encodeURIComponent(segment.toWellFormed())
  throw new TypeError(`"${segment}" is not an id.`)
}

/** Sends one attempt. */
async function fetchResponse(url: string, call: Call, options: ClientOptions, signal: AbortSignal): Promise<Response> {
  const request = `${call.method} ${url}`
  const address = url + toQueryString(call.query ?? {})
  const init = await toInit(request, call, options, signal)
  return fetchFor(call, options)(address, init).catch((cause: unknown) => {
    throw new NetworkError(request, `got no response: ${failureReason(cause)}`, cause)
  })
}

async function toInit(request: string, call: Call, options: ClientOptions, signal: AbortSignal): Promise<RequestInit> {
  const { method, body, form, ifMatch, ifNoneMatch, idempotencyKey } = call
  const { credentials } = options
  const token = typeof options.token === 'function' ? await options.token() : options.token
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const { headers: formHeaders, ...formInit } = (await form?.open(signal)) ?? {}
  const headers = toHeaders(request, options.headers, {
    Accept: 'application/json',
    Authorization: token ? `Bearer ${token}` : undefined,
    'Content-Type': body === undefined ? undefined : type,
    'If-Match': ifMatch,
    'If-None-Match': ifNoneMatch,
    'Idempotency-Key': idempotencyKey,
    ...(formHeaders as Readonly<Record<string, string>> | undefined),
    ...call.headers,
  })
  return {
    ...formInit,
    method,
    headers,
    signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(credentials === undefined ? {} : { credentials }),
  }
}

function toHeaders(
  request: string,
  clientHeaders: ClientOptions['headers'],
  requestHeaders: Readonly<Record<string, string | undefined>>,
): Headers {
  try {
    const headers = new Headers(clientHeaders)
    for (const [name, value] of Object.entries(requestHeaders)) if (value !== undefined) headers.set(name, value)
    return headers
  } catch {
    // The platform's message holds the value, which may be a token.
    throw new TypeError(`${request} was not sent: the token or a header has invalid characters.`)
  }
}

/** A write without an idempotency key could be carried out twice, so it is sent once. */
function retryOptionsFor({ method, idempotencyKey, retry }: Call, options: ClientOptions): RetryOptions {
  const isRepeatable = method === 'GET' || idempotencyKey !== undefined
  return { ...options.retry, ...retry, ...(isRepeatable ? {} : { attempts: 1 }) }
}

/** Sends a call, retries it as far as that helps, and ends it with its signal and its timeout, also where `fetch` ignores both. */
async function sendInTime(url: string, call: Call, options: ClientOptions): Promise<unknown> {
  const request = `${call.method} ${url}`
  const timeout = call.timeout ?? options.timeout ?? DEFAULT_TIMEOUT
  const deadline = performance.now() + timeout
  const retry = retryOptionsFor(call, options)
  const controller = new AbortController()
  const { signal } = controller
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  let failure: unknown
  const abort = (): void => controller.abort(call.signal?.reason)
  const expire = (): void => controller.abort(new TimeoutError(request, timeout, failure))
  const timer = timeout <= LONGEST_DELAY ? setTimeout(expire, timeout) : undefined
  try {
    call.signal?.throwIfAborted()
    call.signal?.addEventListener('abort', abort)
    for (let count = 1; ; count += 1) {
      try {
        const attempt = fetchResponse(url, call, options, signal)
        return await Promise.race([attempt.then((response) => readResponse(request, response, call.expects)), aborted])
      } catch (error) {
        signal.throwIfAborted()
        // The outcome of the earlier attempt is unknown: it may be the reason for this refusal.
        if (error instanceof DaybookError && count > 1) error.cause = failure
        failure = error
        const delay = delayAfter(error, count, retry)
        if (delay === undefined || performance.now() + delay >= deadline) throw error
        await pause(delay, signal)
        signal.throwIfAborted()
      }
    }
  } finally {
    clearTimeout(timer)
    call.signal?.removeEventListener('abort', abort)
  }
}
