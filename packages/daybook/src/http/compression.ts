import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { findMatchingTag, parseTags } from '../content/reads/index.ts'
import type { RequestHeaders } from './request.ts'
import type { HttpResponse } from './response.ts'

/** A coding of compressed responses (RFC 9110, section 8.4.1; RFC 8878). */
export type ContentCoding = 'br' | 'zstd' | 'gzip'

/** Responses of fewer bytes are sent as they are. */
const MIN_CODED_BYTES = 1024
/** The largest response that is compressed for a single client, in bytes. */
const MAX_PASSING_BYTES = 1024 * 1024
/** The maximum number of responses that are compressed at once; Node has four threads for that, and for files. */
const MAX_AT_ONCE = 8

/** The codings in order of preference, for clients that have none. */
const CODINGS: readonly ContentCoding[] = ['br', 'zstd', 'gzip']
/** The end of the entity tag of a compressed response, inside its quotes. */
const ENDINGS: Readonly<Record<ContentCoding, string>> = { br: '-br', zstd: '-zst', gzip: '-gz' }

const brotli = promisify(brotliCompress)
/**
 * A window of 64 KiB makes answers no larger, takes half of the processor time, and tens of megabytes less for those that are compressed at
 * once.
 */
const BROTLI_PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 16 }
/** The bounds of the buffers for compressed bytes. Node's default is 16 KiB, also for the smallest response. */
const PIECE_BYTES = { min: 1024, max: 16_384 }

/** One setting for each: bytes are the same whenever an answer is compressed, as a strong tag demands. */
const COMPRESSORS: Readonly<Record<ContentCoding, (bytes: Uint8Array) => Promise<Buffer>>> = {
  br: (bytes) => brotli(bytes, { params: BROTLI_PARAMS, chunkSize: pieceOf(bytes) }),
  zstd: promisify(zstdCompress),
  gzip: promisify(gzip),
}

/** As many bytes as an answer is likely to take. */
const pieceOf = ({ length }: Uint8Array): number =>
  Math.max(PIECE_BYTES.min, Math.min(PIECE_BYTES.max, Math.ceil(length / 2)))

const CODED_TAG = /-(?:br|zst|gz)"/

/** The maximum number of texts of `Accept-Encoding` that are cached: clients send few. */
const MAX_ACCEPTED = 100

/** Chooses how responses are compressed, and compresses them off the event loop. */
export class Compression {
  readonly #codings = new LRUCache<string, ContentCoding | 'identity'>({ max: MAX_ACCEPTED })
  #running = 0

  /**
   * Compresses a response if the client takes that and it is worth it; gives a 304 the tag that the client has.
   */
  negotiate(reply: HttpResponse, headers: RequestHeaders): Promise<HttpResponse> | HttpResponse {
    if (reply.status === 304) return withClientTag(reply, headers.get('if-none-match'))
    const { json, octets } = reply
    if (octets !== undefined || json === undefined || !isWorthCoding(json)) return reply
    const varied = { ...reply, headers: { ...reply.headers, Vary: variedByCoding(reply.headers) } }
    const coding = this.#choose(headers.get('accept-encoding'))
    const compressed = coding && this.compress(Buffer.from(json as string), coding, true)
    if (!compressed) return varied
    const coded = { ...varied.headers, ...buildCodingHeaders(varied.headers, coding) }
    return compressed.then((bytes) => ({ ...varied, json: bytes, headers: coded }))
  }

  /** The coding for content of this size that the client prefers; `undefined`: none. */
  chooseCoding(bytes: number, headers: RequestHeaders): ContentCoding | undefined {
    return bytes < MIN_CODED_BYTES ? undefined : this.#choose(headers.get('accept-encoding'))
  }

  /**
   * @param isPassing true if the result is for one client alone
   * @returns `undefined` if it would cost too much now
   */
  compress(bytes: Uint8Array, coding: ContentCoding, isPassing: boolean): Promise<Buffer> | undefined {
    if (this.#running >= MAX_AT_ONCE || (isPassing && bytes.length > MAX_PASSING_BYTES)) return undefined
    return this.#run(bytes, coding)
  }

  async #run(bytes: Uint8Array, coding: ContentCoding): Promise<Buffer> {
    this.#running += 1
    try {
      return await COMPRESSORS[coding](bytes)
    } finally {
      this.#running -= 1
    }
  }

  #choose(accepted: string | null): ContentCoding | undefined {
    if (accepted === null || accepted === 'identity') return undefined
    const cached = this.#codings.get(accepted)
    const coding = cached ?? chooseCoding(accepted)
    if (!cached) this.#codings.set(accepted, coding)
    return coding === 'identity' ? undefined : coding
  }
}

/** Gives a 304 the tag under which the client has the response (RFC 9110, section 15.4.5). */
export function withClientTag(reply: HttpResponse, ifNoneMatch: string | null): HttpResponse {
  if (ifNoneMatch === null || !CODED_TAG.test(ifNoneMatch)) return reply
  const { headers = {} } = reply
  const condition = parseTags(ifNoneMatch)
  const tag = condition && headers.ETag && findMatchingTag(condition, headers.ETag)
  if (!tag || tag === headers.ETag) return reply
  return { ...reply, headers: { ...headers, ETag: tag, Vary: variedByCoding(headers) } }
}

/** True if a response is large enough to be compressed; no character takes more than three bytes. */
function isWorthCoding(json: string | Uint8Array): boolean {
  if (json.length >= MIN_CODED_BYTES) return true
  return typeof json === 'string' && json.length * 3 >= MIN_CODED_BYTES && Buffer.byteLength(json) >= MIN_CODED_BYTES
}

const CODED_BY = 'Accept-Encoding'

function variedByCoding({ Vary }: Readonly<Record<string, string>> = {}): string {
  if (Vary === undefined) return CODED_BY
  return Vary.includes(CODED_BY) ? Vary : `${Vary}, ${CODED_BY}`
}

/** The headers of a compressed response that differ from those of the plain one. */
export function buildCodingHeaders(
  { ETag }: Readonly<Record<string, string>>,
  coding: ContentCoding,
): Readonly<Record<string, string>> {
  const tag = ETag === undefined ? {} : { ETag: `${ETag.slice(0, -1)}${ENDINGS[coding]}"` }
  return { ...tag, 'Content-Encoding': coding }
}

/** RFC 9110, section 12.5.3: what weighs most; of equals, the first of {@link CODINGS}. */
function chooseCoding(accepted: string): ContentCoding | 'identity' {
  const weights = new Map(accepted.split(',').map(readWeight))
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0
  const best = CODINGS.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one))
  const isWorse = weightOf(best) === 0 || weightOf(best) < (weights.get('identity') ?? 0)
  return isWorse ? 'identity' : best
}

/** A name with its weight, from 0 to 1 (RFC 9110, section 12.4.2). */
function readWeight(text: string): readonly [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2)
  const isWeight = weight === undefined || /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight)
  // RFC 9110, section 8.4.1.3: x-gzip is gzip.
  return [name === 'x-gzip' ? 'gzip' : name, isWeight ? Number(weight ?? 1) : 0]
}
