import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What happens to the message that a connection is cut at; its answer is lost in any case. */
export type Fate = 'delivered' | 'lost'

/** A cut that waits for a text on its way to the server. */
export interface Trap {
  readonly text: RegExp
  readonly fate: Fate
  /** Called when the client is cut off. */
  readonly sprung: () => void
}

/** What is wrong with the network; changes while it is used. */
export interface Faults {
  /** How much later things arrive, in milliseconds. */
  delayMs: number
  /** Settled while things are delivered. */
  passing: Promise<void>
  trap: Trap | undefined
}

/** How much is held back before a sender is told to wait, in bytes. */
const HELD_BYTES = 1024 * 1024

/** How much of what went before counts as the same message, in characters. */
const MESSAGE_LENGTH = 256

/** One connection through a faulty network. */
export class FaultyLink {
  /** Settles when both sides are closed. */
  readonly closed: Promise<void>
  readonly #client: Socket
  readonly #server: Socket
  readonly #faults: Faults
  /** The trap that `#seen` belongs to, and the end of what was sent since it was set. */
  #watching: Trap | undefined
  #seen = ''
  /** Set when the client is cut off with the next answer. */
  #lastAnswer: Trap | undefined

  constructor(client: Socket, target: number, faults: Faults) {
    this.#client = client
    this.#faults = faults
    this.#server = connect({ host: '127.0.0.1', port: target, allowHalfOpen: true, noDelay: true })
    this.closed = Promise.all([client, this.#server].map(untilClosed)).then(() => {})
    this.#carry(this.#client, this.#server, (chunk) => this.#question(chunk))
    this.#carry(this.#server, this.#client, (chunk) => this.#answer(chunk))
  }

  /** Resets both sides. */
  cut(): void {
    this.#client.resetAndDestroy()
    this.#server.resetAndDestroy()
  }

  /** Carries bytes, and the end of them, one way, in order and as late as the network has it. */
  #carry(from: Socket, to: Socket, deliver: (chunk: Buffer) => boolean): void {
    let held = 0
    let last = Promise.resolve()
    const inTurn = (act: () => void) => {
      const due = performance.now() + this.#faults.delayMs
      last = last.then(() => this.#arrival(due)).then(act)
    }
    from.on('data', (chunk: Buffer) => {
      held += chunk.length
      if (held > HELD_BYTES) from.pause()
      inTurn(() => {
        held -= chunk.length
        if (held <= HELD_BYTES) from.resume()
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

  /** Looks at what goes to the server; answers whether it gets there. */
  #question(chunk: Buffer): boolean {
    const { trap } = this.#faults
    if (!trap || !this.#holds(trap, chunk)) return true
    this.#faults.trap = undefined
    if (trap.fate === 'delivered') {
      this.#lastAnswer = trap
      return true
    }
    this.cut()
    trap.sprung()
    return false
  }

  #holds(trap: Trap, chunk: Buffer): boolean {
    if (this.#watching !== trap) this.#seen = ''
    this.#watching = trap
    const text = this.#seen + chunk.toString('latin1')
    this.#seen = text.slice(-MESSAGE_LENGTH)
    return trap.text.test(text)
  }

  /** Looks at what goes to the client; answers whether it gets there. */
  #answer(chunk: Buffer): boolean {
    if (!this.#lastAnswer) return chunk.length > 0
    this.#client.resetAndDestroy()
    // The server is left in good order: a reset could overtake what it has not read yet.
    this.#server.end()
    this.#lastAnswer.sprung()
    return false
  }
}

/** `once` of `node:events` would take an error before it for a failure. */
function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}
