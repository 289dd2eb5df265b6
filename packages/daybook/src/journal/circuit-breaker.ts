import { setTimeout as sleep } from 'node:timers/promises'

/** How often in a row deliveries fail until a receiver counts as down. */
const MAX_STREAK = 5
const MAX_PAUSE_MS = 5 * 60_000

/**
 * Spares a receiver that is down: after several failures in a row, one attempt at a time is made, with growing pauses
 * between them, until one succeeds.
 */
export class CircuitBreaker {
  readonly #firstPauseMs: number
  #streak = 0
  /** How many pauses there were since the receiver went down; 0: it is up. */
  #pauses = 0
  #pauseEndsAt = 0
  #isProbing = false
  #changed = Promise.withResolvers<void>()

  /** @param firstPauseMs the first pause, in milliseconds; each further one is twice as long, up to five minutes */
  constructor(firstPauseMs: number) {
    this.#firstPauseMs = firstPauseMs
  }

  get isDown(): boolean {
    return this.#pauses > 0
  }

  /**
   * Makes an attempt once one may be made; rejects as it does.
   *
   * @param attempt answers whether anything was sent
   * @returns `false`: the signal was aborted before
   */
  async run(attempt: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    while (this.isDown && !this.#mayProbe()) {
      await this.#untilChange(signal)
      if (signal.aborted) return false
    }
    const isProbe = this.isDown
    this.#isProbing ||= isProbe
    try {
      if (await attempt()) this.#succeeded()
    } catch (error) {
      // Attempts that began before it was known to be down say nothing new.
      if (isProbe || !this.isDown) this.#failed()
      throw error
    } finally {
      if (isProbe) this.#change()
    }
    return true
  }

  #mayProbe(): boolean {
    return !this.#isProbing && Date.now() >= this.#pauseEndsAt
  }

  async #untilChange(signal: AbortSignal): Promise<void> {
    const ms = this.#isProbing ? MAX_PAUSE_MS : this.#pauseEndsAt - Date.now()
    const waiting = new AbortController()
    const options = { signal: AbortSignal.any([signal, waiting.signal]), ref: false }
    await Promise.race([sleep(ms, undefined, options).catch(() => {}), this.#changed.promise])
    waiting.abort()
  }

  #succeeded(): void {
    const wasDown = this.isDown
    this.#streak = 0
    this.#pauses = 0
    if (wasDown) this.#change()
  }

  #failed(): void {
    this.#streak += 1
    if (this.#streak < MAX_STREAK) return
    this.#pauseEndsAt = Date.now() + Math.min(this.#firstPauseMs * 2 ** this.#pauses, MAX_PAUSE_MS)
    this.#pauses += 1
  }

  #change(): void {
    this.#isProbing = false
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}
