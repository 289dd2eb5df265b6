import { decodeState } from '../store/journal.ts'
import type { JournalRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { DeliveryThrottle } from './throttle.ts'

export interface Subscriber {
  /** The name under which the position is stored. Nodes with the same name share the work. */
  readonly name: string
  /** The maximum number of concurrent deliveries, each of another document. @default 1 */
  readonly concurrency?: number | undefined
  /**
   * True to store failed deliveries and retry them separately, so that only later ones of the same document wait. Otherwise all
   * later ones wait. @default false
   */
  readonly storesFailures?: boolean
  /** Delays deliveries of a subscriber that stores failures while clients keep the process busy. @default none */
  readonly throttle?: DeliveryThrottle | undefined
  wants(record: JournalRow): boolean
  /**
   * Processes a record. If it rejects, the record is delivered again, before later ones of its document.
   *
   * @param signal aborted after the timeout
   * @returns `false` if there was nothing to do for this record
   */
  deliver(record: JournalRow, states: RecordStates, signal: AbortSignal): Promise<boolean>
}

/** A failure of a delivery. Its message is one line for operators, without anything that the receiver sent. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
}

/** Times of a subscription, in milliseconds. */
export interface SubscriptionTimes {
  /** The timeout of one delivery. @default 10,000 */
  readonly deliveryMs?: number | undefined
  /**
   * The pause after the first failure of a record; it doubles with each further one. For subscriptions of plugins, the longest that the
   * random pause may be. @default 500; 5,000 for plugins
   */
  readonly retryMs?: number | undefined
  /** The longest pause between two attempts. @default five minutes; four hours for plugins */
  readonly maxRetryMs?: number | undefined
  /** The time from its first failure until a stored delivery is parked. @default three days */
  readonly parkAfterMs?: number | undefined
  /** The time that running deliveries have when the process ends. @default 5,000 */
  readonly closeMs?: number | undefined
}

export type ResolvedTimes = Readonly<Record<keyof SubscriptionTimes, number>>

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Applies the defaults of a subscriber. */
export function resolveTimes({ storesFailures }: Subscriber, times: SubscriptionTimes): ResolvedTimes {
  return {
    deliveryMs: times.deliveryMs ?? 10_000,
    retryMs: times.retryMs ?? (storesFailures ? 5000 : 500),
    maxRetryMs: times.maxRetryMs ?? (storesFailures ? 240 * MINUTE_MS : 5 * MINUTE_MS),
    parkAfterMs: times.parkAfterMs ?? 3 * DAY_MS,
    closeMs: times.closeMs ?? 5000,
  }
}

/** The limits of an attempt to deliver a record. */
interface AttemptLimits {
  readonly deliveryMs: number
  /** Aborted when running attempts must end. */
  readonly ending: AbortSignal
}

/**
 * Makes one attempt to deliver a record. Rejects if the subscriber does, and after the timeout.
 *
 * @returns `false` if the subscriber had nothing to do
 */
export async function attemptDelivery(
  store: Store,
  subscriber: Subscriber,
  record: JournalRow,
  { deliveryMs, ending }: AttemptLimits,
): Promise<boolean> {
  const timeout = Promise.withResolvers<never>()
  const aborter = new AbortController()
  const expire = (): void => {
    timeout.reject(new DeliveryError(`The delivery took longer than ${deliveryMs} ms.`))
    aborter.abort()
  }
  const timer = setTimeout(expire, deliveryMs)
  ending.addEventListener('abort', expire)
  try {
    return await Promise.race([
      subscriber.deliver(record, createRecordStates(store, record), aborter.signal),
      timeout.promise,
    ])
  } finally {
    clearTimeout(timer)
    ending.removeEventListener('abort', expire)
  }
}

/** The values of a document in the default locale, as the journal records them. */
type DocumentValues = Readonly<Record<string, unknown>>

/** The states of a document before and after a change, each read on demand. */
interface RecordStates {
  /** Resolves to `undefined` if the document did not exist, or the state was erased. */
  before(): Promise<DocumentValues | undefined>
  /** Resolves to `undefined` if the change deleted the document, or the state was erased. */
  after(): Promise<DocumentValues | undefined>
}

function createRecordStates({ journal }: Pick<Store, 'journal'>, { collection, id, seq }: JournalRow): RecordStates {
  const readAt = async (position: number): Promise<DocumentValues | undefined> => {
    const state = await journal.stateAt(collection, id, position)
    if (state?.doc === undefined) return undefined
    return decodeState(state.doc).values
  }
  return { before: () => readAt(seq - 1), after: () => readAt(seq) }
}
