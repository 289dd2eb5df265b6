import type { Socket } from 'node:net'
import type { Backlog } from '../http/respond.ts'

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

  get length(): number {
    return this.#paused.length
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
    if (this.#paused.length > 0) return
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
    if (this.#line.length === 0) this.#resumedAt = performance.now()
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

/** How many served clients are read again for an answer: while few requests wait, two, as some have nothing to ask; else one for the place it leaves. */
const PER_ANSWER: Readonly<Record<Backlog, number>> = { short: 2, long: 0, full: 1 }
/** How many are read again at each tick, when no answer does that. */
const SERVED_PER_TICK = 24
/** How long a served client waits at most until it is read, in milliseconds: well before Node closes idle connections. */
const MAX_SERVED_MS = 2000

/** Sockets of clients that had an answer while many others waited. They are read again, in turn, as those become fewer. */
export class ServedSockets {
  readonly #line = new SocketLine(() => this.#resumeDue())
  /** As it was when the latest answer was sent. */
  #backlog: Backlog = 'short'

  get length(): number {
    return this.#line.length
  }

  /**
   * Whether a client that has an answer has to wait: as long as others do, one that did not would be answered far more often than
   * they are.
   */
  holds(backlog: Backlog): boolean {
    return backlog === 'long' || this.length > 0
  }

  add(socket: Socket, backlog: Backlog): void {
    this.#backlog = backlog
    this.#line.add(socket)
    this.#line.resume(PER_ANSWER[backlog])
  }

  end(): void {
    this.#line.end()
  }

  #resumeDue(): void {
    const isDue = this.#backlog === 'short' || performance.now() - this.#line.since > MAX_SERVED_MS
    if (isDue) this.#line.resume(SERVED_PER_TICK)
  }
}
