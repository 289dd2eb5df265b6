import { FileBody } from '../assets/file-body.ts'
import type { CacheTagHeader } from '../config/config.ts'
import type { Access } from '../content/access/access.ts'
import type { DocumentResponse, LazyResponse } from '../content/reads/index.ts'
import { DaybookError, ERRORS, type ErrorCode, type ErrorDetails } from '../errors.ts'

export interface HttpResponse {
  readonly status: number
  /** JSON text, or its bytes in UTF-8. */
  readonly json?: string | Uint8Array
  /** Content with one character for each byte; the headers contain its type. */
  readonly octets?: string
  /** Content of another type, which the headers contain. */
  readonly content?: ReadableStream<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[]
}

export interface TextResponse extends HttpResponse {
  readonly json?: string
}

/** A response with all headers, except those that depend on the connection. */
export interface FinishedResponse extends Omit<HttpResponse, 'headers' | 'cookies'> {
  /** Alternating names and values of headers. */
  readonly head: readonly string[]
}

/** The request headers on which most responses depend. */
export const VARY = 'Authorization, Cookie, Origin'
/** The same for a response that may be compressed. */
const VARY_CODED = `${VARY}, Accept-Encoding`
/** The headers of responses for a single caller. */
export const PRIVATE_HEADERS: { readonly 'Cache-Control': string; readonly Vary: string } = {
  'Cache-Control': 'private, no-store',
  Vary: VARY,
}
export const NO_STORE_HEADERS = { 'Cache-Control': 'no-store' } as const

export interface CachePolicy {
  /** The `Cache-Control` for callers without a session. */
  readonly publicCacheControl: string
  /** The headers that list the surrogate keys for a CDN. */
  readonly cacheTags: readonly CacheTagHeader[]
}

const TAG_SEPARATORS: Readonly<Record<CacheTagHeader, string>> = { 'Surrogate-Key': ' ', 'Cache-Tag': ',' }

const NOTHING: readonly string[] = []

export function buildCacheTagHeaders(
  { cacheTags }: Pick<CachePolicy, 'cacheTags'>,
  surrogateKeys: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(cacheTags.map((header) => [header, surrogateKeys.join(TAG_SEPARATORS[header])]))
}

/**
 * Builds the response to a read of a document or a list.
 *
 * @param json `undefined` for a 304
 * @param surrogateKeys see {@link LazyResponse.surrogateKeys}
 */
export function buildReadResponse(
  policy: CachePolicy,
  { isAuthenticated }: Pick<Access, 'isAuthenticated'>,
  tag: string,
  json: HttpResponse['json'],
  surrogateKeys: LazyResponse['surrogateKeys'] = () => NOTHING,
): HttpResponse {
  const cacheControl = isAuthenticated ? PRIVATE_HEADERS['Cache-Control'] : policy.publicCacheControl
  const commonHeaders = { ETag: tag, 'Cache-Control': cacheControl, Vary: VARY_CODED }
  const keys = isAuthenticated || policy.cacheTags.length === 0 ? NOTHING : surrogateKeys()
  const headers = keys.length > 0 ? { ...commonHeaders, ...buildCacheTagHeaders(policy, keys) } : commonHeaders
  return json === undefined ? { status: 304, headers } : { status: 200, json, headers }
}

export function buildWriteResponse(
  status: 200 | 201,
  { json, tag, seq }: DocumentResponse,
  headers: Readonly<Record<string, string>> = {},
): TextResponse {
  return { status, json, headers: { ETag: tag, 'Daybook-Seq': String(seq), ...PRIVATE_HEADERS, ...headers } }
}

/**
 * Builds the headers with the sequence numbers of a write of several documents. They do not reveal changes of documents that the caller may
 * not see.
 *
 * @param firstSeq `undefined` if nothing has changed
 * @param seq the last change of the documents in the response, or their revision; 0 if there are none
 */
export function buildChangeHeaders(firstSeq: number | undefined, seq: number): Readonly<Record<string, string>> {
  if (seq === 0) return {}
  const first = firstSeq !== undefined && firstSeq <= seq ? { 'Daybook-First-Seq': String(firstSeq) } : {}
  return { ...first, 'Daybook-Seq': String(seq) }
}

