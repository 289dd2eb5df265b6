import type { RecordReader } from '../auth/records.ts'
import type { JournalRow } from '../store/reads/rows.ts'
import { isInSpans, type Span } from './spans.ts'
import { listDeliveries, MAX_PENDING, type StoredDelivery } from './stored-deliveries.ts'

/** The pending deliveries of a subscription, as the holder of its lease knows them. */
export class PendingDeliveries {
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
  get room(): number {
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
  due(now: number): readonly StoredDelivery[] {
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
  release(now: number): boolean {
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
  hurried(spans: readonly Span[]): readonly StoredDelivery[] {
    return this.#inOrder().flatMap((one) => (isInSpans(spans, one.seq) ? [{ ...one, dueAt: 0 }] : []))
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
