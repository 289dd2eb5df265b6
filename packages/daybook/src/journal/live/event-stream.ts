import type { ReadableStreamDefaultController } from 'node:stream/web'
import type { FeedItem } from '../feed/pager.ts'

/** The destination of a stream: a socket, or a web stream. */
export interface EventSink {
  write(bytes: Uint8Array): void
  /** The number of bytes that wait to be sent. */
  readonly unsentBytes: number
  /** Ends the stream after all written bytes are sent. */
  end(): void
  /** Ends the stream at once, because its client does not read. */
  drop(): void
}

export interface EventSender {
  /** Called when the stream is read. */
  onBegin(): void
  /** Called once when the stream has ended on either side. */
  onEnd(): void
}

/** An endless stream of events, as the body of a `Response`. It takes the place of a listener until it is read or cancelled. */
export class EventStream extends ReadableStream<Uint8Array> {
  readonly #sender: EventSender
  #sink: EventSink | undefined
  #hasEnded = false

  constructor(sender: EventSender) {
    const underlying = {
      pull: (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        if (!this.#sink) this.attach(createWebSink(controller))
      },
      cancel: () => this.markClosed(),
    }
    super(underlying, new ByteLengthQueuingStrategy({ highWaterMark: 0 }))
    this.#sender = sender
  }

  /** Begins to send to a sink, without a web stream. */
  attach(sink: EventSink): void {
    this.#sink = sink
    if (this.#hasEnded) sink.end()
    else this.#sender.onBegin()
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get unsentBytes(): number {
    return this.#sink?.unsentBytes ?? 0
  }

  send(bytes: Uint8Array): void {
    if (!this.#hasEnded) this.#sink?.write(bytes)
  }

  /** Ends the stream after all sent bytes have arrived. */
  end(): void {
    if (this.#hasEnded) return
    this.#sink?.end()
    this.markClosed()
  }

  drop(): void {
    if (this.#hasEnded) return
    this.#sink?.drop()
    this.markClosed()
  }

  /** Records that the client has disconnected. */
  markClosed(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#sender.onEnd()
  }
}

const createWebSink = (controller: ReadableStreamDefaultController<Uint8Array>): EventSink => ({
  write: (bytes) => controller.enqueue(bytes),
  get unsentBytes() {
    return -(controller.desiredSize ?? 0)
  },
  end: () => controller.close(),
  drop: () => controller.error(new Error('The client does not read its events.')),
})

const encoder = new TextEncoder()

/** A comment (WHATWG HTML, section 9.2) for a connection without events, so that proxies keep it open. */
export const HEARTBEAT: Uint8Array = encoder.encode(':\n\n')

/** Encodes the first lines of a stream: the delay before a reconnection, and the position. Neither can contain a line break. */
export const encodeHead = (retryMs: number, token: string): Uint8Array =>
  encoder.encode(`retry: ${retryMs}\nid: ${token}\n\n`)

/** Encodes a new position without an event. */
export const encodePosition = (token: string): Uint8Array => encoder.encode(`id: ${token}\n\n`)

/** Encodes a group of items; the last one carries the position after all of them. JSON text contains no line break. */
export function encodeItems(items: readonly FeedItem[], token: string): Uint8Array {
  const events = items.map(({ action, json }, index) => {
    const id = index === items.length - 1 ? `id: ${token}\n` : ''
    return `event: ${action}\n${id}data: ${json}\n\n`
  })
  return encoder.encode(events.join(''))
}

/** Encodes an event that is not in the feed. */
export const encodeEvent = (event: 'reset' | 'presence', data: object): Uint8Array =>
  encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
