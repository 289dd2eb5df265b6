import { Lease, LeaseLost } from '../store/records/lease.ts'
import type { Store } from '../store/store.ts'
import type { Writer } from '../store/writes/writer.ts'

/** A process that stops moving is replaced after this time, in milliseconds. */
const LEASE_MS = 10_000
/** How long the holder may rely on the lease without taking it again; a half of it is left for slow clocks and turns. */
const TRUST_MS = LEASE_MS / 2
/** How often the holder renews the lease while it works, and how soon another process asks for it, in milliseconds. */
export const RENEW_MS: number = LEASE_MS / 4

/** The lease of a subscription, with what this process knows of it. */
export class SubscriptionLease {
  readonly #lease: Lease
  /** Until when it is held for sure, by the clock of `performance.now()`. */
  #heldUntil = 0

  constructor(store: Store, name: string) {
    this.#lease = new Lease(store, `subscription ${name}`, LEASE_MS)
  }

  get isHeld(): boolean {
    return performance.now() < this.#heldUntil
  }

  /** Takes the lease, or keeps it for longer; `false`: another process has it. */
  async take(): Promise<boolean> {
    const asked = performance.now()
    const isTaken = await this.#lease.take()
    this.#heldUntil = isTaken ? asked + TRUST_MS : 0
    return isTaken
  }

  /** Keeps it for longer, when that is due. A database that does not answer now is asked again. */
  async renew(): Promise<void> {
    if (this.isHeld && this.#heldUntil - performance.now() < TRUST_MS - RENEW_MS) await this.take().catch(() => {})
  }

  /** Runs `work` as one transaction of the holder. @throws {LeaseLost} */
  async write<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    try {
      return await this.#lease.write(work)
    } catch (error) {
      if (error instanceof LeaseLost) this.#heldUntil = 0
      throw error
    }
  }

  /** Relies on it no longer; it ends by itself. */
  abandon(): void {
    this.#heldUntil = 0
  }

  /** Lets another process take it at once. */
  async release(): Promise<void> {
    if (this.isHeld) await this.#lease.release()
  }
}
