import { Lease, LeaseLost } from '../store/records/lease.ts'
import type { Store } from '../store/store.ts'
import type { Writer } from '../store/writes/writer.ts'

/** The time after which a hanging process loses the lease, in milliseconds. */
const LEASE_MS = 10_000
/** The time for which the holder relies on the lease; the other half is a margin for slow clocks and event loops. */
const TRUST_MS = LEASE_MS / 2
/** The interval of renewals by the holder, and of attempts by other processes, in milliseconds. */
export const RENEW_MS: number = LEASE_MS / 4

/** The lease of a subscription, as far as this process knows. */
export class SubscriptionLease {
  readonly #lease: Lease
  /** The time until which this process surely holds the lease, by `performance.now()`. */
  #heldUntil = 0

  constructor(store: Store, name: string) {
    this.#lease = new Lease(store, `subscription ${name}`, LEASE_MS)
  }

  get isHeld(): boolean {
    return performance.now() < this.#heldUntil
  }

  /** Takes or extends the lease. @returns `false` if another process has it */
  async take(): Promise<boolean> {
    const requestedAt = performance.now()
    const isTaken = await this.#lease.take()
    this.#heldUntil = isTaken ? requestedAt + TRUST_MS : 0
    return isTaken
  }

  /** Extends the lease if that is due. A failure of the database is ignored until the next call. */
  async renew(): Promise<void> {
    if (this.isHeld && this.#heldUntil - performance.now() < TRUST_MS - RENEW_MS) await this.take().catch(() => {})
  }

  /** Runs `work` in a transaction of the holder. @throws {LeaseLost} */
  async write<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    try {
      return await this.#lease.write(work)
    } catch (error) {
      if (error instanceof LeaseLost) this.#heldUntil = 0
      throw error
    }
  }

  /** Stops relying on the lease, which expires by itself. */
  abandon(): void {
    this.#heldUntil = 0
  }

  /** Releases the lease, so that another process can take it at once. */
  async release(): Promise<void> {
    if (this.isHeld) await this.#lease.release()
  }
}
