import { setTimeout as sleep } from 'node:timers/promises'

const SLOT_MS = 100
/** The utilization of the event loop from which a process counts as busy, from 0 to 1. */
const BUSY_UTILIZATION = 0.6
/** The number of requests in a slot from which clients count as active. */
const MIN_REQUESTS = 5
/** The number of deliveries that begin in a slot of a busy process: about 5 % of its time. */
const BUSY_DELIVERIES = 10
/** The maximum number of deliveries that begin in a slot while clients are active. */
const MAX_DELIVERIES = 40

/**
 * Gives clients priority over deliveries: while clients keep the process busy, few deliveries begin, and the others stay in the
 * journal. All subscriptions of a service share one throttle.
 */
export class DeliveryThrottle {
  #requests = 0
  #slotEndsAt = 0
  /** The number of deliveries that may begin in this slot. */
  #limit = Number.POSITIVE_INFINITY
  /** The number of deliveries that may still begin in this slot. */
  #remaining = 0
  #lastUsage = performance.eventLoopUtilization()

  noteRequest(): void {
    this.#requests += 1
  }

  async waitForTurn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const now = performance.now()
      if (now >= this.#slotEndsAt) this.#beginSlot(now)
      if (this.#remaining > 0) {
        this.#remaining -= 1
        return
      }
      await sleep(this.#slotEndsAt - now, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  #beginSlot(now: number): void {
    const usage = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(usage, this.#lastUsage)
    // An idle slot may be followed by a busy one, so the limit only doubles.
    if (this.#requests < MIN_REQUESTS) this.#limit = Number.POSITIVE_INFINITY
    else this.#limit = utilization >= BUSY_UTILIZATION ? BUSY_DELIVERIES : Math.min(this.#limit * 2, MAX_DELIVERIES)
    this.#remaining = this.#limit
    this.#slotEndsAt = now + SLOT_MS
    this.#lastUsage = usage
    this.#requests = 0
  }
}
