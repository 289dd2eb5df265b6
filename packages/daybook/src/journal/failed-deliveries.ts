import type { RecordReader } from '../auth/records.ts'
import type { Log } from '../log.ts'
import type { JournalRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { Writer } from '../store/writes/writer.ts'
import { isInRanges, type SeqRange } from './ranges.ts'
import { getReplayRanges, type StoredReplay } from './replay.ts'
import {
  createDelivery,
  dropParked,
  dropPending,
  listDeliveries,
  MAX_PENDING,
  park,
  putPending,
  recordFailure,
  type StoredDelivery,
  unpark,
} from './stored-deliveries.ts'
import { DeliveryError, type ResolvedTimes, type Subscriber } from './subscriber.ts'

export interface FailedDeliveriesParts {
  readonly store: Store
  readonly subscriber: Subscriber
  readonly times: ResolvedTimes
  readonly log: Log
  /** Commits a change together with the position, as the holder of the lease. */
  readonly commit: (change: (writer: Writer) => Promise<void>) => Promise<void>
}

/** The failed deliveries of a subscription, in memory and in the store. */
export class FailedDeliveries {
  readonly #parts: FailedDeliveriesParts
  #pending = new PendingDeliveries()

  constructor(parts: FailedDeliveriesParts) {
    this.#parts = parts
  }

  /** Reloads the deliveries from the store. Without the lease, there are none. */
  async reload(isHeld: boolean): Promise<void> {
    const { store, subscriber } = this.#parts
    const mustLoad = isHeld && subscriber.storesFailures
    this.#pending = mustLoad ? await PendingDeliveries.load(store.records, subscriber.name) : new PendingDeliveries()
  }

  /** The number of further deliveries that can be stored. */
  get capacity(): number {
    return this.#pending.capacity
  }

  /** The time when the next delivery is due, in milliseconds since 1970; `null` if there is none. */
  get dueAt(): number | null {
    return this.#pending.dueAt
  }

  listDue(): readonly StoredDelivery[] {
    return this.#pending.listDue(Date.now())
  }

  has(seq: number): boolean {
    return this.#pending.has(seq)
  }

  /** Stores the delivery of a record if an earlier one of its document is pending. @returns `false` otherwise */
  async storeIfBlocked(record: JournalRow): Promise<boolean> {
    if (!this.#pending.isBlocked(record)) return false
    await this.#put(createDelivery(record))
    return true
  }

  /** Records a failure: the delivery is retried, or parked after too long a time. */
  async add(delivery: StoredDelivery, err: unknown): Promise<void> {
    const { subscriber, times, log, commit } = this.#parts
    const failed = recordFailure(delivery, err, times)
    const { seq, attempts, dueAt } = failed
    // A DeliveryError is a failure of the receiver, so its stack is useless.
    const cause = err instanceof DeliveryError ? { reason: err.message } : { err }
    const fields = { ...cause, subscription: subscriber.name, seq }
    if (Date.now() - (failed.failedAt ?? 0) < times.parkAfterMs) {
      const retryFields = { ...fields, retryInMs: dueAt - Date.now() }
      if (attempts === 1) log.warn(retryFields, 'journal: a record could not be delivered; it is delivered again')
      return this.#put(failed)
    }
    log.error({ ...fields, attempts }, 'journal: a record could not be delivered; it is parked')
    this.#pending.drop(failed)
    return commit(({ records }) => park(records, subscriber.name, failed))
  }

  /** Makes paused deliveries due after a success of another one. @returns true if there were any */
  retryNow(): boolean {
    return this.#pending.retryNow(Date.now())
  }

  /** Notes that the receiver is down: its next success makes all paused deliveries due. */
  noteOutage(): void {
    this.#pending.noteOutage()
  }

  /** Removes a delivery that has succeeded or become obsolete, unless it was added again. */
  async drop(delivery: StoredDelivery): Promise<void> {
    if (this.#pending.get(delivery.seq) !== delivery) return
    const { subscriber, commit } = this.#parts
    this.#pending.drop(delivery)
    await commit(({ records }) => dropPending(records, subscriber.name, delivery))
  }

  /** Makes replayed deliveries due, and removes parked ones in ranges that are read again. */
  async replay({ records }: Writer, requests: readonly StoredReplay[]): Promise<void> {
    const { name } = this.#parts.subscriber
    const ranges = getReplayRanges(requests)
    await dropParked(records, name, ranges)
    const replayed = this.#pending.listInRanges(ranges)
    for (const delivery of replayed) await putPending(records, name, delivery)
    const includesParked = requests.some(({ request }) => 'parked' in request)
    const unparked = includesParked ? await unpark(records, name, this.#pending.capacity) : []
    for (const delivery of [...replayed, ...unparked]) this.#pending.put(delivery)
  }

  async #put(delivery: StoredDelivery): Promise<void> {
    const { subscriber, commit } = this.#parts
    this.#pending.put(delivery)
    await commit(({ records }) => putPending(records, subscriber.name, delivery))
  }
}

/** The pending deliveries of a subscription, in the memory of the lease holder. */
class PendingDeliveries {
  readonly #bySeq: Map<number, StoredDelivery>
  /** Deliveries that a success made due, once per outage, so that one that always fails is not retried after each success. */
  readonly #released = new Set<number>()

  /** @param stored deliveries in the order of the journal */
  constructor(stored: readonly StoredDelivery[] = []) {
    this.#bySeq = new Map(stored.map((delivery) => [delivery.seq, delivery]))
  }

  static async load(records: RecordReader, name: string): Promise<PendingDeliveries> {
    return new PendingDeliveries(await listDeliveries(records, name, { state: 'pending', limit: MAX_PENDING * 2 }))
  }

  /** The number of further deliveries that fit. */
  get capacity(): number {
    return Math.max(MAX_PENDING - this.#bySeq.size, 0)
  }

  get(seq: number): StoredDelivery | undefined {
    return this.#bySeq.get(seq)
  }

  has(seq: number): boolean {
    return this.#bySeq.has(seq)
  }

  /** True if an earlier delivery of the same document is pending. */
  isBlocked({ collection, id, seq }: JournalRow): boolean {
    return this.#inOrder().some(
      (delivery) => delivery.seq < seq && delivery.collection === collection && delivery.document === id,
    )
  }

  put(delivery: StoredDelivery): void {
    this.#bySeq.set(delivery.seq, delivery)
  }

  drop({ seq }: StoredDelivery): void {
    this.#bySeq.delete(seq)
    this.#released.delete(seq)
  }

  listDue(now: number): readonly StoredDelivery[] {
    return this.#firstByDocument().filter(({ dueAt }) => dueAt <= now)
  }

  /** The time of the next attempt, in milliseconds since 1970; `null` if there is none. */
  get dueAt(): number | null {
    const times = this.#firstByDocument().map(({ dueAt }) => dueAt)
    return times.length === 0 ? null : Math.min(...times)
  }

  /**
   * Makes paused deliveries due at once, since the receiver accepts messages again.
   *
   * @returns true if there were any
   */
  retryNow(now: number): boolean {
    const paused = [...this.#bySeq.values()].filter(({ seq, dueAt }) => dueAt > now && !this.#released.has(seq))
    for (const delivery of paused) {
      this.put({ ...delivery, dueAt: 0 })
      this.#released.add(delivery.seq)
    }
    return paused.length > 0
  }

  /** Lets the next success make all paused deliveries due. */
  noteOutage(): void {
    this.#released.clear()
  }

  listInRanges(ranges: readonly SeqRange[]): readonly StoredDelivery[] {
    return this.#inOrder().flatMap((delivery) => (isInRanges(ranges, delivery.seq) ? [{ ...delivery, dueAt: 0 }] : []))
  }

  #inOrder(): readonly StoredDelivery[] {
    return [...this.#bySeq.values()].sort((a, b) => a.seq - b.seq)
  }

  #firstByDocument(): readonly StoredDelivery[] {
    const first = new Map<string, StoredDelivery>()
    for (const delivery of this.#inOrder()) {
      const key = `${delivery.collection} ${delivery.document}`
      if (!first.has(key)) first.set(key, delivery)
    }
    return [...first.values()]
  }
}
