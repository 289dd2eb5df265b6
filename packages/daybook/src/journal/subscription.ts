import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { JournalRow } from '../store/reads/rows.ts'
import { Lease, LeaseLost } from '../store/records/lease.ts'
import type { Store } from '../store/store.ts'
import { type RecordStates, statesOf } from './record-states.ts'
import { readPosition, startPosition, writePosition } from './subscription-position.ts'

/** A reader of the journal that is told of each record once it is committed. */
export interface Subscriber {
  /** The position is stored under this name; nodes with the same name share the work. */
  readonly name: string
  /** Whether it is told of a record. */
  wants(record: JournalRow): boolean
  /**
   * Takes a record. When it rejects, the record is delivered again, and no later one before it.
   *
   * @param signal aborted when the time is over
   */
  deliver(record: JournalRow, states: RecordStates, signal: AbortSignal): Promise<void>
}

/** Times of a subscription, in milliseconds. */
export interface SubscriptionTimes {
  /** How long one delivery may take. @default 10,000 */
  readonly deliveryMs?: number | undefined
  /** The pause after the first failure of a record; each further one is twice as long, up to five minutes. @default 500 */
  readonly retryMs?: number | undefined
  /** How long a process that ends lets the running delivery go on. @default 5,000 */
  readonly closeMs?: number | undefined
}

const DEFAULT_TIMES: Required<Record<keyof SubscriptionTimes, number>> = {
  deliveryMs: 10_000,
  retryMs: 500,
  closeMs: 5000,
}
const MAX_RETRY_MS = 5 * 60_000
/** A process that stops moving is replaced after this time, in milliseconds. */
const LEASE_MS = 10_000
/** How long the holder may rely on the lease without taking it again; a half of it is left for slow clocks and turns. */
const TRUST_MS = LEASE_MS / 2
/** How often the holder renews the lease while it delivers, and how soon another process asks for it, in milliseconds. */
const RENEW_MS = LEASE_MS / 4
/** How much may be delivered again after a crash, in milliseconds. */
const POSITION_MS = 1000
/** How many records that are not wanted are passed over before the position is stored. */
const MAX_PASSED = 10_000
/** The pause after a failure of the database, in milliseconds. */
const DATABASE_MS = 1000

/** What a subscription does next. */
type Next = 'read' | 'wait for growth' | 'wait for the lease'

/**
 * Delivers the records of the journal to a subscriber, in order and at least once, from the position that is stored in the
 * database. Of all processes on the database, the one that holds the lease delivers. One batch of records is read ahead, and
 * the states of one record.
 */
export class Subscription {
  readonly #store: Store
  readonly #subscriber: Subscriber
  readonly #log: Log
  readonly #times: typeof DEFAULT_TIMES
  readonly #lease: Lease
  /** Aborted when no further record is delivered. */
  readonly #stopping = new AbortController()
  /** Aborted when the running delivery is given up. */
  readonly #ending = new AbortController()
  readonly #running: Promise<void>
  #wake = Promise.withResolvers<void>()
  /** Up to where all records are delivered or passed over, as this process knows. */
  #position = 0
  #storedPosition = 0
  #storedAt = 0
  /** Until when the lease is held for sure, by the clock of `performance.now()`. */
  #heldUntil = 0

  private constructor(store: Store, subscriber: Subscriber, log: Log, times: SubscriptionTimes) {
    this.#store = store
    this.#subscriber = subscriber
    this.#log = log
    const given = Object.entries(times).filter(([, ms]) => ms !== undefined)
    this.#times = { ...DEFAULT_TIMES, ...Object.fromEntries(given) }
    this.#lease = new Lease(store, `subscription ${subscriber.name}`, LEASE_MS)
    this.#running = this.#run()
  }

  /** Begins to deliver: from the stored position, the first time from the end of the journal. */
  static async start(
    store: Store,
    subscriber: Subscriber,
    log: Log,
    times: SubscriptionTimes = {},
  ): Promise<Subscription> {
    await startPosition(store, subscriber.name)
    return new Subscription(store, subscriber, log, times)
  }

