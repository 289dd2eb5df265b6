import { setImmediate as nextTurn } from 'node:timers/promises'
import { DaybookError } from '../errors.ts'

/** The default for the number of requests that may wait or run. */
export const DEFAULT_PENDING: number = 1000
/** The default for the longest wait of a request before it begins, in milliseconds. */
export const DEFAULT_QUEUE_MS: number = 10_000

/** The length of a slice, in milliseconds. */
const SLICE_MS = 10
/** The most turns of the event loop between two slices. In each of them, libuv accepts one connection and reads what has arrived on the others. */
const PAUSE_TURNS = 16
/** The time after which such a pause ends, in milliseconds: requests that are refused must not take all the time. */
const PAUSE_MS = 10

/** The limits of a queue. */
export interface QueueLimits {
  /** The number of requests that may wait or run. */
  readonly pendingRequests: number
  /** The longest wait before a request begins, in milliseconds. */
  readonly queueMs: number
}

/** A request that takes a place in the queue. */
export interface QueuedRequest {
  /** Answers the request. Never rejects. */
  run(): Promise<void>
  /** Responds with 503. */
  refuse(): void
}

interface WaitingRequest {
  readonly request: QueuedRequest
  /** The time of its arrival, as `performance.now()` has it. */
  readonly since: number
}

/** The error of a refused request: one for all, since a refusal has to cost little. */
export const OVERLOADED: DaybookError = new DaybookError(
  'SERVICE_UNAVAILABLE',
  'The service has more requests than it can answer right now; retry as Retry-After says.',
)

/**
 * Begins requests in the order of their arrival, during slices of {@link SLICE_MS}. SQLite reads on the thread that also reads the sockets, so
 * without a pause between slices, new connections and probes would wait until all requests that have arrived are answered.
 */
export class RequestQueue {
  readonly #limits: QueueLimits
  readonly #waiting: WaitingRequest[] = []
  /** The number of requests that wait or run. */
  #pending = 0
  #sliceEndsAt = 0
  #isAdvancing = false

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** The value of `Retry-After` in seconds: the time that the next request in the queue has waited, 1 at least. */
  get retryAfter(): number {
    const [next] = this.#waiting
    return next ? Math.max(1, Math.ceil((performance.now() - next.since) / 1000)) : 1
  }

  /** Runs a request at once or in its turn; refuses it if the queue is full or the wait is too long. */
  enter(request: QueuedRequest): void {
    if (this.#pending >= this.#limits.pendingRequests) {
      request.refuse()
      return
    }
    this.#pending += 1
    const now = performance.now()
    if (this.#waiting.length === 0 && now < this.#sliceEndsAt) {
      void this.#run(request)
      return
    }
    this.#waiting.push({ request, since: now })
    if (!this.#isAdvancing) void this.#advance()
  }

  /** Waits for a client, such as for its body. The request takes no place in the meantime, so slow clients do not block others. */
  async waitOutside<T>(wait: () => Promise<T>): Promise<T> {
    this.#pending -= 1
    try {
      return await wait()
    } finally {
      this.#pending += 1
    }
  }

  async #run(request: QueuedRequest): Promise<void> {
    await request.run()
    this.#pending -= 1
  }

  async #advance(): Promise<void> {
    this.#isAdvancing = true
    await nextTurn()
    await this.#runSlice()
    while (this.#waiting.length > 0) {
      const endsAt = performance.now() + PAUSE_MS
      for (let turn = 0; turn < PAUSE_TURNS && performance.now() < endsAt; turn += 1) await nextTurn()
      await this.#runSlice()
    }
    this.#isAdvancing = false
  }

  async #runSlice(): Promise<void> {
    this.#sliceEndsAt = performance.now() + SLICE_MS
    while (performance.now() < this.#sliceEndsAt) {
      const next = this.#waiting.shift()
      if (!next) return
      if (performance.now() - next.since > this.#limits.queueMs) {
        this.#pending -= 1
        next.request.refuse()
      } else {
        // The next request begins when this one has been answered, or waits for a database.
        await Promise.race([this.#run(next.request), nextTurn()])
      }
    }
  }
}
