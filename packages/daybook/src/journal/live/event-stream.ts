import type { ReadableStreamDefaultController } from 'node:stream/web'

/** The destination of a stream: a socket, or a web stream. */
export interface EventSink {
  write(bytes: Uint8Array): void
  /** The number of bytes that wait to be sent. */
  readonly unsent: number
  /** Ends it, once all written bytes are sent. */
  end(): void
  /** Ends it at once: its reader does not read. */
  drop(): void
}

/** The sender of a stream. */
export interface EventSender {
  /** Called when there is a reader. */
  begin(): void
  /** Called once, when it has ended, on whichever side. */
  ended(): void
}

/** Events without an end, as the body of a `Response`. It holds the place of a listener until it is read or cancelled. */
export class EventStream extends ReadableStream<Uint8Array> {
  readonly #sender: EventSender
  #sink: EventSink | undefined
  #hasEnded = false

  constructor(sender: EventSender) {
    const underlying = {
      pull: (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        if (!this.#sink) this.attach(webSink(controller))
      },
      cancel: () => this.closed(),
    }
    super(underlying, new ByteLengthQueuingStrategy({ highWaterMark: 0 }))
    this.#sender = sender
  }

  /** Begins to send: for senders that need no web stream. */
  attach(sink: EventSink): void {
    this.#sink = sink
    if (this.#hasEnded) sink.end()
    else this.#sender.begin()
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** The number of bytes that wait to be sent. */
  get unsent(): number {
    return this.#sink?.unsent ?? 0
  }

  send(bytes: Uint8Array): void {
    if (!this.#hasEnded) this.#sink?.write(bytes)
  }

  /** Ends it, once all sent bytes have arrived. */
  end(): void {
    if (this.#hasEnded) return
    this.#sink?.end()
    this.closed()
  }

  /** Ends it at once. */
  drop(): void {
    if (this.#hasEnded) return
    this.#sink?.drop()
    this.closed()
  }

  /** Notes that its reader has gone. */
  closed(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#sender.ended()
  }
}

const webSink = (controller: ReadableStreamDefaultController<Uint8Array>): EventSink => ({
  write: (bytes) => controller.enqueue(bytes),
  get unsent() {
    return -(controller.desiredSize ?? 0)
  },
  end: () => controller.close(),
  drop: () => controller.error(new Error('The reader of the events does not read them.')),
})
