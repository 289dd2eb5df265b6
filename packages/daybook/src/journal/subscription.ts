import { setTimeout as sleep } from 'node:timers/promises'
import pLimit, { type LimitFunction } from 'p-limit'
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
const MAX_SKIPPED = 10_000
/** The number of records that are read ahead. */
const READ_AHEAD = 128
/** The pause after a failure of the database, in milliseconds. */
const DATABASE_RETRY_MS = 1000
/** The interval of looking for replays and due deliveries, in milliseconds. */
const POLL_MS = 1000

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
  readonly #queue: KeyedQueue
  readonly #breaker: CircuitBreaker
  /** Aborted when no further delivery may begin. */
  readonly #stopping = new AbortController()
  /** Aborted when running deliveries must end. */
  readonly #ending = new AbortController()
  readonly #running: Promise<void>
  #wake = Promise.withResolvers<void>()
  #unread: UnreadRanges = rangesAfter(0)
  /** The records that are read and not finished, in the order of the journal. */
  readonly #unfinished = new Set<number>()
  /** The stored deliveries that are being retried. */
  readonly #retrying = new Set<number>()
  readonly #failedDeliveries: FailedDeliveries
  /** The time when a stored delivery is due, for a process without the lease. */
  #dueAt: number | null = null
  /** The number of replays that the position includes. */
  #replays = 0
  #storedPosition: SubscriptionPosition = { ranges: this.#unread, dueAt: null, replays: 0 }
  /** Stores the position and renews the lease while deliveries run. */
  #upkeepTimer: NodeJS.Timeout | undefined
  #lastLookAt = 0
  /** True if records were abandoned. All later ones are abandoned, too, until everything is reloaded. */
  #isInterrupted = false

  private constructor(store: Store, subscriber: Subscriber, log: Log, times: ResolvedTimes) {
    this.#store = store
    this.#subscriber = subscriber
    this.#log = log
    this.#times = times
    this.#lease = new SubscriptionLease(store, subscriber.name)
    this.#queue = new KeyedQueue(subscriber.concurrency ?? 1)
    this.#breaker = new CircuitBreaker(times.retryMs)
    this.#failedDeliveries = new FailedDeliveries({
      store,
      subscriber,
      times,
      log,
      commit: (change) => this.#commit(change),
    })
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
    const timer = new AbortController()
    const timeout = sleep(this.#times.closeMs, undefined, { signal: timer.signal }).catch(() => {})
    await Promise.race([this.#running, timeout])
    timer.abort()
    this.#ending.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const stopListening = this.#store.journal.onGrowth(() => this.#wake.resolve(), 0)
    try {
      while (!this.#isStopping) {
        // The journal may grow while records are read, so renew the signal first.
        this.#wake = Promise.withResolvers()
        await this.#waitFor(await this.#advance().catch((error) => this.#recover(error)))
      }
      await this.#queue.waitUntilIdle()
      if (this.#lease.isHeld) await this.#storePosition()
      await this.#lease.release()
    } catch (err) {
      this.#log.error({ err, subscription: this.#subscriber.name }, 'journal: a subscription could not end')
    } finally {
      stopListening()
      clearInterval(this.#upkeepTimer)
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async #waitFor(next: Next): Promise<void> {
    if (this.#isStopping || next === 'read') return
    if (next === 'wait for the lease') return this.#pause(RENEW_MS)
    if (!this.#subscriber.storesFailures) return this.#wake.promise
    const timer = setTimeout(() => this.#wake.resolve(), this.#waitMs()).unref()
    await this.#wake.promise
    clearTimeout(timer)
  }

  /** Returns the time until a stored delivery is due or the next look, in milliseconds. */
  #waitMs(): number {
    const dueAt = this.#lease.isHeld ? this.#failedDeliveries.dueAt : this.#dueAt
    return Math.max(0, Math.min(POLL_MS, (dueAt ?? Number.POSITIVE_INFINITY) - Date.now()))
  }

  /** Starts all work that there is. */
  async #advance(): Promise<Next> {
    if (this.#isInterrupted || !this.#lease.isHeld) await this.#reload()
    const replays = await this.#findReplays()
    const records = await this.#read()
    const isWanted = records.some((record) => this.#subscriber.wants(record))
    const hasWork = replays.length > 0 || isWanted || this.#isAnyDue() || this.#isPositionOutdated
    if (!hasWork) return this.#skip(records)
    if (!this.#lease.isHeld) return (await this.#takeOver()) ? 'read' : 'wait for the lease'
    if (replays.length > 0) return this.#replay(replays)
    for (const delivery of this.#listDue()) this.#retry(delivery)
    for (const record of records) this.#begin(record)
    return records.length > 0 && this.#hasCapacity ? 'read' : 'wait for growth'
  }

  async #reload(): Promise<void> {
    await this.#queue.waitUntilIdle()
    this.#unfinished.clear()
    const { name } = this.#subscriber
    this.#storedPosition = await readPosition(this.#store, name)
    const { ranges, replays, dueAt } = this.#storedPosition
    // Skipped records are not read again, except for a replay.
    const isFurther = !this.#isInterrupted && replays === this.#replays && this.#unread[0].after > ranges[0].after
    if (!isFurther) this.#unread = ranges
    this.#replays = replays
    this.#dueAt = dueAt
    await this.#failedDeliveries.reload(this.#lease.isHeld)
    this.#isInterrupted = false
  }

  /** Takes the lease, and loads the state of its last holder. */
  async #takeOver(): Promise<boolean> {
    if (!(await this.#lease.take())) return false
    await this.#reload()
    this.#lastLookAt = 0
    return true
  }

  async #findReplays(): Promise<readonly StoredReplay[]> {
    const now = performance.now()
    if (!this.#subscriber.storesFailures || (this.#lastLookAt > 0 && now - this.#lastLookAt < POLL_MS)) return []
    this.#lastLookAt = now
    return listReplays(this.#store.records, this.#subscriber.name)
  }

  get #hasCapacity(): boolean {
    return this.#unfinished.size <= READ_AHEAD / 2 && this.#failedDeliveries.capacity > this.#unfinished.size
  }

  /** Reads the next records if there is capacity. */
  async #read(): Promise<readonly JournalRow[]> {
    if (!this.#hasCapacity) return []
    const [{ after, to }] = this.#unread
    const records = await this.#store.journal.records(after, READ_AHEAD)
    const recordsInRange = to === null ? records : records.filter(({ seq }) => seq <= to)
    if (recordsInRange.length > 0 || to === null) return recordsInRange
    // The position is one number, so everything before it must be done.
    await this.#queue.waitUntilIdle()
    if (this.#isInterrupted) return []
    this.#unread = dropFirst(this.#unread)
    // The stored position may still be in the range before.
    this.#startUpkeep()
    return this.#read()
  }

  async #skip(records: readonly JournalRow[]): Promise<Next> {
    const last = records.at(-1)
    if (!last) return 'wait for growth'
    this.#unread = advanceTo(this.#unread, last.seq)
    if (last.seq - this.#storedPosition.ranges[0].after < MAX_SKIPPED) return 'read'
    if (!this.#lease.isHeld && !(await this.#lease.take())) return 'wait for the lease'
    await this.#storePosition()
    return 'read'
  }

  #begin(record: JournalRow): void {
    this.#unread = advanceTo(this.#unread, record.seq)
    if (!this.#subscriber.wants(record) || this.#failedDeliveries.has(record.seq)) return
    this.#unfinished.add(record.seq)
    this.#enqueue(record, async () => {
      const isDone = await (this.#subscriber.storesFailures ? this.#deliverOrStore(record) : this.#deliver(record))
      if (isDone) this.#finish(record.seq)
      return isDone
    })
  }

  #finish(seq: number): void {
    this.#unfinished.delete(seq)
    if (this.#unfinished.size === READ_AHEAD / 2) this.#wake.resolve()
  }

  /** @param work resolves to true if it is done */
  #enqueue({ collection, id }: Pick<JournalRow, 'collection' | 'id'>, work: () => Promise<boolean>): void {
    // Without stored failures, all records are delivered in order, under one key.
    const key = this.#subscriber.storesFailures ? `${collection} ${id}` : ''
    this.#queue.add(key, async () => {
      const isDone = !this.#mustStop && (await work().catch((error) => this.#abandonLease(error)))
      if (isDone) return
      this.#isInterrupted = true
      this.#wake.resolve()
    })
    this.#startUpkeep()
  }

  get #mustStop(): boolean {
    return this.#isStopping || this.#isInterrupted || !this.#lease.isHeld
  }

  #abandonLease(err: unknown): false {
    this.#lease.abandon()
    if (!(err instanceof LeaseLost))
      this.#log.error({ err, subscription: this.#subscriber.name }, 'journal: a failed delivery could not be stored')
    return false
  }

  #startUpkeep(): void {
    this.#upkeepTimer ??= setInterval(() => void this.#doUpkeep(), POSITION_MS)
  }

  /** Keeps the lease and stores the position while deliveries run. */
  async #doUpkeep(): Promise<void> {
    const isDone = this.#queue.isIdle
    try {
      await this.#lease.renew()
      if (this.#lease.isHeld) await this.#storePosition()
    } catch {
      // The loop will meet the same failure, and wait for the database.
      this.#lease.abandon()
    }
    // The loop takes the lease again.
    if (this.#isPositionOutdated) this.#wake.resolve()
    // Later deliveries are stored at the next tick.
    if (!isDone || !this.#queue.isIdle || !this.#isPositionCurrent) return
    clearInterval(this.#upkeepTimer)
    this.#upkeepTimer = undefined
  }

  get #position(): SubscriptionPosition {
    const [first] = this.#unfinished
    const ranges = first === undefined ? this.#unread : advanceTo(this.#unread, first - 1)
    return { ranges, dueAt: this.#failedDeliveries.dueAt, replays: this.#replays }
  }

  get #isPositionCurrent(): boolean {
    return this.#position.ranges[0].after === this.#storedPosition.ranges[0].after
  }

  /** True if the lease expired after deliveries, before the position was stored. */
  get #isPositionOutdated(): boolean {
    return this.#upkeepTimer !== undefined && !this.#lease.isHeld && !this.#isPositionCurrent
  }

  /** Stores the position. Only the lease holder may call it. */
  async #storePosition(): Promise<void> {
    if (!this.#isPositionCurrent) await this.#commit(async () => {})
  }

  async #commit(change: (writer: Writer) => Promise<void>): Promise<void> {
    this.#storedPosition = await this.#lease.write(async (writer) => {
      await change(writer)
      const position = this.#position
      await writePosition(writer, this.#subscriber.name, position)
      return position
    })
  }

  /** Delivers one record, with retries. @returns `false` if it must stop before that succeeds */
  async #deliver(record: JournalRow): Promise<boolean> {
    const { retryMs, maxRetryMs } = this.#times
    for (let retryInMs = retryMs; !this.#mustStop; retryInMs = Math.min(retryInMs * 2, maxRetryMs)) {
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
    return (await this.#failedDeliveries.storeIfBlocked(record)) || this.#attemptOrStore(record, createDelivery(record))
  }

  async #attemptOrStore(record: JournalRow, delivery: StoredDelivery): Promise<boolean> {
    let hasSucceeded = false
    const attempt = async (): Promise<boolean> => {
      if (this.#mustStop) return false
      const isSent = await this.#attempt(record)
      hasSucceeded = true
      if (isSent && this.#failedDeliveries.retryNow()) this.#wake.resolve()
      return isSent
    }
    await this.#subscriber.throttle?.waitForTurn(this.#stopping.signal)
    try {
      await this.#breaker.run(attempt, this.#stopping.signal)
    } catch (error) {
      if (this.#ending.signal.aborted) return false
      if (this.#breaker.isDown) this.#failedDeliveries.noteOutage()
      await this.#failedDeliveries.add(delivery, error)
      return true
    }
    return hasSucceeded
  }

  #attempt(record: JournalRow): Promise<boolean> {
    const limits = { deliveryMs: this.#times.deliveryMs, ending: this.#ending.signal }
    return attemptDelivery(this.#store, this.#subscriber, record, limits)
  }

  #isAnyDue(): boolean {
    if (this.#lease.isHeld) return this.#listDue().length > 0
    return this.#dueAt !== null && this.#dueAt <= Date.now()
  }

  #listDue(): readonly StoredDelivery[] {
    return this.#failedDeliveries.listDue().filter(({ seq }) => !this.#retrying.has(seq))
  }

  #retry(delivery: StoredDelivery): void {
    const { seq, collection, document } = delivery
    this.#retrying.add(seq)
    this.#enqueue({ collection, id: document }, async () => {
      try {
        const record = await this.#store.journal.record(seq)
        const isWanted = record !== undefined && this.#subscriber.wants(record)
        if (isWanted && !(await this.#attemptOrStore(record, delivery))) return false
        await this.#failedDeliveries.drop(delivery)
        return true
      } finally {
        this.#retrying.delete(seq)
        this.#wake.resolve()
      }
    })
  }

  /** Adds the ranges of replays to those that are not read, after running deliveries have ended. */
  async #replay(requests: readonly StoredReplay[]): Promise<Next> {
    await this.#queue.waitUntilIdle()
    if (this.#mustStop) return 'read'
    this.#unread = getReplayRanges(requests).reduce<UnreadRanges>(addRange, this.#unread)
    this.#replays += 1
    await this.#commit(async (writer) => {
      await this.#failedDeliveries.replay(writer, requests)
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
    await this.#pause(DATABASE_RETRY_MS)
    return 'read'
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {})
  }
}

/** Runs tasks of the same key in order, and tasks of different keys concurrently up to a limit. */
class KeyedQueue {
  readonly #limit: LimitFunction
  /** The last task of each key. */
  readonly #lastByKey = new Map<string, Promise<void>>()

  /** @param limit the maximum number of concurrent tasks */
  constructor(limit: number) {
    this.#limit = pLimit(limit)
  }

  get isIdle(): boolean {
    return this.#lastByKey.size === 0
  }

  /** Adds a task, which must not reject. */
  add(key: string, task: () => Promise<void>): void {
    const previous = this.#lastByKey.get(key) ?? Promise.resolve()
    const last: Promise<void> = previous.then(() => this.#limit(task)).then(() => this.#remove(key, last))
    this.#lastByKey.set(key, last)
  }

  #remove(key: string, task: Promise<void>): void {
    if (this.#lastByKey.get(key) === task) this.#lastByKey.delete(key)
  }

  async waitUntilIdle(): Promise<void> {
    while (!this.isIdle) await Promise.all(this.#lastByKey.values())
  }
}
