import type { JournalRow } from '../store/reads/rows.ts'
import type { RecordStates } from './record-states.ts'

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

export type SettledTimes = Readonly<Record<keyof SubscriptionTimes, number>>

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** The times with their defaults. */
export function settleTimes({ storesFailures }: Subscriber, given: SubscriptionTimes): SettledTimes {
  return {
    deliveryMs: given.deliveryMs ?? 10_000,
    retryMs: given.retryMs ?? (storesFailures ? 5000 : 500),
    maxRetryMs: given.maxRetryMs ?? (storesFailures ? 240 * MINUTE_MS : 5 * MINUTE_MS),
    parkAfterMs: given.parkAfterMs ?? 3 * DAY_MS,
    closeMs: given.closeMs ?? 5000,
  }
}
