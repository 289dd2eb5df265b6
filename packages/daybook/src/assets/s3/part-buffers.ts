import pLimit from 'p-limit'
import { TimeLimitError, withTimeout } from '../../with-timeout.ts'

/** How long a part is, but for the last one, in bytes: the least that S3 takes. */
export const PART_BYTES: number = 5 * 1024 * 1024
/** How many parts are held at once, by all uploads together. */
const MAX_PARTS = 4
/** How long a stream may give nothing before others get its buffer, in milliseconds. */
const STALL_MS = 500

/** Lends buffers to uploads, one for a part, in the order in which they are asked for: 20 MiB in all, however many uploads there are. */
export class PartBuffers {
  readonly #limit = pLimit(MAX_PARTS)
  readonly #free: Buffer[] = []

  use<T>(work: (buffer: Buffer) => Promise<T>): Promise<T> {
    return this.#limit(async () => {
      const buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES)
      const result = await work(buffer)
      // After a failure, a request may still read it.
      this.#free.push(buffer)
      return result
    })
  }
}

/** Reads a stream by parts. */
export class PartReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  /** What has arrived, and is in no part yet. */
  #held: Uint8Array[] = []
  #next: Promise<IteratorResult<Uint8Array>> | undefined
  #isDone = false

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#chunks = content[Symbol.asyncIterator]()
  }

  /** Waits until more has arrived, or the end: without a buffer, which a slow client would keep from others. */
  async ready(): Promise<void> {
    if (!this.#isDone) this.#accept(await this.#pull())
  }

  /**
   * Fills a buffer, as far as the stream goes.
   *
   * @returns how many bytes are in it, fewer than it has room for at the end; `undefined`: the stream has stalled, and its bytes are kept
   * for the next buffer
   */
  async fill(buffer: Buffer): Promise<number | undefined> {
    let length = 0
    while (length < buffer.length) {
      if (this.#held.length > 0) length += this.#copyTo(buffer, length)
      else if (this.#isDone) break
      else if (!(await this.#arrives())) {
        this.#held = [Buffer.from(buffer.subarray(0, length))]
        return undefined
      }
    }
    return length
  }

  #copyTo(buffer: Buffer, start: number): number {
    const [first = new Uint8Array(), ...others] = this.#held
    const part = first.subarray(0, buffer.length - start)
    buffer.set(part, start)
    this.#held = part.length < first.length ? [first.subarray(part.length), ...others] : others
    return part.length
  }

  /** Waits a moment for more. @returns whether more, or the end, has arrived */
  async #arrives(): Promise<boolean> {
    try {
      this.#accept(await withTimeout(STALL_MS, () => this.#pull()))
      return true
    } catch (error) {
      if (error instanceof TimeLimitError) return false
      throw error
    }
  }

  #pull(): Promise<IteratorResult<Uint8Array>> {
    this.#next ??= this.#chunks.next()
    return this.#next
  }

  #accept(result: IteratorResult<Uint8Array>): void {
    this.#next = undefined
    if (result.done) this.#isDone = true
    else this.#held.push(result.value)
  }
}
