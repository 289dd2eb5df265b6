import type { Readable } from 'node:stream'
import type { ReadableStreamDefaultController } from 'node:stream/web'

/**
 * The bytes of a file or of a part of it as the body of a `Response`. Read it to its end or cancel it, because it holds a file or a
 * connection open.
 */
export class FileBody extends ReadableStream<Uint8Array> {
  /** The number of bytes. */
  readonly length: number
  /** The same bytes for senders without web streams. Do not read both. */
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
    // Prevents an uncaught error if the connection breaks before the body is read.
    source.on('error', () => {})
    this.length = length
    this.source = source
  }
}
