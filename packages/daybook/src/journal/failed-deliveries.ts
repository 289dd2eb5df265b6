import type { Log } from '../log.ts'
import type { JournalRow } from '../store/reads/rows.ts'
import type { Store } from '../store/store.ts'
import type { Writer } from '../store/writes/write.ts'
import { PendingDeliveries } from './pending-deliveries.ts'
import { type StoredReplay, spansOf } from './replay.ts'
import {
  dropParked,
  dropPending,
  failedNow,
  park,
  putPending,
  type StoredDelivery,
  unpark,
  untried,
} from './stored-deliveries.ts'
import { DeliveryError, type SettledTimes, type Subscriber } from './subscriber.ts'

/** The parts of a subscription that its failed deliveries need. */
export interface FailedDeliveriesParts {
  readonly store: Store
  readonly subscriber: Subscriber
  readonly times: SettledTimes
  readonly log: Log
  /** Stores a change in a transaction of the holder of the lease, together with the position. */
  readonly commit: (change: (writer: Writer) => Promise<void>) => Promise<void>
}

/** The deliveries of a subscription that have failed: what is known of them here, and in the store. */
export class FailedDeliveries {
  readonly #parts: FailedDeliveriesParts
  #pending = new PendingDeliveries()

  constructor(parts: FailedDeliveriesParts) {
    this.#parts = parts
  }

  /** Begins anew with what is stored; nothing is known without the lease. */
  async reload(isHeld: boolean): Promise<void> {
    const { store, subscriber } = this.#parts
    const isKnown = isHeld && subscriber.storesFailures
    this.#pending = isKnown ? await PendingDeliveries.load(store.records, subscriber.name) : new PendingDeliveries()
  }

  /** How many more may be stored. */
  get room(): number {
    return this.#pending.room
  }

  /** When the next one is due, in milliseconds since 1970; `null`: none is. */
  get dueAt(): number | null {
    return this.#pending.dueAt
  }

  /** Those that are due. */
  due(): readonly StoredDelivery[] {
    return this.#pending.due(Date.now())
  }

  /** Whether the delivery of a record is stored. */
  has(seq: number): boolean {
    return this.#pending.has(seq)
  }

  /** Stores a record whose document has to wait; `false`: it need not. */
  async waits(record: JournalRow): Promise<boolean> {
    if (!this.#pending.isBlocked(record)) return false
    await this.#put(untried(record))
    return true
  }

  /** Notes that a delivery has failed: it is tried again, or parked. */
  async add(delivery: StoredDelivery, err: unknown): Promise<void> {
    const { subscriber, times, log, commit } = this.#parts
    const failed = failedNow(delivery, err, times)
    const { seq, attempts, dueAt } = failed
    // Such a failure is the receiver's: where it was thrown says nothing.
    const cause = err instanceof DeliveryError ? { reason: err.message } : { err }
    const fields = { ...cause, subscription: subscriber.name, seq }
    if (Date.now() - (failed.failedAt ?? 0) < times.parkAfterMs) {
      const again = { ...fields, retryInMs: dueAt - Date.now() }
      if (attempts === 1) log.warn(again, 'journal: a record could not be delivered; it is delivered again')
      return this.#put(failed)
    }
    log.error({ ...fields, attempts }, 'journal: a record could not be delivered; it is parked')
    this.#pending.drop(failed)
    return commit(({ records }) => park(records, subscriber.name, failed))
  }

  /** Has those tried at once that pause after a failure: the receiver has taken another one. @returns true if there were any */
  release(): boolean {
    return this.#pending.release(Date.now())
  }

  /** Lets the next success release all of them: the receiver is down. */
  noteOutage(): void {
    this.#pending.noteOutage()
  }

  /** Ends a delivery that was not added again since: it has succeeded, or is of no use any more. */
  async drop(delivery: StoredDelivery): Promise<void> {
    if (this.#pending.get(delivery.seq) !== delivery) return
    const { subscriber, commit } = this.#parts
    this.#pending.drop(delivery)
    await commit(({ records }) => dropPending(records, subscriber.name, delivery))
  }

  /** Makes those due at once that replays name, and forgets parked ones that come again with the journal. */
  async replay({ records }: Writer, requests: readonly StoredReplay[]): Promise<void> {
    const { name } = this.#parts.subscriber
    const spans = spansOf(requests)
    await dropParked(records, name, spans)
    const hurried = this.#pending.hurried(spans)
    for (const delivery of hurried) await putPending(records, name, delivery)
    const isOfParked = requests.some(({ request }) => 'parked' in request)
    const unparked = isOfParked ? await unpark(records, name, this.#pending.room) : []
    for (const delivery of [...hurried, ...unparked]) this.#pending.put(delivery)
  }

  async #put(delivery: StoredDelivery): Promise<void> {
    const { subscriber, commit } = this.#parts
    this.#pending.put(delivery)
    await commit(({ records }) => putPending(records, subscriber.name, delivery))
  }
}