/** Builds the response to a dry run. It contains no revision, since another change may get that number. */
export const buildDryRunResponse = (status: 200 | 201, json: string): TextResponse => ({
  status,
  json,
  headers: { ...PRIVATE_HEADERS, 'Daybook-Dry-Run': 'true' },
})

export const buildNoContentResponse = (seq: number, isDry = false): HttpResponse => ({
  status: 204,
  headers: {
    'Cache-Control': PRIVATE_HEADERS['Cache-Control'],
    ...(isDry ? { 'Daybook-Dry-Run': 'true' } : { 'Daybook-Seq': String(seq) }),
  },
})

/** The default of `Retry-After`, in seconds. */
const RETRY_AFTER = '1'

/** Headers of errors besides `Cache-Control`, by code. */
export const ERROR_HEADERS: { readonly [Code in ErrorCode]?: Readonly<Record<string, string>> } = {
  UNAUTHORIZED: { 'WWW-Authenticate': 'Bearer realm="daybook"' },
  SERVICE_UNAVAILABLE: { 'Retry-After': RETRY_AFTER },
  RATE_LIMITED: { 'Retry-After': RETRY_AFTER },
  RANGE_NOT_SATISFIABLE: { 'Content-Range': 'bytes */0' },
}

/** Adds the headers of every response. */
export function finishResponse(
  { headers = {}, cookies, ...response }: HttpResponse,
  common: Readonly<Record<string, string>>,
): FinishedResponse {
  const head: string[] = []
  for (const name in common) if (!Object.hasOwn(headers, name)) head.push(name, common[name] as string)
  for (const name in headers) head.push(name, headers[name] as string)
  if (response.json !== undefined) head.push('Content-Type', 'application/json')
  if (response.content instanceof FileBody) head.push('Content-Length', String(response.content.length))
  for (const cookie of cookies ?? []) head.push('Set-Cookie', cookie)
  return { ...response, head }
}

export function toWebResponse({ status, json, octets, content, head }: FinishedResponse, method: string): Response {
  const headers = new Headers()
  for (let at = 0; at < head.length; at += 2) headers.append(head[at] as string, head[at + 1] as string)
  if (method === 'HEAD') void content?.cancel()
  const body = json ?? (octets === undefined ? content : Buffer.from(octets, 'latin1'))
  return new Response(method === 'HEAD' ? null : (body ?? null), { status, headers })
}

/** Headers of the connection and of the transfer (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = ['connection', 'content-length', 'keep-alive', 'set-cookie', 'transfer-encoding', 'upgrade']

const SERVICE_HEADERS = ['x-request-id', 'x-content-type-options']

/** Converts the response of an auth provider or a plugin. By default, it is not cached. */
export function fromWebResponse({ status, headers, body }: Response): HttpResponse {
  const passedHeaders = [...headers].filter(([name]) => !HOP_BY_HOP.includes(name) && !SERVICE_HEADERS.includes(name))
  const allHeaders = { 'cache-control': 'private, no-store', ...Object.fromEntries(passedHeaders) }
  return { status, headers: allHeaders, cookies: headers.getSetCookie(), ...(body ? { content: body } : {}) }
}

/** Returns the `Retry-After` of an error with a more precise time than the default. */
const getRetryAfter = ({ retryAfter: seconds }: ErrorDetails): Readonly<Record<string, string>> =>
  typeof seconds === 'number' ? { 'Retry-After': String(seconds) } : {}

/** Returns the length of a file that has no such range (RFC 9110, section 14.4). */
const getRangeHeaders = ({ code, details: { size } }: DaybookError): Readonly<Record<string, string>> =>
  code === 'RANGE_NOT_SATISFIABLE' && typeof size === 'number' ? { 'Content-Range': `bytes */${size}` } : {}

/** Builds the response of an error. Unexpected errors become INTERNAL_ERROR, without details. */
export function buildErrorResponse(error: unknown, requestId: string): HttpResponse {
  const daybookError = error instanceof DaybookError ? error : new DaybookError('INTERNAL_ERROR')
  const { code, message, details } = daybookError
  return {
    status: ERRORS[code].status,
    json: JSON.stringify({ code, message, details, requestId }),
    headers: {
      'Cache-Control': 'no-store',
      ...ERROR_HEADERS[code],
      ...getRetryAfter(details),
      ...getRangeHeaders(daybookError),
    },
  }
}
