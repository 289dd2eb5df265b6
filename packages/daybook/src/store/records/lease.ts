import { randomUUID } from 'node:crypto'
import type { TransactionOptions } from '../database.ts'
import type { Store } from '../store.ts'
import type { Writer } from '../writes/writer.ts'

/** Another node has taken the lease over meanwhile; nothing was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * A right that one node at a time has. It ends by the clock of the database, and each new holder gets a higher token:
 * what a holder writes names its token in the same transaction, so that one which was stopped for a while, and does not
 * know that its time is over, writes nothing.
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

  /** @param ms how long it lasts when it is not taken again, in milliseconds */
  constructor(store: Store, name: string, ms: number) {
    this.#store = store
    this.#name = name
    this.#ms = ms
  }

  /** Takes the lease, or keeps it for longer; `false`: another node has it. */
  async take(): Promise<boolean> {
    const claim = { name: this.#name, holder: this.#holder, ms: this.#ms }
    this.#token = await this.#store.transaction((writer) => writer.leases.take(claim))
    return this.#token !== undefined
  }

  /**
   * Runs `work` as one transaction of the holder.
   *
   * @throws {LeaseLost} when the lease is not held, or no longer
   */
  async write<T>(work: (writer: Writer) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const token = this.#token
    if (token === undefined) throw new LeaseLost()
    return this.#store.transaction(async (writer) => {
      if (!(await writer.leases.holds(this.#name, token))) throw new LeaseLost()
      return work(writer)
    }, options)
  }

  /** Lets another node take it at once. */
  async release(): Promise<void> {
    const token = this.#token
    this.#token = undefined
    if (token !== undefined) await this.#store.transaction((writer) => writer.leases.end(this.#name, token))
  }
}
