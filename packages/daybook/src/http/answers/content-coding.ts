import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { LRUCache } from 'lru-cache'

/** How an answer is compressed (RFC 9110, section 8.4.1; RFC 8878). */
export type ContentCoding = 'br' | 'zstd' | 'gzip'

/** Answers of fewer bytes are sent as they are. */
export const MIN_CODED_BYTES = 1024
/** The largest answer that is compressed on its way to one client alone, in bytes. */
const MAX_PASSING_BYTES = 1024 * 1024
/** The most answers that are compressed at once; Node has four threads for that, and for files. */
const MAX_AT_ONCE = 8

/** In the order in which they are taken where the client has no preference. */
const CODINGS: readonly ContentCoding[] = ['br', 'zstd', 'gzip']
/** What ends the tag of a compressed answer, inside its quotes. */
const ENDINGS: Readonly<Record<ContentCoding, string>> = { br: '-br', zstd: '-zst', gzip: '-gz' }

const brotli = promisify(brotliCompress)
/**
 * A window of 64 KiB makes answers no larger, takes half of the processor time, and tens of megabytes less for those that are compressed at
 * once.
 */
const BROTLI_PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 16 }
/** What is compressed is written in pieces of so many bytes; Node would take 16 KiB for the smallest answer. */
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

/** The tag of an answer that is compressed. */
export const codedTag = (tag: string, coding: ContentCoding): string => `${tag.slice(0, -1)}${ENDINGS[coding]}"`

/** Whether one of the tags in a header may be that of an answer that is compressed. */
export const mayNameCodedTag = (tags: string): boolean => CODED_TAG.test(tags)

const CODED_TAG = /-(?:br|zst|gz)"/

/** Compresses answers off the event loop. */
export class Compressor {
  #underWay = 0

  /**
   * @param isPassing whether it is for one client alone
   * @returns `undefined` where it would cost too much now
   */
  compress(bytes: Uint8Array, coding: ContentCoding, isPassing: boolean): Promise<Buffer> | undefined {
    if (this.#underWay >= MAX_AT_ONCE || (isPassing && bytes.length > MAX_PASSING_BYTES)) return undefined
    return this.#run(bytes, coding)
  }

  async #run(bytes: Uint8Array, coding: ContentCoding): Promise<Buffer> {
    this.#underWay += 1
    try {
      return await COMPRESSORS[coding](bytes)
    } finally {
      this.#underWay -= 1
    }
  }
}

/** The most texts of `Accept-Encoding` that are kept: clients send few. */
const MAX_ACCEPTED = 100

/** Reads `Accept-Encoding`; each text once. */
export class CodingChoice {
  readonly #known = new LRUCache<string, ContentCoding | 'identity'>({ max: MAX_ACCEPTED })

  /** The coding that a client likes best of those there are; `undefined`: it takes none. */
  of(accepted: string | null): ContentCoding | undefined {
    if (accepted === null || accepted === 'identity') return undefined
    const known = this.#known.get(accepted)
    const coding = known ?? chooseCoding(accepted)
    if (!known) this.#known.set(accepted, coding)
    return coding === 'identity' ? undefined : coding
  }
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
