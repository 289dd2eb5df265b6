import { setTimeout as sleep } from 'node:timers/promises'

/** How long a slot is, in milliseconds. */
const SLOT_MS = 100
/** How much of the event loop's time is used in a process that is busy, from 0 to 1. */
const BUSY = 0.6
/** How many requests in a slot show that it is clients who use it, and not deliveries. */
const MIN_REQUESTS = 5
/** How many deliveries begin in a slot while the process is busy: some 5 % of its time. */
const BUSY_DELIVERIES = 10
/** How many begin in a slot at most while clients are there. */
const MAX_DELIVERIES = 40

/**
 * Lets clients go first: while they keep the process busy, few deliveries begin; the journal keeps the others. All
 * subscriptions of a service share it.
 */
export class DeliveryThrottle {
  #requests = 0
  #slotEndsAt = 0
  /** How many deliveries may begin in this slot, and how many still may. */
  #allowed = Number.POSITIVE_INFINITY
  #left = 0
  #used = performance.eventLoopUtilization()

  /** Notes a request of a client. */
  noteRequest(): void {
    this.#requests += 1
  }

  /** Waits until a delivery may begin, or until the signal is aborted. */
  async waitForTurn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const now = performance.now()
      if (now >= this.#slotEndsAt) this.#beginSlot(now)
      if (this.#left > 0) {
        this.#left -= 1
        return
      }
      await sleep(this.#slotEndsAt - now, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  #beginSlot(now: number): void {
    const used = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(used, this.#used)
    // A process that has a moment's rest may be busy again in the next one.
    if (this.#requests < MIN_REQUESTS) this.#allowed = Number.POSITIVE_INFINITY
    else this.#allowed = utilization >= BUSY ? BUSY_DELIVERIES : Math.min(this.#allowed * 2, MAX_DELIVERIES)
    this.#left = this.#allowed
    this.#slotEndsAt = now + SLOT_MS
    this.#used = used
    this.#requests = 0
  }
}
