import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { findMatchingTag, parseTags } from '../content/reads/index.ts'
import type { RequestHeaders } from './request.ts'
import type { HttpResponse } from './response.ts'

/** A content coding for compressed responses (RFC 9110, section 8.4.1; RFC 8878). */
export type ContentCoding = 'br' | 'zstd' | 'gzip'

const MIN_CODED_BYTES = 1024
/** The maximum size of a response that is compressed for a single client, in bytes. */
const MAX_PASSING_BYTES = 1024 * 1024
/** The maximum number of concurrent compressions: Node has four threads for them and for files. */
const MAX_AT_ONCE = 8

/** The codings in order of preference, for clients that have none. */
const CODINGS: readonly ContentCoding[] = ['br', 'zstd', 'gzip']
/** The end of the entity tag of a compressed response, inside its quotes. */
const ENDINGS: Readonly<Record<ContentCoding, string>> = { br: '-br', zstd: '-zst', gzip: '-gz' }

const brotli = promisify(brotliCompress)
/**
 * A window of 64 KiB does not increase the size of responses, halves the processor time, and saves tens of megabytes in concurrent
 * compressions.
 */
const BROTLI_PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 16 }
/** The range of the output buffer, in bytes. Node's default is 16 KiB for any response. */
const PIECE_BYTES = { min: 1024, max: 16_384 }

/** Each coding has fixed settings, since a strong tag requires that a response always compresses to the same bytes. */
const COMPRESSORS: Readonly<Record<ContentCoding, (bytes: Uint8Array) => Promise<Buffer>>> = {
  br: (bytes) => brotli(bytes, { params: BROTLI_PARAMS, chunkSize: getChunkSize(bytes) }),
  zstd: promisify(zstdCompress),
  gzip: promisify(gzip),
}

/** Returns a buffer size that likely fits the compressed response, in bytes. */
const getChunkSize = ({ length }: Uint8Array): number =>
  Math.max(PIECE_BYTES.min, Math.min(PIECE_BYTES.max, Math.ceil(length / 2)))

const CODED_TAG = /-(?:br|zst|gz)"/

/** The maximum number of cached values of `Accept-Encoding`: clients send few different ones. */
const MAX_ACCEPTED = 100

/** Chooses how responses are compressed, and compresses them off the event loop. */
export class Compression {
  readonly #codings = new LRUCache<string, ContentCoding | 'identity'>({ max: MAX_ACCEPTED })
  #running = 0

  /** Compresses a response if the client accepts that and the size is worth it. A 304 gets the tag of the client. */
  negotiate(response: HttpResponse, headers: RequestHeaders): Promise<HttpResponse> | HttpResponse {
    if (response.status === 304) return withClientTag(response, headers.get('if-none-match'))
    const { json, octets } = response
    if (octets !== undefined || json === undefined || !isWorthCoding(json)) return response
    const varied = { ...response, headers: { ...response.headers, Vary: addCodingToVary(response.headers) } }
    const coding = this.#choose(headers.get('accept-encoding'))
    const compressed = coding && this.compress(Buffer.from(json as string), coding, true)
    if (!compressed) return varied
    const coded = { ...varied.headers, ...buildCodingHeaders(varied.headers, coding) }
    return compressed.then((bytes) => ({ ...varied, json: bytes, headers: coded }))
  }

  /** Returns the coding that the client prefers for content of this size; `undefined` for no coding. */
  chooseCoding(bytes: number, headers: RequestHeaders): ContentCoding | undefined {
    return bytes < MIN_CODED_BYTES ? undefined : this.#choose(headers.get('accept-encoding'))
  }

  /**
   * @param isPassing true if the result is not cached
   * @returns `undefined` if compression would cost too much
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

  #choose(acceptEncoding: string | null): ContentCoding | undefined {
    if (acceptEncoding === null || acceptEncoding === 'identity') return undefined
    const cached = this.#codings.get(acceptEncoding)
    const coding = cached ?? chooseCoding(acceptEncoding)
    if (!cached) this.#codings.set(acceptEncoding, coding)
    return coding === 'identity' ? undefined : coding
  }
}

/** Gives a 304 the tag that the client sent, which may be that of a compressed response (RFC 9110, section 15.4.5). */
export function withClientTag(response: HttpResponse, ifNoneMatch: string | null): HttpResponse {
  if (ifNoneMatch === null || !CODED_TAG.test(ifNoneMatch)) return response
  const { headers = {} } = response
  const condition = parseTags(ifNoneMatch)
  const tag = condition && headers.ETag && findMatchingTag(condition, headers.ETag)
  if (!tag || tag === headers.ETag) return response
  return { ...response, headers: { ...headers, ETag: tag, Vary: addCodingToVary(headers) } }
}

/** True if a response is large enough to be compressed. A UTF-16 code unit takes at most three bytes. */
function isWorthCoding(json: string | Uint8Array): boolean {
  if (json.length >= MIN_CODED_BYTES) return true
  return typeof json === 'string' && json.length * 3 >= MIN_CODED_BYTES && Buffer.byteLength(json) >= MIN_CODED_BYTES
}

const CODED_BY = 'Accept-Encoding'

function addCodingToVary({ Vary }: Readonly<Record<string, string>> = {}): string {
  if (Vary === undefined) return CODED_BY
  return Vary.includes(CODED_BY) ? Vary : `${Vary}, ${CODED_BY}`
}

/** Returns the headers of a compressed response that differ from the uncompressed one. */
export function buildCodingHeaders(
  { ETag }: Readonly<Record<string, string>>,
  coding: ContentCoding,
): Readonly<Record<string, string>> {
  const tag = ETag === undefined ? {} : { ETag: `${ETag.slice(0, -1)}${ENDINGS[coding]}"` }
  return { ...tag, 'Content-Encoding': coding }
}

/** Chooses the coding with the highest weight, and of equals the first of {@link CODINGS} (RFC 9110, section 12.5.3). */
function chooseCoding(acceptEncoding: string): ContentCoding | 'identity' {
  const weights = new Map(acceptEncoding.split(',').map(readWeight))
  const getWeight = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0
  const best = CODINGS.reduce((chosen, coding) => (getWeight(coding) > getWeight(chosen) ? coding : chosen))
  const isWorse = getWeight(best) === 0 || getWeight(best) < (weights.get('identity') ?? 0)
  return isWorse ? 'identity' : best
}

/** Parses a coding and its weight, from 0 to 1 (RFC 9110, section 12.4.2). */
function readWeight(text: string): readonly [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const isWeight = weight === undefined || /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight)
  // RFC 9110, section 8.4.1.3: `x-gzip` is equivalent to `gzip`.
  return [name === 'x-gzip' ? 'gzip' : name, isWeight ? Number(weight ?? 1) : 0]
}
