import { decodeState } from '../store/journal.ts'
import type { JournalRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { DeliveryThrottle } from './throttle.ts'

/** A reader of the journal that is told of each record once it is committed. */
export interface Subscriber {
  /** The position is stored under this name; nodes with the same name share the work. */
  readonly name: string
  /** How many deliveries run at once, each of another document. @default 1 */
  readonly concurrency?: number | undefined
  /**
   * Whether a delivery that fails is stored and tried again apart, so that only later ones of its document wait for it. If
   * not, all later ones wait. @default false
   */
  readonly storesFailures?: boolean
  /** Holds deliveries of a subscriber that stores failures back while clients keep the process busy. @default none */
  readonly throttle?: DeliveryThrottle | undefined
  /** Whether it is told of a record. */
  wants(record: JournalRow): boolean
  /**
   * Takes a record. When it rejects, the record is delivered again, and no later one of its document before it.
   *
   * @param signal aborted when the time is over
   * @returns `false`: there was nothing to do for this record
   */
  deliver(record: JournalRow, states: RecordStates, signal: AbortSignal): Promise<boolean>
}

/** A delivery failed for a reason that operators may know: one line, without anything that the receiver sent. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
}

/** Times of a subscription, in milliseconds. */
export interface SubscriptionTimes {
  /** How long one delivery may take. @default 10,000 */
  readonly deliveryMs?: number | undefined
  /**
   * The pause after the first failure of a record; each further one is twice as long. Of a subscriber that stores failures, it is
   * the longest that the pause may be. @default 500; 5,000 of one that stores failures
   */
  readonly retryMs?: number | undefined
  /** The longest pause between two attempts. @default five minutes; four hours of one that stores failures */
  readonly maxRetryMs?: number | undefined
  /** How long after its first failure a stored delivery is parked. @default three days */
  readonly parkAfterMs?: number | undefined
  /** How long a process that ends lets running deliveries go on. @default 5,000 */
  readonly closeMs?: number | undefined
}

export type ResolvedTimes = Readonly<Record<keyof SubscriptionTimes, number>>

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** The times with their defaults. */
export function resolveTimes({ storesFailures }: Subscriber, given: SubscriptionTimes): ResolvedTimes {
  return {
    deliveryMs: given.deliveryMs ?? 10_000,
    retryMs: given.retryMs ?? (storesFailures ? 5000 : 500),
    maxRetryMs: given.maxRetryMs ?? (storesFailures ? 240 * MINUTE_MS : 5 * MINUTE_MS),
    parkAfterMs: given.parkAfterMs ?? 3 * DAY_MS,
    closeMs: given.closeMs ?? 5000,
  }
}

/** What limits an attempt to deliver a record. */
interface AttemptLimits {
  readonly deliveryMs: number
  /** Aborted when running attempts are given up. */
  readonly ending: AbortSignal
}

/**
 * Makes one attempt to deliver a record; rejects as the subscriber does, or when it takes too long.
 *
 * @returns `false`: there was nothing to do for this record
 */
export async function attemptDelivery(
  store: Store,
  subscriber: Subscriber,
  record: JournalRow,
  { deliveryMs, ending }: AttemptLimits,
): Promise<boolean> {
  const limit = Promise.withResolvers<never>()
  const overrun = new AbortController()
  const giveUp = (): void => {
    limit.reject(new DeliveryError(`It took longer than ${deliveryMs} ms.`))
    overrun.abort()
  }
  const timer = setTimeout(giveUp, deliveryMs)
  ending.addEventListener('abort', giveUp)
  try {
    return await Promise.race([
      subscriber.deliver(record, createRecordStates(store, record), overrun.signal),
      limit.promise,
    ])
  } finally {
    clearTimeout(timer)
    ending.removeEventListener('abort', giveUp)
  }
}

/** A document as the journal has it, in the default locale. */
type DocumentValues = Readonly<Record<string, unknown>>

/** The states of a document around one change; each is read when it is asked for. */
interface RecordStates {
  /** `undefined`: there was no document, or that state was erased. */
  before(): Promise<DocumentValues | undefined>
  /** `undefined`: the change deleted the document, or its state was erased. */
  after(): Promise<DocumentValues | undefined>
}

/** The states of a record's document. */
function createRecordStates({ journal }: Pick<Store, 'journal'>, { collection, id, seq }: JournalRow): RecordStates {
  const at = async (position: number): Promise<DocumentValues | undefined> => {
    const state = await journal.stateAt(collection, id, position)
    if (state?.doc === undefined) return undefined
    return decodeState(state.doc).values
  }
  return { before: () => at(seq - 1), after: () => at(seq) }
}
