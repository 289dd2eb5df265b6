import { LRUCache } from 'lru-cache'
import type { Route } from '../contract.ts'
import type { ContentCoding } from './content-coding.ts'

/** How many bytes of answers are kept where the config does not say. */
export const DEFAULT_ANSWER_CACHE_BYTES: number = 64 * 1024 * 1024
/** The largest answer that is kept, as a share of all. With less room than that, the cache is full. */
const MAX_SHARE = 1 / 8
/** How many answers that are worth keeping a full cache takes in, as a share of them. */
const FULL_SHARE = 1 / 8
/** The longest question that is kept, in characters. */
const MAX_QUESTION = 2048
/** What an answer takes besides its octets, about, in bytes. */
const BODY_BYTES = 1000

/** The content of an answer as it is sent. */
export interface AnswerBody {
  /** Each character is a byte: Node sends head and content in one piece then, and encodes nothing. */
  readonly octets: string
  readonly headers: Readonly<Record<string, string>>
}

/** An answer to be sent again, as long as its tag is that of the present one. */
export class CachedAnswer {
  readonly route: Route
  readonly tag: string
  /** The headers of a 304 for a client that has it. */
  readonly unchanged: Readonly<Record<string, string>>
  /** `undefined`: clients that ask have it. */
  readonly plain: AnswerBody | undefined
  readonly #coded = new Map<ContentCoding, AnswerBody>()
  /** See {@link AnswerCacheOptions.storeVersion}: when the tag was last looked at. */
  #confirmedAt: number | undefined

  /**
   * @param headers of the answer; those of its content are left out of a 304
   * @param version at which the tag was looked at
   */
  constructor(
    route: Route,
    tag: string,
    { 'Content-Type': _type, ...headers }: Readonly<Record<string, string>>,
    plain: AnswerBody | undefined,
    version: number | undefined,
  ) {
    this.route = route
    this.tag = tag
    this.unchanged = Object.freeze(headers)
    this.plain = plain
    this.#confirmedAt = version
  }

  /** The content in a coding, once it has been compressed so. */
  body(coding: ContentCoding | undefined): AnswerBody | undefined {
    return coding === undefined ? this.plain : this.#coded.get(coding)
  }

  addCoded(coding: ContentCoding, body: AnswerBody): void {
    this.#coded.set(coding, body)
  }

  /** Notes that the tag was the present one at a version of the store. */
  confirm(version: number | undefined): void {
    this.#confirmedAt = version
  }

  /** Whether nothing can have been stored since the tag was looked at. */
  isConfirmedAt(version: number | undefined): boolean {
    return version !== undefined && version === this.#confirmedAt
  }

  /** How much memory it takes, in bytes. */
  get size(): number {
    const bodies = [...(this.plain ? [this.plain] : []), ...this.#coded.values()]
    return bodies.reduce((sum, { octets }) => sum + octets.length + BODY_BYTES, BODY_BYTES)
  }
}

/** The parts of a cache of answers. */
export interface AnswerCacheOptions {
  /** How much memory its answers may take, in bytes. */
  readonly maxBytes: number
  /** A number that is another one whenever something may have been stored; `undefined`: it takes a statement to know. */
  storeVersion(): number | undefined
}

/**
 * Whole answers by what was asked, and by what kind of reader. Nothing is ever invalidated: an answer is sent when its tag is that of the
 * present answer, which names all that it depends on. Answers that are asked for once are not kept. A full cache takes in few of the others:
 * were each to push out another one, then of more answers than fit, asked for in turn, none would still be there, and all that work and
 * garbage would be for nothing.
 */
export class AnswerCache {
  readonly #options: AnswerCacheOptions
  readonly #answers: LRUCache<string, CachedAnswer>
  readonly #maxAnswerBytes: number
  readonly #asked = new AskedBefore()

  constructor(options: AnswerCacheOptions) {
    this.#options = options
    const { maxBytes } = options
    this.#maxAnswerBytes = Math.max(1, Math.floor(maxBytes * MAX_SHARE))
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: this.#maxAnswerBytes,
      sizeCalculation: ({ size }, question) => size + question.length,
    })
  }

  /** Looked at before the tag of an answer: what is stored afterwards makes another one. */
  get storeVersion(): number | undefined {
    return this.#options.storeVersion()
  }

  get(question: string): CachedAnswer | undefined {
    // While there is room, nothing is pushed out, and which answer was used last need not be noted.
    return this.#isFull ? this.#answers.get(question) : this.#answers.peek(question)
  }

  /** Whether an answer is to be kept: the same was asked before, not long ago, and there is room or luck. */
  isWorthKeeping(question: string): boolean {
    const isWorth = question.length <= MAX_QUESTION && this.#asked.again(question)
    return isWorth && (!this.#isFull || Math.random() < FULL_SHARE)
  }

  get #isFull(): boolean {
    return this.#options.maxBytes - this.#answers.calculatedSize < this.#maxAnswerBytes
  }

  keep(question: string, answer: CachedAnswer): void {
    this.#answers.set(question, answer)
  }

  /** Keeps a compressed form with its answer, unless another answer has taken its place. */
  keepCoded(question: string, answer: CachedAnswer, coding: ContentCoding, body: AnswerBody): void {
    if (this.#answers.peek(question) !== answer) return
    // What is set again is measured again only when it was taken out.
    this.#answers.delete(question)
    answer.addCoded(coding, body)
    this.#answers.set(question, answer)
  }
}

/** Remembers which questions came lately, about: four bytes for each, and another one may take its place. */
class AskedBefore {
  readonly #seen = new Uint32Array(2 ** 16)

  /** Notes a question, and tells whether it came before. */
  again(question: string): boolean {
    const hash = hashOf(question)
    const place = hash % this.#seen.length
    const isKnown = this.#seen[place] === hash
    this.#seen[place] = hash
    return isKnown
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
