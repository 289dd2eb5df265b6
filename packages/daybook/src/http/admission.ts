import { DaybookError } from '../errors.ts'
import type { Arrival } from './request.ts'
import type { Backlog } from './respond.ts'

/** How many requests may be pending where the config does not say. */
export const DEFAULT_PENDING: number = 1000
/** How long requests may begin in one turn of the event loop before those that follow wait, in milliseconds. */
const TURN_MS = 5
/** How long waiting requests may begin at a stretch, in milliseconds. */
const SHARE_MS = 10
/** After a stretch, the event loop turns until so many turns in a row have brought no new connection. */
const ADMISSION_QUIET_TURNS = 2
/** How long the event loop turns at most between two stretches, in milliseconds; in each turn, libuv accepts one connection. */
const MAX_TURNS_MS = 10

/** From so many waiting requests on, the backlog is long. */
const LONG_BACKLOG = 24
/** Such a backlog is full from this part of the limit on, and while requests wait longer than this, in milliseconds. */
const NEARLY_FULL = 0.75
const LONG_WAIT_MS = 500

/** The part of the limit that is kept for clients that are not read, while there are as many of them. */
const KEPT = 0.5

/** What is done for a request. Never rejects. */
type Work = () => Promise<void>

interface Waiting {
  readonly work: Work
  /** In milliseconds, as `performance.now()` has it. */
  readonly since: number
}

/** Of a request that is refused because too many are pending; one for all, as it has to cost little. */
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
  readonly #waiting: Waiting[] = []
  /** How long the latest request that began has waited, in milliseconds. */
  #latestWait = 0
  #isScheduled = false
  /** When waiting requests may begin no more at this stretch. */
  #shareEndsAt = 0
  /** Connections that have brought a request, refused ones too. */
  #connections = 0
  readonly #turn = new EventLoopTurn()

  /** @param limit how many requests may be pending */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether a request has to be refused. Places are kept for clients that are not read, so that none of them has waited for a refusal. */
  isFullFor({ hasWaited, unread }: Arrival): boolean {
    const kept = hasWaited ? 0 : Math.min(unread, Math.floor(this.#limit * KEPT))
    return this.#pending + kept >= this.#limit
  }

  /** How many requests wait. */
  get backlog(): Backlog {
    if (this.#waiting.length < LONG_BACKLOG) return 'short'
    const isFull = this.#latestWait > LONG_WAIT_MS || this.#pending >= this.#limit * NEARLY_FULL
    return isFull ? 'full' : 'long'
  }

  /** In how many seconds those that wait have had their turn: as long as one of them has waited. 1 or more. */
  get secondsToWait(): number {
    const [next] = this.#waiting
    const presentWait = next ? performance.now() - next.since : 0
    return Math.max(1, Math.ceil(Math.max(this.#latestWait, presentWait) / 1000))
  }

  /** Notes that a request has come, and tells whether it may begin at once: no other waits, and this turn has time for it. */
  arrive(arrival: Arrival): boolean {
    if (arrival.isFirst) this.#connections += 1
    return this.#waiting.length === 0 && !this.isFullFor(arrival) && !this.#turn.isSpent()
  }

  /**
   * Gives a request its place, and does its work in its turn. A function waits, and no promise: V8 moves what waits to its old heap, where each answer
   * that a promise brings would stay for as long as the promise does.
   *
   * @param isFree see {@link arrive}
   */
  enter(work: Work, isFree: boolean): void {
    this.#pending += 1
    if (isFree) {
      this.#latestWait = 0
      return void this.#do(work)
    }
    this.#waiting.push({ work, since: performance.now() })
    this.#schedule()
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

  async #do(work: Work): Promise<void> {
    await work()
    this.#pending -= 1
    if (this.#waiting.length > 0) this.#goOn()
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
    setImmediate(() => this.#afterConnections(performance.now() + MAX_TURNS_MS, 0, () => this.#beginStretch()))
  }

  /** Lets the event loop turn until it has accepted those who are connecting: each tells of itself by its first request. */
  #afterConnections(endsAt: number, quietTurns: number, then: () => void): void {
    const before = this.#connections
    setImmediate(() => {
      const quiet = this.#connections === before ? quietTurns + 1 : 0
      if (quiet === ADMISSION_QUIET_TURNS || performance.now() > endsAt) then()
      else this.#afterConnections(endsAt, quiet, then)
    })
  }

  #beginStretch(): void {
    this.#isScheduled = false
    this.#shareEndsAt = performance.now() + SHARE_MS
    this.#begin()
  }

  #begin(): void {
    const next = this.#waiting.shift()
    if (next) {
      this.#latestWait = performance.now() - next.since
      void this.#do(next.work)
    }
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
