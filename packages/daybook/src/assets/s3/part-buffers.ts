import pLimit from 'p-limit'

/** How long a part is, but for the last one, in bytes: the least that S3 takes. */
export const PART_BYTES: number = 5 * 1024 * 1024
/** How many parts are held at once, by all uploads together. */
const MAX_PARTS = 8

/** Lends buffers to uploads, one for a part, in the order in which they are asked for: 40 MiB in all, however many uploads there are. */
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
  #rest: Uint8Array = new Uint8Array()

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#chunks = content[Symbol.asyncIterator]()
  }

  /** Fills a buffer, as far as the stream goes. @returns how many bytes are in it; fewer than it has room for at the end */
  async fill(buffer: Buffer): Promise<number> {
    let length = 0
    while (length < buffer.length) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next()
        if (next.done) break
        this.#rest = next.value
      }
      const part = this.#rest.subarray(0, buffer.length - length)
      buffer.set(part, length)
      length += part.length
      this.#rest = this.#rest.subarray(part.length)
    }
    return length
  }
}
