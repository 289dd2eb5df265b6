import { FileBody } from '../assets/file-body.ts'
import type { CacheTagHeader } from '../config/config.ts'
import type { Access } from '../content/access/access.ts'
import type { DocumentResponse, LazyResponse } from '../content/reads/index.ts'
import { DaybookError, ERRORS, type ErrorCode, type ErrorDetails } from '../errors.ts'

/** The answer of a route. */
export interface HttpResponse {
  readonly status: number
  /** JSON text, or its bytes in UTF-8. */
  readonly json?: string | Uint8Array
  /** Content that is ready to be sent: each character is a byte. Headers name its type. */
  readonly octets?: string
  /** Content of another type, which a header names. */
  readonly content?: ReadableStream<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[]
}

/** A reply that can be stored. */
export interface TextResponse extends HttpResponse {
  readonly json?: string
}

/** A reply with all its headers, as it is sent but for those that depend on the connection. */
export interface FinishedResponse extends Omit<HttpResponse, 'headers' | 'cookies'> {
  /** Names and values of its headers, in turn. */
  readonly head: readonly string[]
}

/** Headers of a request that choose its answer. */
export const VARY = 'Authorization, Cookie, Origin'
/** The same where the answer may be compressed. */
const VARY_CODED = `${VARY}, Accept-Encoding`
/** Of answers that are for one reader alone. */
export const PRIVATE_HEADERS: { readonly 'Cache-Control': string; readonly Vary: string } = {
  'Cache-Control': 'private, no-store',
  Vary: VARY,
}
export const NO_STORE_HEADERS = { 'Cache-Control': 'no-store' } as const

/** The `Cache-Control` of what a reader is answered. */
export interface CachePolicy {
  /** `Cache-Control` of an answer to a reader without a session. */
  readonly publicCacheControl: string
  /** Headers in which such an answer names what it is made of. */
  readonly cacheTags: readonly CacheTagHeader[]
}

/** What stands between tags, by header. */
const TAG_SEPARATORS: Readonly<Record<CacheTagHeader, string>> = { 'Surrogate-Key': ' ', 'Cache-Tag': ',' }

const NOTHING: readonly string[] = []

/** The headers that tell a CDN what an answer to a reader without a session is made of. */
export function buildCacheTagHeaders(
  { cacheTags }: Pick<CachePolicy, 'cacheTags'>,
  surrogateKeys: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(cacheTags.map((header) => [header, surrogateKeys.join(TAG_SEPARATORS[header])]))
}

/**
 * The answer to a read: a document or a list.
 *
 * @param json `undefined`: the client has it, and is told so
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
  const own = { ETag: tag, 'Cache-Control': cacheControl, Vary: VARY_CODED }
  const keys = isAuthenticated || policy.cacheTags.length === 0 ? NOTHING : surrogateKeys()
  const headers = keys.length > 0 ? { ...own, ...buildCacheTagHeaders(policy, keys) } : own
  return json === undefined ? { status: 304, headers } : { status: 200, json, headers }
}

/** A document that was written. */
export function buildWriteResponse(
  status: 200 | 201,
  { json, tag, seq }: DocumentResponse,
  headers: Readonly<Record<string, string>> = {},
): TextResponse {
  return { status, json, headers: { ETag: tag, 'Daybook-Seq': String(seq), ...PRIVATE_HEADERS, ...headers } }
}

/**
 * Which changes of the journal a write of several documents made. What it changed last in documents that the caller may not see is not told:
 * the numbers of an answer say nothing of these.
 *
 * @param firstSeq `undefined`: nothing has changed
 * @param seq the last change of its own documents, or their revision; 0: there is none
 */
export function buildChangeHeaders(firstSeq: number | undefined, seq: number): Readonly<Record<string, string>> {
  if (seq === 0) return {}
  const first = firstSeq !== undefined && firstSeq <= seq ? { 'Daybook-First-Seq': String(firstSeq) } : {}
  return { ...first, 'Daybook-Seq': String(seq) }
}

/** What a write would have answered that was a dry run. It names no revision: another change may get its number. */
export const buildDryRunResponse = (status: 200 | 201, json: string): TextResponse => ({
  status,
  json,
  headers: { ...PRIVATE_HEADERS, 'Daybook-Dry-Run': 'true' },
})

