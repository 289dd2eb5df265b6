import type { JournalRow } from '../store/reads/rows.ts'
import type { Store } from '../store/store.ts'
import { statesOf } from './record-states.ts'
import { DeliveryError, type Subscriber } from './subscriber.ts'

/** What limits an attempt to deliver a record. */
export interface AttemptLimits {
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
    return await Promise.race([subscriber.deliver(record, statesOf(store, record), overrun.signal), limit.promise])
  } finally {
    clearTimeout(timer)
    ending.removeEventListener('abort', giveUp)
  }
}
