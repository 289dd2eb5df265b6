import { DaybookError } from '../errors.ts'

/** How many requests may be pending where the config does not say. */
export const DEFAULT_PENDING: number = 1000
/** How long requests may begin in one turn of the event loop before those that follow wait, in milliseconds. */
const TURN_MS = 5
/** How long waiting requests may begin at a stretch, in milliseconds. */
const SHARE_MS = 10
/** After a stretch, the event loop turns until so many turns in a row have brought no request. */
const ADMISSION_QUIET_TURNS = 2
/** How long the event loop turns at most between two stretches, in milliseconds; in each turn, libuv accepts one connection. */
const MAX_TURNS_MS = 10

/** Thrown for a request that is refused because too many are pending; one for all, as it has to cost little. */
export const OVERLOADED: DaybookError = new DaybookError(
  'SERVICE_UNAVAILABLE',
  'The service has more requests than it can answer right now; retry as Retry-After says.',
)

/**
 * Lets requests begin in the order in which they came, for a short time in some turns of the event loop. In the turns between,
 * the process accepts connections, of which libuv takes one in each turn, and answers what cannot wait.
 */
export class Admission {
  readonly #limit: number
  /** Requests that wait or have begun. */
  #pending = 0
  readonly #waiting: (() => void)[] = []
  #isScheduled = false
  /** When waiting requests may begin no more at this stretch. */
  #shareEndsAt = 0
  /** Requests that have arrived, refused ones too. */
  #arrived = 0
  readonly #turn = new EventLoopTurn()

  /** @param limit how many requests may be pending */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Notes that a request has come, and tells whether it may begin at once: no other waits, and this turn has time for it. */
  arrive(): boolean {
    this.#arrived += 1
    return this.#waiting.length === 0 && this.#pending < this.#limit && !this.#turn.isSpent()
  }

  /**
   * Gives a request its place. Its work may begin when the promise settles, or at once where there is none; {@link leave} ends it.
   *
   * @param isFree see {@link arrive}
   * @throws {@link OVERLOADED} when too many are pending; it has no place then
   */
  enter(isFree: boolean): Promise<void> | undefined {
    if (this.#pending >= this.#limit) throw OVERLOADED
    this.#pending += 1
    return isFree ? undefined : this.#wait()
  }

  /** Notes that a request has its answer. */
  leave(): void {
    this.#pending -= 1
    if (this.#waiting.length > 0) this.#goOn()
  }

  /** Waits for a client. Meanwhile the request takes no place: slow clients do not block others. */
  async outside<T>(wait: () => Promise<T>): Promise<T> {
    this.#pending -= 1
    try {
      return await wait()
    } finally {
      this.#pending += 1
    }
  }

  #wait(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    this.#schedule()
    return promise
  }

  /** Begins the next one in this turn while there is time, else in another. */
  #goOn(): void {
    if (performance.now() < this.#shareEndsAt) this.#begin()
    else this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    // The present stretch goes on until then.
    setImmediate(() => this.#afterArrivals(performance.now() + MAX_TURNS_MS, 0, () => this.#beginStretch()))
  }

  /** Lets the event loop turn until no further request arrives. */
  #afterArrivals(endsAt: number, quietTurns: number, then: () => void): void {
    const before = this.#arrived
    setImmediate(() => {
      const quiet = this.#arrived === before ? quietTurns + 1 : 0
      if (quiet === ADMISSION_QUIET_TURNS || performance.now() > endsAt) then()
      else this.#afterArrivals(endsAt, quiet, then)
    })
  }

  #beginStretch(): void {
    this.#isScheduled = false
    this.#shareEndsAt = performance.now() + SHARE_MS
    this.#begin()
  }

  #begin(): void {
    this.#waiting.shift()?.()
    // What waits for a database lets others begin.
    if (this.#waiting.length > 0) this.#schedule()
  }
}

/** Tells whether requests have begun for long enough in this turn of the event loop. */
class EventLoopTurn {
  #startedAt = 0
  #endedAt = 0
  #isMarked = false

  isSpent(): boolean {
    const now = performance.now()
    if (this.#isMarked) return now - this.#startedAt > TURN_MS
    // An immediate for each turn would cost more than it tells: one that may be long has begun a while after the last mark.
    if (now - this.#endedAt > TURN_MS) this.#mark(now)
    return false
  }

  #mark(now: number): void {
    this.#isMarked = true
    this.#startedAt = now
    setImmediate(() => {
      this.#isMarked = false
      this.#endedAt = performance.now()
    })
  }
}