/** The answer to a write after which there is nothing to show. */
export const buildNoContentResponse = (seq: number, isDry = false): HttpResponse => ({
  status: 204,
  headers: {
    'Cache-Control': PRIVATE_HEADERS['Cache-Control'],
    ...(isDry ? { 'Daybook-Dry-Run': 'true' } : { 'Daybook-Seq': String(seq) }),
  },
})

/** Seconds after which a client may try again. */
const RETRY_AFTER = '1'

/** Headers of errors beside `Cache-Control`, by code. */
export const ERROR_HEADERS: { readonly [Code in ErrorCode]?: Readonly<Record<string, string>> } = {
  UNAUTHORIZED: { 'WWW-Authenticate': 'Bearer realm="daybook"' },
  SERVICE_UNAVAILABLE: { 'Retry-After': RETRY_AFTER },
  RATE_LIMITED: { 'Retry-After': RETRY_AFTER },
  RANGE_NOT_SATISFIABLE: { 'Content-Range': 'bytes */0' },
}

/** Adds to a reply what every answer carries. */
export function finishResponse(
  { headers = {}, cookies, ...reply }: HttpResponse,
  common: Readonly<Record<string, string>>,
): FinishedResponse {
  const head: string[] = []
  for (const name in common) if (!Object.hasOwn(headers, name)) head.push(name, common[name] as string)
  for (const name in headers) head.push(name, headers[name] as string)
  if (reply.json !== undefined) head.push('Content-Type', 'application/json')
  if (reply.content instanceof FileBody) head.push('Content-Length', String(reply.content.length))
  for (const cookie of cookies ?? []) head.push('Set-Cookie', cookie)
  return { ...reply, head }
}

/** The Response of a reply; the only place that makes one. */
export function toWebResponse({ status, json, octets, content, head }: FinishedResponse, method: string): Response {
  const headers = new Headers()
  for (let at = 0; at < head.length; at += 2) headers.append(head[at] as string, head[at + 1] as string)
  if (method === 'HEAD') void content?.cancel()
  const body = json ?? (octets === undefined ? content : Buffer.from(octets, 'latin1'))
  return new Response(method === 'HEAD' ? null : (body ?? null), { status, headers })
}

/** Headers that say how a message was sent, and not what it says (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = ['connection', 'content-length', 'keep-alive', 'set-cookie', 'transfer-encoding', 'upgrade']

/** Headers that every answer has from the service, and once. */
const SERVICE_HEADERS = ['x-request-id', 'x-content-type-options']

/** The response of an auth provider, unchanged; without a `Cache-Control` of its own it is not cached. */
export function fromWebResponse({ status, headers, body }: Response): HttpResponse {
  const own = [...headers].filter(([name]) => !HOP_BY_HOP.includes(name) && !SERVICE_HEADERS.includes(name))
  const all = { 'cache-control': 'private, no-store', ...Object.fromEntries(own) }
  return { status, headers: all, cookies: headers.getSetCookie(), ...(body ? { content: body } : {}) }
}

/** When to come again, where the error knows better than the table. */
const retryAfter = ({ retryAfter: seconds }: ErrorDetails): Readonly<Record<string, string>> =>
  typeof seconds === 'number' ? { 'Retry-After': String(seconds) } : {}

/** How long the file is that has no such part (RFC 9110, section 14.4). */
const rangeHeaders = ({ code, details: { size } }: DaybookError): Readonly<Record<string, string>> =>
  code === 'RANGE_NOT_SATISFIABLE' && typeof size === 'number' ? { 'Content-Range': `bytes */${size}` } : {}

/** The reply of an error; of one that was not thrown on purpose, nothing but that it happened. */
export function buildErrorResponse(error: unknown, requestId: string): HttpResponse {
  const known = error instanceof DaybookError ? error : new DaybookError('INTERNAL_ERROR')
  const { code, message, details } = known
  return {
    status: ERRORS[code].status,
    json: JSON.stringify({ code, message, details, requestId }),
    headers: { 'Cache-Control': 'no-store', ...ERROR_HEADERS[code], ...retryAfter(details), ...rangeHeaders(known) },
  }
}
