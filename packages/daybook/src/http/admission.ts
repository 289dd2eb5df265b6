import { DaybookError } from '../errors.ts'

/** How many requests may be pending where the config does not say. */
export const DEFAULT_PENDING: number = 1000
/** How long requests may begin in one turn of the event loop before those that follow wait for the next, in milliseconds. */
const TURN_MS = 5
/** The least and the most time that waiting requests have in one turn, in milliseconds. */
const MIN_SHARE_MS = 2
const MAX_SHARE_MS = 20
/** After how many turns waiting requests have their next one: each of them takes a new connection, and costs little. */
const TURNS_BETWEEN = 4

/** Thrown for a request that is refused because too many are pending; one for all, as it has to cost little. */
export const OVERLOADED: DaybookError = new DaybookError(
  'SERVICE_UNAVAILABLE',
  'The service has more requests than it can answer right now; retry as Retry-After says.',
)

/**
 * Lets requests begin in the order in which they came, for a short time in some turns of the event loop. In the turns between,
 * the process takes new connections, of which libuv accepts one in each turn, and answers what cannot wait.
 */
export class Admission {
  readonly #limit: number
  /** Requests that wait or have begun. */
  #pending = 0
  readonly #waiting: (() => void)[] = []
  #isScheduled = false
  /** When waiting requests may begin no more in this turn, and when they last did. */
  #shareEndsAt = 0
  #lastAt = 0
  readonly #turn = new Turn()

  /** @param limit how many requests may be pending */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Notes a request; its work may begin when the answer settles, or at once where there is none. Then {@link leave} follows, whatever happens.
   *
   * @throws {@link OVERLOADED} when too many are pending; it is not noted then
   */
  enter(): Promise<void> | undefined {
    if (this.#pending >= this.#limit) throw OVERLOADED
    this.#pending += 1
    return this.#waiting.length > 0 || this.#turn.isSpent() ? this.#wait() : undefined
  }

  /** Notes that a request has its answer. */
  leave(): void {
    this.#pending -= 1
    if (this.#waiting.length > 0) this.#goOn()
  }

  /** Waits for a client. Meanwhile the request takes no place: slow clients keep nobody out. */
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
    if (this.#waiting.length === 0) this.#lastAt = performance.now()
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
    afterTurns(TURNS_BETWEEN, () => {
      this.#isScheduled = false
      // As long as everything else took: a flood of requests to refuse leaves half of the time for work.
      const now = performance.now()
      this.#shareEndsAt = now + Math.min(Math.max(now - this.#lastAt, MIN_SHARE_MS), MAX_SHARE_MS)
      this.#begin()
    })
  }

  #begin(): void {
    this.#lastAt = performance.now()
    this.#waiting.shift()?.()
    // What waits for a database lets others begin.
    if (this.#waiting.length > 0) this.#schedule()
  }
}

function afterTurns(turns: number, then: () => void): void {
  setImmediate(() => (turns > 1 ? afterTurns(turns - 1, then) : then()))
}

/** Tells whether requests have begun for long enough in this turn of the event loop. */
class Turn {
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
