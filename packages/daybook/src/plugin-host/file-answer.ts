import type { ByteRange } from '../assets/blob-store.ts'
import { matchesTag, readTags, requireTagMatch } from '../content/etags.ts'
import { DaybookError } from '../errors.ts'
import type { PluginAnswer, PluginRequest } from './route.ts'

/** A file to answer with. */
export interface AnsweredFile {
  /** In bytes. */
  readonly size: number
  /** Its strong entity tag, in quotes (RFC 9110, section 8.8.3). */
  readonly tag: string
  /** Of its answers, such as `Content-Type` and `Cache-Control`. */
  readonly headers: Readonly<Record<string, string>>
  /** Opens the file, or a part of it; `null`: it is gone. Called for answers that have content, and for `HEAD`. */
  open(range?: ByteRange): Promise<ReadableStream<Uint8Array> | null>
}

/** Headers of a file that 304 repeats (RFC 9110, section 15.4.5). */
const OF_CACHES: readonly string[] = ['cache-control', 'vary', 'surrogate-key', 'cache-tag']

/**
 * Answers with a file, or with a part of it, as the conditions of the request say (RFC 9110, sections 13 and 14): 304 to a client that
 * has it, 206 with the one range that is asked for, the whole file when there are several.
 *
 * @throws PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE with `details.size`; NOT_FOUND when the file is gone
 *
 * @example
 * ```ts
 * run: async (request) => answerFile(request, { size, tag, headers: { 'Content-Type': 'image/png' }, open })
 * ```
 */
export async function answerFile(
  { method, headers }: Pick<PluginRequest, 'method' | 'headers'>,
  { size, tag, headers: own, open }: AnsweredFile,
): Promise<Response> {
  requireTagMatch(readTags(headers.get('if-match')), tag)
  const known = readTags(headers.get('if-none-match'))
  if (known && matchesTag(known, tag)) {
    const kept = Object.entries(own).filter(([name]) => OF_CACHES.includes(name.toLowerCase()))
    return new Response(null, { status: 304, headers: { ...Object.fromEntries(kept), ETag: tag } })
  }
  // A range means nothing to any other method (section 14.2).
  const range = method === 'GET' && isOfThisFile(headers.get('if-range'), tag) ? rangeOf(headers, size) : undefined
  const body = await open(range)
  if (!body) throw new DaybookError('NOT_FOUND')
  const all = { 'Accept-Ranges': 'bytes', ...own, ETag: tag }
  if (!range) return new Response(body, { headers: all })
  const part = `bytes ${range.start}-${range.end}/${size}`
  return new Response(body, { status: 206, headers: { ...all, 'Content-Range': part } })
}

/** `If-Range` holds for the very same bytes alone; of a date, nothing is known (section 13.1.5). */
const isOfThisFile = (ifRange: string | null, tag: string): boolean => ifRange === null || ifRange.trim() === tag

/** One range (section 14.1.2), of positions that a number holds exactly. */
const RANGE = /^bytes=[ \t]*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))[ \t]*$/i

/**
 * The part of a file that a request is for; `undefined`: all of it, also where several parts are asked for, or where the header means
 * nothing (section 14.2).
 *
 * @throws RANGE_NOT_SATISFIABLE
 */
function rangeOf(headers: Headers, size: number): ByteRange | undefined {
  const [, first, last, suffix] = RANGE.exec(headers.get('range') ?? '') ?? []
  if (first === undefined && suffix === undefined) return undefined
  if (suffix !== undefined) return lastBytes(Number(suffix), size)
  const start = Number(first)
  const end = last ? Number(last) : Number.POSITIVE_INFINITY
  if (end < start) return undefined
  if (start >= size) throw notSatisfiable(size)
  return { start, end: Math.min(end, size - 1) }
}

/** @throws RANGE_NOT_SATISFIABLE for no bytes at all */
function lastBytes(count: number, size: number): ByteRange | undefined {
  if (count === 0) throw notSatisfiable(size)
  // An empty file has no positions that could be named.
  return size === 0 ? undefined : { start: Math.max(0, size - count), end: size - 1 }
}

const notSatisfiable = (size: number): DaybookError =>
  new DaybookError('RANGE_NOT_SATISFIABLE', `The file has ${size} bytes, none of them in that range.`, { size })

/**
 * How a route answers with {@link answerFile}.
 *
 * @param own headers of the file, each with what it says
 */
export function fileAnswers(own: Readonly<Record<string, string>> = {}): Readonly<Record<number, PluginAnswer>> {
  const headers = { ETag: 'Changes with the file.', 'Accept-Ranges': 'Parts of it can be asked for.', ...own }
  const file = { mediaType: '*/*', schema: {} }
  const kept = Object.entries(own).filter(([name]) => OF_CACHES.includes(name.toLowerCase()))
  return {
    200: { ...file, description: 'The file.', headers },
    206: {
      ...file,
      description: 'The part that `Range` asks for.',
      headers: { ...headers, 'Content-Range': 'Which bytes of the file it has.' },
    },
    304: {
      description: 'The client has the file.',
      headers: { ETag: 'That of the file.', ...Object.fromEntries(kept) },
    },
  }
}
