import { randomUUID } from 'node:crypto'
import type { TransactionOptions } from '../database.ts'
import type { Store } from '../store.ts'
import type { Writer } from '../writes/writer.ts'

/** The error of a write whose lease another node has taken over; nothing was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * A right that at most one node holds at a time. It expires by the clock of the database, and each new holder gets a higher token. Each
 * write checks the token in its transaction, so that a node that was paused beyond the expiry writes nothing.
 *
 * @example
 * ```ts
 * const lease = new Lease(store, 'sweep', 60_000)
 * if (await lease.take()) await lease.write((writer) => writer.system.dropIdempotencyRecords(expiry))
 * ```
 */
export class Lease {
  readonly #store: Store
  readonly #name: string
  readonly #ms: number
  readonly #holder = randomUUID()
  #token: number | undefined

  /** @param ms the duration of the lease unless it is extended, in milliseconds */
  constructor(store: Store, name: string, ms: number) {
    this.#store = store
    this.#name = name
    this.#ms = ms
  }

  /** Takes or extends the lease. Returns false if another node holds it. */
  async take(): Promise<boolean> {
    const claim = { name: this.#name, holder: this.#holder, ms: this.#ms }
    this.#token = await this.#store.transaction((writer) => writer.leases.take(claim))
    return this.#token !== undefined
  }

  /**
   * Runs `work` in a transaction of the holder.
   *
   * @throws {LeaseLost} if this node does not hold the lease
   */
  async write<T>(work: (writer: Writer) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const token = this.#token
    if (token === undefined) throw new LeaseLost()
    return this.#store.transaction(async (writer) => {
      if (!(await writer.leases.holds(this.#name, token))) throw new LeaseLost()
      return work(writer)
    }, options)
  }

  /** Releases the lease, so that another node can take it at once. */
  async release(): Promise<void> {
    const token = this.#token
    this.#token = undefined
    if (token !== undefined) await this.#store.transaction((writer) => writer.leases.end(this.#name, token))
  }
}
