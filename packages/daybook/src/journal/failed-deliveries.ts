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

/** The parts of a subscription that its failed deliveries need. */
export interface FailedDeliveriesParts {
  readonly store: Store
  readonly subscriber: Subscriber
  readonly times: ResolvedTimes
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
  get capacity(): number {
    return this.#pending.capacity
  }

  /** When the next one is due, in milliseconds since 1970; `null`: none is. */
  get dueAt(): number | null {
    return this.#pending.dueAt
  }

  /** Those that are due. */
  listDue(): readonly StoredDelivery[] {
    return this.#pending.listDue(Date.now())
  }

  /** Whether the delivery of a record is stored. */
  has(seq: number): boolean {
    return this.#pending.has(seq)
  }

  /** Stores a record whose document has to wait; `false`: it need not. */
  async storeIfBlocked(record: JournalRow): Promise<boolean> {
    if (!this.#pending.isBlocked(record)) return false
    await this.#put(createDelivery(record))
    return true
  }

  /** Notes that a delivery has failed: it is tried again, or parked. */
  async add(delivery: StoredDelivery, err: unknown): Promise<void> {
    const { subscriber, times, log, commit } = this.#parts
    const failed = recordFailure(delivery, err, times)
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
  retryNow(): boolean {
    return this.#pending.retryNow(Date.now())
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
    const spans = getReplayRanges(requests)
    await dropParked(records, name, spans)
    const hurried = this.#pending.listInRanges(spans)
    for (const delivery of hurried) await putPending(records, name, delivery)
    const isOfParked = requests.some(({ request }) => 'parked' in request)
    const unparked = isOfParked ? await unpark(records, name, this.#pending.capacity) : []
    for (const delivery of [...hurried, ...unparked]) this.#pending.put(delivery)
  }

  async #put(delivery: StoredDelivery): Promise<void> {
    const { subscriber, commit } = this.#parts
    this.#pending.put(delivery)
    await commit(({ records }) => putPending(records, subscriber.name, delivery))
  }
}

/** The pending deliveries of a subscription, as the holder of its lease knows them. */
class PendingDeliveries {
  readonly #bySeq: Map<number, StoredDelivery>
  /** Those that a success has released; each is released once in an outage, so that one that always fails is not tried beside each success. */
  readonly #released = new Set<number>()

  /** @param stored in the order of the journal */
  constructor(stored: readonly StoredDelivery[] = []) {
    this.#bySeq = new Map(stored.map((one) => [one.seq, one]))
  }

  static async load(records: RecordReader, name: string): Promise<PendingDeliveries> {
    return new PendingDeliveries(await listDeliveries(records, name, { state: 'pending', limit: MAX_PENDING * 2 }))
  }

  /** How many more there may be. */
  get capacity(): number {
    return Math.max(MAX_PENDING - this.#bySeq.size, 0)
  }

  get(seq: number): StoredDelivery | undefined {
    return this.#bySeq.get(seq)
  }

  has(seq: number): boolean {
    return this.#bySeq.has(seq)
  }

  /** Whether a record has to wait, because an earlier one of its document is pending. */
  isBlocked({ collection, id, seq }: JournalRow): boolean {
    return this.#inOrder().some((one) => one.seq < seq && one.collection === collection && one.document === id)
  }

  put(delivery: StoredDelivery): void {
    this.#bySeq.set(delivery.seq, delivery)
  }

  drop({ seq }: StoredDelivery): void {
    this.#bySeq.delete(seq)
    this.#released.delete(seq)
  }

  /** Those that are tried now: of each document the first, when its time has come. */
  listDue(now: number): readonly StoredDelivery[] {
    return this.#heads().filter(({ dueAt }) => dueAt <= now)
  }

  /** When the next one is tried, in milliseconds since 1970; `null`: there are none. */
  get dueAt(): number | null {
    const times = this.#heads().map(({ dueAt }) => dueAt)
    return times.length === 0 ? null : Math.min(...times)
  }

  /**
   * Makes those that pause after a failure due at once, since the receiver takes messages again.
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

  /** Lets the next success release all of them. */
  noteOutage(): void {
    this.#released.clear()
  }

  /** Those in parts of the journal, to be tried at once. */
  listInRanges(spans: readonly SeqRange[]): readonly StoredDelivery[] {
    return this.#inOrder().flatMap((one) => (isInRanges(spans, one.seq) ? [{ ...one, dueAt: 0 }] : []))
  }

  #inOrder(): readonly StoredDelivery[] {
    return [...this.#bySeq.values()].sort((a, b) => a.seq - b.seq)
  }

  #heads(): readonly StoredDelivery[] {
    const heads = new Map<string, StoredDelivery>()
    for (const one of this.#inOrder()) {
      const lane = `${one.collection} ${one.document}`
      if (!heads.has(lane)) heads.set(lane, one)
    }
    return [...heads.values()]
  }
}
