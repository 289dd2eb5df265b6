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

/** The interval of storing the position, in milliseconds. Later deliveries are repeated after a crash. */
const POSITION_MS = 1000
/** The number of unwanted records that are skipped before the position is stored. */
const MAX_PASSED = 10_000
/** The number of records that are read ahead. */
const WINDOW = 128
/** The pause after a failure of the database, in milliseconds. */
const DATABASE_MS = 1000
/** The interval of looking for replays and due deliveries, in milliseconds. */
const LOOK_MS = 1000

/** The next step of a subscription. */
type Next = 'read' | 'wait for growth' | 'wait for the lease'

/**
 * Delivers journal records to a subscriber from its stored position on, at least once and in order for each document. Of all processes
 * on the database, the one that holds the lease delivers. The position is the number before the first record that is neither
 * delivered nor stored for later.
 */
export class Subscription {
  readonly #store: Store
  readonly #subscriber: Subscriber
  readonly #log: Log
  readonly #times: ResolvedTimes
  readonly #lease: SubscriptionLease
  readonly #lanes: KeyedQueue
  readonly #breaker: CircuitBreaker
  /** Aborted when no further delivery may begin. */
  readonly #stopping = new AbortController()
  /** Aborted when running deliveries must end. */
  readonly #ending = new AbortController()
  readonly #running: Promise<void>
  #wake = Promise.withResolvers<void>()
  /** The ranges that are not read. */
  #spans: UnreadRanges = rangesAfter(0)
  /** The records that are read and not finished, in the order of the journal. */
  readonly #open = new Set<number>()
  /** The stored deliveries that are being retried. */
  readonly #retrying = new Set<number>()
  readonly #failed: FailedDeliveries
  /** The time when a stored delivery is due, for a process without the lease. */
  #dueAt: number | null = null
  /** The number of replays that the position includes. */
  #replays = 0
  #stored: SubscriptionPosition = { ranges: this.#spans, dueAt: null, replays: 0 }
  /** Stores the position and renews the lease while deliveries run. */
  #tending: NodeJS.Timeout | undefined
  #lookedAt = 0
  /** True if records were abandoned. All later ones are abandoned, too, until everything is reloaded. */
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

  /** Starts to deliver from the stored position, or the first time from the end of the journal. */
  static async start(
    store: Store,
    subscriber: Subscriber,
    log: Log,
    times: SubscriptionTimes = {},
  ): Promise<Subscription> {
    await ensurePosition(store, subscriber.name)
    return new Subscription(store, subscriber, log, resolveTimes(subscriber, times))
  }

  /** Stops after running deliveries have ended or timed out. */
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
        // The journal may grow while records are read, so renew the signal first.
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

