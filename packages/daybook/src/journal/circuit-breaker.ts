import { setTimeout as sleep } from 'node:timers/promises'

/** The number of consecutive failures after which a receiver counts as down. */
const MAX_CONSECUTIVE_FAILURES = 5
const MAX_PAUSE_MS = 5 * 60_000

/**
 * Limits attempts to a receiver that is down: after several consecutive failures, allows one attempt at a time with growing pauses
 * until one succeeds.
 */
export class CircuitBreaker {
  readonly #firstPauseMs: number
  #consecutiveFailures = 0
  /** The number of pauses since the receiver went down; 0 if it is up. */
  #pauses = 0
  #pauseEndsAt = 0
  #isProbing = false
  #changed = Promise.withResolvers<void>()

  /** @param firstPauseMs the first pause in milliseconds; each further one is twice as long, up to five minutes */
  constructor(firstPauseMs: number) {
    this.#firstPauseMs = firstPauseMs
  }

  get isDown(): boolean {
    return this.#pauses > 0
  }

  /**
   * Makes an attempt as soon as one is allowed. Rejects if the attempt does.
   *
   * @param attempt resolves to true if it sent anything
   * @returns `false` if the signal was aborted before the attempt
   */
  async run(attempt: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    while (this.isDown && !this.#canProbe()) {
      await this.#waitForChange(signal)
      if (signal.aborted) return false
    }
    const isProbe = this.isDown
    this.#isProbing ||= isProbe
    try {
      if (await attempt()) this.#recordSuccess()
    } catch (error) {
      // Ignore failures of attempts that began before the receiver counted as down.
      if (isProbe || !this.isDown) this.#recordFailure()
      throw error
    } finally {
      if (isProbe) this.#endProbe()
    }
    return true
  }

  #canProbe(): boolean {
    return !this.#isProbing && Date.now() >= this.#pauseEndsAt
  }

  async #waitForChange(signal: AbortSignal): Promise<void> {
    const ms = this.#isProbing ? MAX_PAUSE_MS : this.#pauseEndsAt - Date.now()
    const waiting = new AbortController()
    const options = { signal: AbortSignal.any([signal, waiting.signal]), ref: false }
    await Promise.race([sleep(ms, undefined, options).catch(() => {}), this.#changed.promise])
    waiting.abort()
  }

  #recordSuccess(): void {
    const wasDown = this.isDown
    this.#consecutiveFailures = 0
    this.#pauses = 0
    if (wasDown) this.#endProbe()
  }

  #recordFailure(): void {
    this.#consecutiveFailures += 1
    if (this.#consecutiveFailures < MAX_CONSECUTIVE_FAILURES) return
    this.#pauseEndsAt = Date.now() + Math.min(this.#firstPauseMs * 2 ** this.#pauses, MAX_PAUSE_MS)
    this.#pauses += 1
  }

  #endProbe(): void {
    this.#isProbing = false
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}
