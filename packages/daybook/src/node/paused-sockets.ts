import type { Socket } from 'node:net'

/** How often paused sockets are looked at, in milliseconds. */
const TICK_MS = 5

/** A socket, and since when nothing of it is read, in milliseconds, as `performance.now()` has it. */
interface PausedSocket {
  readonly socket: Socket
  readonly since: number
}

/** Sockets of which nothing is read for a while: what their clients send waits in the system's buffers. They are read again in turn. */
class SocketLine {
  readonly #paused: PausedSocket[] = []
  readonly #onTick: () => void
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false

  /** @param onTick called every {@link TICK_MS} while there are some */
  constructor(onTick: () => void) {
    this.#onTick = onTick
  }

  get isEmpty(): boolean {
    return this.#paused.length === 0
  }

  /** Since when the first of them waits. */
  get since(): number {
    return this.#paused[0]?.since ?? Number.POSITIVE_INFINITY
  }

  add(socket: Socket): void {
    if (this.#hasEnded) return
    socket.pause()
    this.#paused.push({ socket, since: performance.now() })
    this.#timer ??= setInterval(this.#onTick, TICK_MS).unref()
  }

  /** Reads those again that have waited longest. */
  resume(count: number): void {
    for (const { socket } of this.#paused.splice(0, count)) socket.resume()
    if (!this.isEmpty) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** No socket waits any more. */
  end(): void {
    this.#hasEnded = true
    this.resume(this.#paused.length)
  }
}

/** How many refused clients are read again in a millisecond. */
const REFUSED_PER_MS = 3
/** For how long at most sockets that could not be read in time are made up for, in milliseconds. */
const MAX_ARREARS_MS = 100

/**
 * Sockets of clients that were refused for overload. Parsing and refusing a request takes some 30 us: as many as clients can send would take
 * all the time there is. So few are read that refusing takes a tenth of it. Clients that come again when they were told to are fewer, and
 * none of them waits for longer than a moment.
 */
export class RefusedSockets {
  readonly #line = new SocketLine(() => this.#resumeDue())
  #resumedAt = 0

  add(socket: Socket): void {
    if (this.#line.isEmpty) this.#resumedAt = performance.now()
    this.#line.add(socket)
  }

  end(): void {
    this.#line.end()
  }

  /** A process that has too much to do comes late. */
  #resumeDue(): void {
    const now = performance.now()
    const elapsed = Math.min(now - this.#resumedAt, MAX_ARREARS_MS)
    this.#resumedAt = now
    this.#line.resume(Math.ceil(elapsed * REFUSED_PER_MS))
  }
}

/** How many served clients are read again for each answer: some have nothing to ask. */
const SERVED_PER_ANSWER = 2
/** How many are read again at each tick, when no answer does that. */
const SERVED_PER_TICK = 24
/** How long a served client waits at most until it is read, in milliseconds: well before Node closes idle connections. */
const MAX_SERVED_MS = 2000

/** Sockets of clients that had an answer while many others waited. They are read again, in turn, as those become fewer. */
export class ServedSockets {
  readonly #line = new SocketLine(() => this.#resumeDue())
  /** Whether many waited when the latest answer was sent. */
  #isCrowded = false

  get isEmpty(): boolean {
    return this.#line.isEmpty
  }

  /**
   * While any wait in this line, each client that had an answer has to: one that did not would be answered far more often than they are.
   *
   * @param isCrowded whether many requests wait; when few do, sockets are read again
   */
  add(socket: Socket, isCrowded: boolean): void {
    this.#isCrowded = isCrowded
    this.#line.add(socket)
    if (!isCrowded) this.#line.resume(SERVED_PER_ANSWER)
  }

  end(): void {
    this.#line.end()
  }

  #resumeDue(): void {
    const isDue = !this.#isCrowded || performance.now() - this.#line.since > MAX_SERVED_MS
    if (isDue) this.#line.resume(SERVED_PER_TICK)
  }
}
