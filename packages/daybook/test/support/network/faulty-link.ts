import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The fate of the message at which a connection is cut. Its response is lost in any case. */
export type Fate = 'delivered' | 'lost'

/** A cut of the connection at a text to the server. */
export interface Trap {
  readonly text: RegExp
  readonly fate: Fate
  /** Called when the client is cut off. */
  readonly sprung: () => void
}

export interface Faults {
  delayMs: number
  /** Resolved while data is delivered. */
  passing: Promise<void>
  trap: Trap | undefined
}

/** The size of the buffer before a sender is paused, in bytes. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/** The number of previous characters that belong to the same message. */
const MESSAGE_LENGTH = 256

/** A connection through a faulty network. */
export class FaultyLink {
  /** Resolves when both sides are closed. */
  readonly closed: Promise<void>
  readonly #client: Socket
  readonly #server: Socket
  readonly #faults: Faults
  /** The current trap, and the last characters sent since it was set. */
  #watching: Trap | undefined
  #seen = ''
  /** The trap that cuts off the client at the next response. */
  #responseTrap: Trap | undefined

  constructor(client: Socket, target: number, faults: Faults) {
    this.#client = client
    this.#faults = faults
    this.#server = connect({ host: '127.0.0.1', port: target, allowHalfOpen: true, noDelay: true })
    this.closed = Promise.all([client, this.#server].map(untilClosed)).then(() => {})
    this.#carry(this.#client, this.#server, (chunk) => this.#inspectRequest(chunk))
    this.#carry(this.#server, this.#client, (chunk) => this.#inspectResponse(chunk))
  }

  /** Resets both sides. */
  cut(): void {
    this.#client.resetAndDestroy()
    this.#server.resetAndDestroy()
  }

  /** Forwards bytes and the end of the stream in one direction, in order and with the current delay. */
  #carry(from: Socket, to: Socket, deliver: (chunk: Buffer) => boolean): void {
    let buffered = 0
    let last = Promise.resolve()
    const inTurn = (act: () => void) => {
      const due = performance.now() + this.#faults.delayMs
      last = last.then(() => this.#arrival(due)).then(act)
    }
    from.on('data', (chunk: Buffer) => {
      buffered += chunk.length
      if (buffered > MAX_BUFFERED_BYTES) from.pause()
      inTurn(() => {
        buffered -= chunk.length
        if (buffered <= MAX_BUFFERED_BYTES) from.resume()
        if (deliver(chunk)) to.write(chunk)
      })
    })
    from.once('end', () => inTurn(() => to.end()))
    from.on('error', () => inTurn(() => to.resetAndDestroy()))
  }

  async #arrival(due: number): Promise<void> {
    const wait = due - performance.now()
    if (wait > 0) await sleep(wait)
    await this.#faults.passing
  }

  /** Inspects data to the server. Returns true if it is delivered. */
  #inspectRequest(chunk: Buffer): boolean {
    const { trap } = this.#faults
    if (!trap || !this.#matches(trap, chunk)) return true
    this.#faults.trap = undefined
    if (trap.fate === 'delivered') {
      this.#responseTrap = trap
      return true
    }
    this.cut()
    trap.sprung()
    return false
  }

  #matches(trap: Trap, chunk: Buffer): boolean {
    if (this.#watching !== trap) this.#seen = ''
    this.#watching = trap
    const text = this.#seen + chunk.toString('latin1')
    this.#seen = text.slice(-MESSAGE_LENGTH)
    return trap.text.test(text)
  }

  /** Inspects data to the client. Returns true if it is delivered. */
  #inspectResponse(chunk: Buffer): boolean {
    if (!this.#responseTrap) return chunk.length > 0
    this.#client.resetAndDestroy()
    // End the server's side without a reset, which could overtake unread data.
    this.#server.end()
    this.#responseTrap.sprung()
    return false
  }
}

/** Waits for the end of a socket. `once` of `node:events` would reject on an earlier error. */
function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}