  /** Returns the time until a stored delivery is due or the next look, in milliseconds. */
  #waitMs(): number {
    const dueAt = this.#lease.isHeld ? this.#failed.dueAt : this.#dueAt
    return Math.max(0, Math.min(LOOK_MS, (dueAt ?? Number.POSITIVE_INFINITY) - Date.now()))
  }

  /** Starts all work that there is. */
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

  /** Reloads the state from the store. */
  async #reload(): Promise<void> {
    await this.#lanes.waitUntilIdle()
    this.#open.clear()
    const { name } = this.#subscriber
    this.#stored = await readPosition(this.#store, name)
    const { ranges: spans, replays, dueAt } = this.#stored
    // Skipped records are not read again, except for a replay.
    const isFurther = !this.#isInterrupted && replays === this.#replays && this.#spans[0].after > spans[0].after
    if (!isFurther) this.#spans = spans
    this.#replays = replays
    this.#dueAt = dueAt
    await this.#failed.reload(this.#lease.isHeld)
    this.#isInterrupted = false
  }

  /** Takes the lease, and loads the state of its last holder. */
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

  /** Reads the next records if there is capacity. */
  async #read(): Promise<readonly JournalRow[]> {
    if (!this.#hasRoom) return []
    const [{ after, to }] = this.#spans
    const records = await this.#store.journal.records(after, WINDOW)
    const own = to === null ? records : records.filter(({ seq }) => seq <= to)
    if (own.length > 0 || to === null) return own
    // The position is one number, so everything before it must be done.
    await this.#lanes.waitUntilIdle()
    if (this.#isInterrupted) return []
    this.#spans = dropFirst(this.#spans)
    // The stored position may still be in the range before.
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

  /** @param work resolves to true if it is done */
  #inLane({ collection, id }: Pick<JournalRow, 'collection' | 'id'>, work: () => Promise<boolean>): void {
    // Without stored failures, all records are delivered in order, in one lane.
    const lane = this.#subscriber.storesFailures ? `${collection} ${id}` : ''
    this.#lanes.add(lane, async () => {
      const isDone = !this.#mustLeave && (await work().catch((error) => this.#couldNotStore(error)))
      if (isDone) return
      this.#isInterrupted = true
      this.#wake.resolve()
    })
    this.#keepTending()
  }

  /** True if no further delivery may begin. */
  get #mustLeave(): boolean {
    return this.#isStopping || this.#isInterrupted || !this.#lease.isHeld
  }

  #couldNotStore(err: unknown): false {
    this.#lease.abandon()
    if (!(err instanceof LeaseLost))
      this.#log.error({ err, subscription: this.#subscriber.name }, 'journal: a failed delivery could not be stored')
    return false
  }

  /** Starts the timer that stores the position. */
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
      // The loop will meet the same failure, and wait for the database.
      this.#lease.abandon()
    }
    // The loop takes the lease again.
    if (this.#isPositionLeft) this.#wake.resolve()
    // Later deliveries are stored at the next tick.
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

  /** True if the lease expired after deliveries, before the position was stored. */
  get #isPositionLeft(): boolean {
    return this.#tending !== undefined && !this.#lease.isHeld && !this.#isPositionStored
  }

  /** Stores the position. Only the lease holder may call it. */
  async #storePosition(): Promise<void> {
    if (!this.#isPositionStored) await this.#commit(async () => {})
  }

  /** Commits a change together with the position. */
  async #commit(change: (writer: Writer) => Promise<void>): Promise<void> {
    this.#stored = await this.#lease.write(async (writer) => {
      await change(writer)
      const position = this.#position
      await writePosition(writer, this.#subscriber.name, position)
      return position
    })
  }

  /** Delivers one record, with retries. @returns `false` if it must stop before that succeeds */
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

  /** Delivers one record, or stores it for later. @returns `false` if it must stop before */
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

  /** Retries a stored delivery. */
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

  /** Adds the ranges of replays to those that are not read, after running deliveries have ended. */
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

  /** Continues from the stored position after a failure of the database, or when another process has taken over. */
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

/** Runs tasks of the same key in order, and tasks of different keys concurrently up to a limit. */
class KeyedQueue {
  readonly #limit: LimitFunction
  readonly #ends = new Map<string, Promise<void>>()

  /** @param limit the maximum number of concurrent tasks */
  constructor(limit: number) {
    this.#limit = pLimit(limit)
  }

  get isIdle(): boolean {
    return this.#ends.size === 0
  }

  /** Adds a task, which must not reject. */
  add(lane: string, work: () => Promise<void>): void {
    const before = this.#ends.get(lane) ?? Promise.resolve()
    const end: Promise<void> = before.then(() => this.#limit(work)).then(() => this.#leave(lane, end))
    this.#ends.set(lane, end)
  }

  #leave(lane: string, end: Promise<void>): void {
    if (this.#ends.get(lane) === end) this.#ends.delete(lane)
  }

  /** Resolves when no task is left. */
  async waitUntilIdle(): Promise<void> {
    while (!this.isIdle) await Promise.all(this.#ends.values())
  }
}
