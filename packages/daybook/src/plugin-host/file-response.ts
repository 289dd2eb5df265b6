import type { ByteRange } from '../assets/blob-store.ts'
import { matchesTag, parseTags, requireTagMatch } from '../content/reads/index.ts'
import { DaybookError } from '../errors.ts'
import type { PluginRequest, PluginResponse } from './route.ts'

export interface ServedFile {
  /** In bytes. */
  readonly size: number
  /** Its strong entity tag, in quotes (RFC 9110, section 8.8.3). */
  readonly tag: string
  /** The headers of the responses, such as `Content-Type` and `Cache-Control`. */
  readonly headers: Readonly<Record<string, string>>
  /** Opens the file, or a part of it; resolves to `null` if it is gone. Called for responses with content, and for `HEAD`. */
  open(range?: ByteRange): Promise<ReadableStream<Uint8Array> | null>
}

/** Headers of a file that 304 repeats (RFC 9110, section 15.4.5). */
const CACHE_HEADERS: readonly string[] = ['cache-control', 'vary', 'surrogate-key', 'cache-tag']

/**
 * Responds with a file or a part of it, by the conditions of the request (RFC 9110, sections 13 and 14): with 304 if the client has it,
 * with 206 for a single range, and with the whole file for several ranges.
 *
 * @throws PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE with `details.size`; NOT_FOUND if the file is gone
 *
 * @example
 * ```ts
 * run: async (request) => respondWithFile(request, { size, tag, headers: { 'Content-Type': 'image/png' }, open })
 * ```
 */
export async function respondWithFile(
  { method, headers }: Pick<PluginRequest, 'method' | 'headers'>,
  { size, tag, headers: fileHeaders, open }: ServedFile,
): Promise<Response> {
  requireTagMatch(parseTags(headers.get('if-match')), tag)
  const clientTags = parseTags(headers.get('if-none-match'))
  if (clientTags && matchesTag(clientTags, tag))
    return new Response(null, { status: 304, headers: { ...selectCacheHeaders(fileHeaders), ETag: tag } })
  // Other methods ignore ranges (section 14.2).
  const hasRange = method === 'GET' && matchesIfRange(headers.get('if-range'), tag)
  const range = hasRange ? readRange(headers, size) : undefined
  const body = await open(range)
  if (!body) throw new DaybookError('NOT_FOUND')
  const responseHeaders = { 'Accept-Ranges': 'bytes', ...fileHeaders, ETag: tag }
  if (!range) return new Response(body, { headers: responseHeaders })
  const part = `bytes ${range.start}-${range.end}/${size}`
  return new Response(body, { status: 206, headers: { ...responseHeaders, 'Content-Range': part } })
}

/** `If-Range` matches only equal bytes. A date never matches, because files have none (section 13.1.5). */
const matchesIfRange = (ifRange: string | null, tag: string): boolean => ifRange === null || ifRange.trim() === tag

/** A single range (section 14.1.2), whose positions are safe integers. */
const RANGE = /^bytes=[ \t]*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))[ \t]*$/i

/**
 * Reads the range of a request. Returns `undefined` for the whole file, also for several ranges and an invalid header (section 14.2).
 *
 * @throws RANGE_NOT_SATISFIABLE
 */
function readRange(headers: Headers, size: number): ByteRange | undefined {
  const [, first, last, suffix] = RANGE.exec(headers.get('range') ?? '') ?? []
  if (first === undefined && suffix === undefined) return undefined
  if (suffix !== undefined) return toSuffixRange(Number(suffix), size)
  const start = Number(first)
  const end = last ? Number(last) : Number.POSITIVE_INFINITY
  if (end < start) return undefined
  if (start >= size) throw createRangeError(size)
  return { start, end: Math.min(end, size - 1) }
}

/** @throws RANGE_NOT_SATISFIABLE if `count` is 0 */
function toSuffixRange(count: number, size: number): ByteRange | undefined {
  if (count === 0) throw createRangeError(size)
  // No range can name a position of an empty file.
  return size === 0 ? undefined : { start: Math.max(0, size - count), end: size - 1 }
}

const createRangeError = (size: number): DaybookError =>
  new DaybookError('RANGE_NOT_SATISFIABLE', `The file has ${size} bytes, none of them in that range.`, { size })

/**
 * Describes the responses of a route that uses {@link respondWithFile}.
 *
 * @param fileHeaders descriptions of the headers of the file, by name
 */
export function describeFileResponses(
  fileHeaders: Readonly<Record<string, string>> = {},
): Readonly<Record<number, PluginResponse>> {
  const headers = {
    ETag: 'Changes with the file.',
    'Accept-Ranges': 'Parts of the file can be requested.',
    ...fileHeaders,
  }
  const file = { mediaType: '*/*', schema: {} }
  return {
    200: { ...file, description: 'The file.', headers },
    206: {
      ...file,
      description: 'The requested range.',
      headers: { ...headers, 'Content-Range': 'The bytes of the file in the response.' },
    },
    304: {
      description: 'The client has the file.',
      headers: { ETag: 'The tag of the file.', ...selectCacheHeaders(fileHeaders) },
    },
  }
}

const selectCacheHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => CACHE_HEADERS.includes(name.toLowerCase())))
