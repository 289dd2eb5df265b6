import type { Readable } from 'node:stream'
import type { ReadableStreamDefaultController } from 'node:stream/web'

/**
 * The bytes of a file, or of a part of it, as the body of a `Response`. Read it to its end, or cancel it: it holds a file or a
 * connection.
 */
export class FileBody extends ReadableStream<Uint8Array> {
  /** How many bytes it has. */
  readonly length: number
  /** The same bytes, for senders that need no web stream: reading both would give each a part. */
  readonly source: Readable

  constructor(source: Readable, length: number) {
    let chunks: AsyncIterator<Uint8Array> | undefined
    const underlying = {
      async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
        chunks ??= source[Symbol.asyncIterator]()
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => void source.destroy(),
    }
    super(underlying, { highWaterMark: 0 })
    // Until it is read, nobody hears of a connection that breaks.
    source.on('error', () => {})
    this.length = length
    this.source = source
  }
}
