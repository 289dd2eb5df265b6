import { setTimeout as sleep } from 'node:timers/promises'
import type { LimitFunction } from 'p-limit'
import pLimit from 'p-limit'
import type { Log } from '../log.ts'
import { LeaseLost } from '../store/records/lease.ts'
import type { JournalRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { Writer } from '../store/writes/writer.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { FailedDeliveries } from './failed-deliveries.ts'
import { addRange, advanceTo, dropFirst, rangesAfter, type UnreadRanges } from './ranges.ts'
import { dropReplays, getReplayRanges, listReplays, type StoredReplay } from './replay.ts'
import { createDelivery, type StoredDelivery } from './stored-deliveries.ts'
import {
  attemptDelivery,
  type ResolvedTimes,
  resolveTimes,
  type Subscriber,
  type SubscriptionTimes,
} from './subscriber.ts'
import { RENEW_MS, SubscriptionLease } from './subscription-lease.ts'
import { ensurePosition, readPosition, type SubscriptionPosition, writePosition } from './subscription-position.ts'

/** How often the position is stored: how much may be delivered again after a crash, in milliseconds. */
const POSITION_MS = 1000
/** How many records that are not wanted are passed over before the position is stored. */
const MAX_PASSED = 10_000
/** How many records are read ahead. */
const WINDOW = 128
/** The pause after a failure of the database, in milliseconds. */
const DATABASE_MS = 1000
/** How often a process looks for replays and for deliveries that are due, in milliseconds. */
const LOOK_MS = 1000

/** What a subscription does next. */
type Next = 'read' | 'wait for growth' | 'wait for the lease'

/**
 * Delivers the records of the journal to a subscriber, at least once, and those of one document in order, from the position that
 * is stored in the database. Of all processes on the database, the one that holds the lease delivers. The position is the
 * number before the first record that is neither delivered nor stored for later.
 */
export class Subscription {
  readonly #store: Store
  readonly #subscriber: Subscriber
  readonly #log: Log
  readonly #times: ResolvedTimes
  readonly #lease: SubscriptionLease
  readonly #lanes: KeyedQueue
  readonly #breaker: CircuitBreaker
  /** Aborted when no further record is delivered. */
  readonly #stopping = new AbortController()
  /** Aborted when running deliveries are given up. */
  readonly #ending = new AbortController()
  readonly #running: Promise<void>
  #wake = Promise.withResolvers<void>()
  /** What is to be read. */
  #spans: UnreadRanges = rangesAfter(0)
  /** Records that are read and not finished, in the order of the journal. */
  readonly #open = new Set<number>()
  /** Stored deliveries that are being tried. */
  readonly #retrying = new Set<number>()
  readonly #failed: FailedDeliveries
  /** When a stored delivery is due, as this process knows while it does not hold the lease. */
  #dueAt: number | null = null
  /** How often the position was set back. */
  #replays = 0
  #stored: SubscriptionPosition = { ranges: this.#spans, dueAt: null, replays: 0 }
  /** Stores the position and renews the lease while deliveries run. */
  #tending: NodeJS.Timeout | undefined
  #lookedAt = 0
  /** Whether records were left undone; all that follow are left, too, until everything is read again. */
  #isInterrupted = false

  private constructor(store: Store, subscriber: Subscriber, log: Log, times: ResolvedTimes) {
    this.#store = store
    this.#subscriber = subscriber
    this.#log = log
    this.#times = times
    this.#lease = new SubscriptionLease(store, subscriber.name)
    this.#lanes = new KeyedQueue(subscriber.concurrency ?? 1)
    this.#breaker = new CircuitBreaker(times.retryMs)
    this.#failed = new FailedDeliveries({ store, subscriber, times, log, commit: (change) => this.#commit(change) })
    this.#running = this.#run()
  }

  /** Begins to deliver: from the stored position, the first time from the end of the journal. */
  static async start(
    store: Store,
    subscriber: Subscriber,
    log: Log,
    times: SubscriptionTimes = {},
  ): Promise<Subscription> {
    await ensurePosition(store, subscriber.name)
    return new Subscription(store, subscriber, log, resolveTimes(subscriber, times))
  }

  /** Ends it, once running deliveries have come to their end or have taken too long. */
  async close(): Promise<void> {
    this.#stopping.abort()
    this.#wake.resolve()
    const limit = new AbortController()
    const tooLate = sleep(this.#times.closeMs, undefined, { signal: limit.signal }).catch(() => {})
    await Promise.race([this.#running, tooLate])
    limit.abort()
    this.#ending.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const end = this.#store.journal.onGrowth(() => this.#wake.resolve(), 0)
    try {
      while (!this.#isStopping) {
        // What is told while records are read may be of later ones.
        this.#wake = Promise.withResolvers()
        await this.#waitFor(await this.#advance().catch((error) => this.#recover(error)))
      }
      await this.#lanes.waitUntilIdle()
      if (this.#lease.isHeld) await this.#storePosition()
      await this.#lease.release()
    } catch (err) {
      this.#log.error({ err, subscription: this.#subscriber.name }, 'journal: a subscription could not end')
    } finally {
      end()
      clearInterval(this.#tending)
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async #waitFor(next: Next): Promise<void> {
    if (this.#isStopping || next === 'read') return
    if (next === 'wait for the lease') return this.#pause(RENEW_MS)
    if (!this.#subscriber.storesFailures) return this.#wake.promise
    const looking = setTimeout(() => this.#wake.resolve(), this.#waitMs()).unref()
    await this.#wake.promise
    clearTimeout(looking)
  }

  /** Until a stored delivery is due, or replays are looked for. */
  #waitMs(): number {
    const dueAt = this.#lease.isHeld ? this.#failed.dueAt : this.#dueAt
    return Math.max(0, Math.min(LOOK_MS, (dueAt ?? Number.POSITIVE_INFINITY) - Date.now()))
  }

  /** Begins what there is to do, if there is anything. */
  async #advance(): Promise<Next> {
    if (this.#isInterrupted || !this.#lease.isHeld) await this.#reload()
    const replays = await this.#requestedReplays()
    const records = await this.#read()
    const isWanted = records.some((one) => this.#subscriber.wants(one))
    const hasWork = replays.length > 0 || isWanted || this.#isAnyDue() || this.#isPositionLeft
    if (!hasWork) return this.#passOver(records)
    if (!this.#lease.isHeld) return (await this.#takeOver()) ? 'read' : 'wait for the lease'
    if (replays.length > 0) return this.#replay(replays)
    for (const delivery of this.#due()) this.#retry(delivery)
    for (const record of records) this.#begin(record)
    return records.length > 0 && this.#hasRoom ? 'read' : 'wait for growth'
  }

  /** Begins anew with what is stored. */
  async #reload(): Promise<void> {
    await this.#lanes.waitUntilIdle()
    this.#open.clear()
    const { name } = this.#subscriber
    this.#stored = await readPosition(this.#store, name)
    const { ranges: spans, replays, dueAt } = this.#stored
    // What was passed over need not be read again, unless it is to be.
    const isFurther = !this.#isInterrupted && replays === this.#replays && this.#spans[0].after > spans[0].after
    if (!isFurther) this.#spans = spans
    this.#replays = replays
    this.#dueAt = dueAt
    await this.#failed.reload(this.#lease.isHeld)
    this.#isInterrupted = false
  }

  /** Takes the lease, and what its last holder has left. */
  async #takeOver(): Promise<boolean> {
    if (!(await this.#lease.take())) return false
    await this.#reload()
    this.#lookedAt = 0
    return true
  }

  async #requestedReplays(): Promise<readonly StoredReplay[]> {
    const now = performance.now()
    if (!this.#subscriber.storesFailures || (this.#lookedAt > 0 && now - this.#lookedAt < LOOK_MS)) return []
    this.#lookedAt = now
    return listReplays(this.#store.records, this.#subscriber.name)
  }

  get #hasRoom(): boolean {
    return this.#open.size <= WINDOW / 2 && this.#failed.capacity > this.#open.size
  }

  /** The next records, as far as there is room for them. */
  async #read(): Promise<readonly JournalRow[]> {
    if (!this.#hasRoom) return []
    const [{ after, to }] = this.#spans
    const records = await this.#store.journal.records(after, WINDOW)
    const own = to === null ? records : records.filter(({ seq }) => seq <= to)
    if (own.length > 0 || to === null) return own
    // The position is one number: what comes before it has to be done.
    await this.#lanes.waitUntilIdle()
    if (this.#isInterrupted) return []
    this.#spans = dropFirst(this.#spans)
    // The position before it may have been stored as the last one.
    this.#keepTending()
    return this.#read()
  }

  async #passOver(records: readonly JournalRow[]): Promise<Next> {
    const last = records.at(-1)
    if (!last) return 'wait for growth'
    this.#spans = advanceTo(this.#spans, last.seq)
    if (last.seq - this.#stored.ranges[0].after < MAX_PASSED) return 'read'
    if (!this.#lease.isHeld && !(await this.#lease.take())) return 'wait for the lease'
    await this.#storePosition()
    return 'read'
  }

  #begin(record: JournalRow): void {
    this.#spans = advanceTo(this.#spans, record.seq)
    if (!this.#subscriber.wants(record) || this.#failed.has(record.seq)) return
    this.#open.add(record.seq)
    this.#inLane(record, async () => {
      const isDone = await (this.#subscriber.storesFailures ? this.#deliverOrStore(record) : this.#deliver(record))
      if (isDone) this.#finish(record.seq)
      return isDone
    })
  }

  #finish(seq: number): void {
    this.#open.delete(seq)
    if (this.#open.size === WINDOW / 2) this.#wake.resolve()
  }

  /** @param work answers whether it is done */
  #inLane({ collection, id }: Pick<JournalRow, 'collection' | 'id'>, work: () => Promise<boolean>): void {
    // What no failure may hold up is in one lane.
    const lane = this.#subscriber.storesFailures ? `${collection} ${id}` : ''
    this.#lanes.add(lane, async () => {
      const isDone = !this.#mustLeave && (await work().catch((error) => this.#couldNotStore(error)))
      if (isDone) return
      this.#isInterrupted = true
      this.#wake.resolve()
    })
    this.#keepTending()
  }

  /** Whether no further delivery may begin. */
  get #mustLeave(): boolean {
    return this.#isStopping || this.#isInterrupted || !this.#lease.isHeld
  }

  #couldNotStore(err: unknown): false {
    this.#lease.abandon()
    if (!(err instanceof LeaseLost))
      this.#log.error({ err, subscription: this.#subscriber.name }, 'journal: a failed delivery could not be stored')
    return false
  }

  /** Sees to it that the position is stored before long. */
  #keepTending(): void {
    this.#tending ??= setInterval(() => void this.#tend(), POSITION_MS)
  }

  /** Keeps the lease and stores the position while deliveries run. */
  async #tend(): Promise<void> {
    const isDone = this.#lanes.isIdle
    try {
      await this.#lease.renew()
      if (this.#lease.isHeld) await this.#storePosition()
    } catch {
      // The next turn of the loop meets the same failure, and waits for the database.
      this.#lease.abandon()
    }
    // The next turn takes the lease again.
    if (this.#isPositionLeft) this.#wake.resolve()
    // What has begun meanwhile is stored the next time.
    if (!isDone || !this.#lanes.isIdle || !this.#isPositionStored) return
    clearInterval(this.#tending)
    this.#tending = undefined
  }

  get #position(): SubscriptionPosition {
    const [first] = this.#open
    const spans = first === undefined ? this.#spans : advanceTo(this.#spans, first - 1)
    return { ranges: spans, dueAt: this.#failed.dueAt, replays: this.#replays }
  }

  get #isPositionStored(): boolean {
    return this.#position.ranges[0].after === this.#stored.ranges[0].after
  }

  /** Whether the lease ran out after deliveries and before the position was stored. */
  get #isPositionLeft(): boolean {
    return this.#tending !== undefined && !this.#lease.isHeld && !this.#isPositionStored
  }

  /** Only the holder of the lease moves the position. */
  async #storePosition(): Promise<void> {
    if (!this.#isPositionStored) await this.#commit(async () => {})
  }

  /** Stores a change together with the position. */
  async #commit(change: (writer: Writer) => Promise<void>): Promise<void> {
    this.#stored = await this.#lease.write(async (writer) => {
      await change(writer)
      const position = this.#position
      await writePosition(writer, this.#subscriber.name, position)
      return position
    })
  }

  /** Delivers one record, however often that takes; `false`: it has not, because the process ends. */
  async #deliver(record: JournalRow): Promise<boolean> {
    const { retryMs, maxRetryMs } = this.#times
    for (let retryInMs = retryMs; !this.#mustLeave; retryInMs = Math.min(retryInMs * 2, maxRetryMs)) {
      try {
        await this.#attempt(record)
        return true
      } catch (err) {
        if (this.#ending.signal.aborted) return false
        const fields = { err, subscription: this.#subscriber.name, seq: record.seq, retryInMs }
        this.#log.error(fields, 'journal: a record could not be delivered; it is delivered again')
      }
      await this.#pause(retryInMs)
    }
    return false
  }

  /** Delivers one record, or stores it for later; `false`: neither. */
  async #deliverOrStore(record: JournalRow): Promise<boolean> {
    return (await this.#failed.storeIfBlocked(record)) || this.#attemptOrStore(record, createDelivery(record))
  }

  async #attemptOrStore(record: JournalRow, delivery: StoredDelivery): Promise<boolean> {
    let isMade = false
    const attempt = async (): Promise<boolean> => {
      if (this.#mustLeave) return false
      const isSent = await this.#attempt(record)
      isMade = true
      if (isSent && this.#failed.retryNow()) this.#wake.resolve()
      return isSent
    }
    await this.#subscriber.throttle?.waitForTurn(this.#stopping.signal)
    try {
      await this.#breaker.run(attempt, this.#stopping.signal)
    } catch (error) {
      if (this.#ending.signal.aborted) return false
      if (this.#breaker.isDown) this.#failed.noteOutage()
      await this.#failed.add(delivery, error)
      return true
    }
    return isMade
  }

  #attempt(record: JournalRow): Promise<boolean> {
    const limits = { deliveryMs: this.#times.deliveryMs, ending: this.#ending.signal }
    return attemptDelivery(this.#store, this.#subscriber, record, limits)
  }

  #isAnyDue(): boolean {
    if (this.#lease.isHeld) return this.#due().length > 0
    return this.#dueAt !== null && this.#dueAt <= Date.now()
  }

  #due(): readonly StoredDelivery[] {
    return this.#failed.listDue().filter(({ seq }) => !this.#retrying.has(seq))
  }

  /** Tries a stored delivery again. */
  #retry(delivery: StoredDelivery): void {
    const { seq, collection, document } = delivery
    this.#retrying.add(seq)
    this.#inLane({ collection, id: document }, async () => {
      try {
        const record = await this.#store.journal.record(seq)
        const isWanted = record !== undefined && this.#subscriber.wants(record)
        if (isWanted && !(await this.#attemptOrStore(record, delivery))) return false
        await this.#failed.drop(delivery)
        return true
      } finally {
        this.#retrying.delete(seq)
        this.#wake.resolve()
      }
    })
  }

  /** Sets the position back to what is to be delivered again, once nothing else is under way. */
  async #replay(requests: readonly StoredReplay[]): Promise<Next> {
    await this.#lanes.waitUntilIdle()
    if (this.#mustLeave) return 'read'
    this.#spans = getReplayRanges(requests).reduce<UnreadRanges>(addRange, this.#spans)
    this.#replays += 1
    await this.#commit(async (writer) => {
      await this.#failed.replay(writer, requests)
      await dropReplays(writer.records, this.#subscriber.name, requests)
    })
    return 'read'
  }

  /** After a failure of the database, or when another process has taken over, it goes on from the stored position. */
  async #recover(err: unknown): Promise<Next> {
    this.#lease.abandon()
    this.#isInterrupted = true
    if (err instanceof LeaseLost) return 'wait for the lease'
    if (!this.#isStopping)
      this.#log.error({ err, subscription: this.#subscriber.name }, 'journal: a subscription waits for the database')
    await this.#pause(DATABASE_MS)
    return 'read'
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {})
  }
}

/** Work in lanes: that of one lane one at a time, in order; that of different lanes at once, up to a limit. */
class KeyedQueue {
  readonly #limit: LimitFunction
  readonly #ends = new Map<string, Promise<void>>()

  /** @param limit how much runs at once */
  constructor(limit: number) {
    this.#limit = pLimit(limit)
  }

  get isIdle(): boolean {
    return this.#ends.size === 0
  }

  /** Adds work to a lane. It must not reject. */
  add(lane: string, work: () => Promise<void>): void {
    const before = this.#ends.get(lane) ?? Promise.resolve()
    const end: Promise<void> = before.then(() => this.#limit(work)).then(() => this.#leave(lane, end))
    this.#ends.set(lane, end)
  }

  #leave(lane: string, end: Promise<void>): void {
    if (this.#ends.get(lane) === end) this.#ends.delete(lane)
  }

  /** Resolves when no work is left. */
  async waitUntilIdle(): Promise<void> {
    while (!this.isIdle) await Promise.all(this.#ends.values())
  }
}
