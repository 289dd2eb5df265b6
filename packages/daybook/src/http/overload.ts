import { setImmediate as nextTurn } from 'node:timers/promises'
import { DaybookError } from '../errors.ts'

/** The default maximum number of waiting and running requests. */
export const DEFAULT_PENDING: number = 1000
/** The default maximum wait before a request starts, in milliseconds. */
export const DEFAULT_QUEUE_MS: number = 10_000

/** The length of a slice, in milliseconds. */
const SLICE_MS = 10
/** The maximum number of event-loop turns between two slices. In each turn, libuv accepts one connection and reads data of the others. */
const PAUSE_TURNS = 16
/** The maximum length of such a pause, in milliseconds: rejecting requests must not take all the time. */
const PAUSE_MS = 10

export interface QueueLimits {
  /** The maximum number of waiting and running requests. */
  readonly pendingRequests: number
  /** The maximum wait before a request starts, in milliseconds. */
  readonly queueMs: number
}

export interface QueuedRequest {
  /** Responds to the request. Never rejects. */
  run(): Promise<void>
  /** Responds with 503. */
  reject(): void
}

interface WaitingRequest {
  readonly request: QueuedRequest
  /** The time of arrival, from `performance.now()`. */
  readonly since: number
}

/** The error of all rejected requests: a single object, since rejecting has to be cheap. */
export const OVERLOADED: DaybookError = new DaybookError(
  'SERVICE_UNAVAILABLE',
  'The service is overloaded. Retry after the seconds in Retry-After.',
)

/**
 * Starts requests in the order of their arrival, in slices of {@link SLICE_MS}. SQLite runs on the thread that also reads the sockets, so
 * without pauses between slices, new connections and probes would wait for all earlier requests.
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

  /** The value of `Retry-After`, in seconds: the time that the next request in the queue has waited, at least 1. */
  get retryAfter(): number {
    const [next] = this.#waiting
    return next ? Math.max(1, Math.ceil((performance.now() - next.since) / 1000)) : 1
  }

  /** Runs a request at once or in its turn; rejects it if the queue is full or the wait is too long. */
  enter(request: QueuedRequest): void {
    if (this.#pending >= this.#limits.pendingRequests) {
      request.reject()
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

  /** Waits for a client, such as for its body. Meanwhile, the request does not count as pending, so slow clients do not block others. */
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
        next.request.reject()
      } else {
        // The next request starts once this one has ended, or waits for a database.
        await Promise.race([this.#run(next.request), nextTurn()])
      }
    }
  }
}