  /** Ends it, once the running delivery has come to its end or has taken too long. */
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
        await this.#waitFor(await this.#advance().catch((error) => this.#failed(error)))
      }
      if (this.#isHeld) await this.#lease.release()
    } catch (err) {
      this.#log.error({ err, subscription: this.#subscriber.name }, 'journal: a subscription could not end')
    } finally {
      end()
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  get #isEnded(): boolean {
    return this.#ending.signal.aborted
  }

  get #isHeld(): boolean {
    return performance.now() < this.#heldUntil
  }

  async #waitFor(next: Next): Promise<void> {
    if (next === 'wait for growth' && !this.#isStopping) await this.#wake.promise
    if (next === 'wait for the lease') await this.#pause(RENEW_MS)
  }

  /** Handles the next batch of records, if there is one. */
  async #advance(): Promise<Next> {
    if (!this.#isHeld) await this.#readPosition()
    const records = await this.#store.journal.records(this.#position)
    const last = records.at(-1)
    if (!last) return 'wait for growth'
    if (!records.some((one) => this.#subscriber.wants(one))) {
      this.#position = last.seq
      if (last.seq - this.#storedPosition < MAX_PASSED) return 'read'
    }
    if (!this.#isHeld) {
      if (!(await this.#takeLease())) return 'wait for the lease'
      // Another process may have delivered these meanwhile.
      return 'read'
    }
    await this.#deliverAll(records)
    return 'read'
  }

  async #readPosition(): Promise<void> {
    this.#storedPosition = await readPosition(this.#store, this.#subscriber.name)
    this.#position = Math.max(this.#position, this.#storedPosition)
  }

  async #takeLease(): Promise<boolean> {
    const asked = performance.now()
    const isTaken = await this.#lease.take()
    this.#heldUntil = isTaken ? asked + TRUST_MS : 0
    if (isTaken) await this.#readPosition()
    return isTaken
  }

  async #deliverAll(records: readonly JournalRow[]): Promise<void> {
    const renewal = setInterval(() => void this.#renew(), RENEW_MS)
    try {
      for (const record of records) {
        if (this.#isStopping) break
        if (this.#subscriber.wants(record)) {
          if (!this.#isHeld) throw new LeaseLost()
          if (!(await this.#deliver(record))) break
        }
        this.#position = record.seq
        if (performance.now() - this.#storedAt > POSITION_MS) await this.#storePosition()
      }
      await this.#storePosition()
    } finally {
      clearInterval(renewal)
    }
  }

  async #renew(): Promise<void> {
    const asked = performance.now()
    const isTaken = await this.#lease.take().catch(() => undefined)
    if (isTaken) this.#heldUntil = asked + TRUST_MS
    else if (isTaken === false) this.#heldUntil = 0
  }

  /** Only the holder of the lease moves the position. */
  async #storePosition(): Promise<void> {
    const position = this.#position
    if (position === this.#storedPosition) return
    await this.#lease.write((writer) => writePosition(writer, this.#subscriber.name, position))
    this.#storedPosition = position
    this.#storedAt = performance.now()
  }

  /** Delivers one record, however often that takes; `false`: it has not, because the process ends. */
  async #deliver(record: JournalRow): Promise<boolean> {
    for (let retryInMs = this.#times.retryMs; ; retryInMs = Math.min(retryInMs * 2, MAX_RETRY_MS)) {
      try {
        await this.#attempt(record)
        return true
      } catch (err) {
        if (this.#isEnded) return false
        const { name } = this.#subscriber
        const fields = { err, subscription: name, seq: record.seq, retryInMs }
        this.#log.error(fields, 'journal: a record could not be delivered; it is delivered again')
      }
      await this.#pause(retryInMs)
      if (this.#isStopping) return false
      if (!this.#isHeld) throw new LeaseLost()
    }
  }

  async #attempt(record: JournalRow): Promise<void> {
    const { deliveryMs } = this.#times
    const limit = Promise.withResolvers<never>()
    const overrun = new AbortController()
    const giveUp = (): void => {
      limit.reject(new Error(`It took longer than ${deliveryMs} ms.`))
      overrun.abort()
    }
    const timer = setTimeout(giveUp, deliveryMs)
    this.#ending.signal.addEventListener('abort', giveUp)
    try {
      const delivery = this.#subscriber.deliver(record, statesOf(this.#store, record), overrun.signal)
      await Promise.race([delivery, limit.promise])
    } finally {
      clearTimeout(timer)
      this.#ending.signal.removeEventListener('abort', giveUp)
    }
  }

  /** After a failure of the database, or when another process has taken over, it goes on from the stored position. */
  async #failed(err: unknown): Promise<Next> {
    this.#heldUntil = 0
    this.#position = 0
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
