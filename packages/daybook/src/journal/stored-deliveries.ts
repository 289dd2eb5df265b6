import type { AuthRecord, RecordReader, RecordWriter } from '../auth/records.ts'
import type { JournalRow } from '../store/rows.ts'
import { isInRanges, type SeqRange } from './ranges.ts'
import { DeliveryError } from './subscriber.ts'

/** A delivery that has failed, or waits for a failed one of the same document. */
export interface StoredDelivery {
  readonly seq: number
  readonly action: string
  readonly collection: string
  /** An entry's id, or a global's key. */
  readonly document: string
  readonly attempts: number
  /** The time of the first failure, in milliseconds since 1970; `null` before the first attempt. */
  readonly failedAt: number | null
  /** The time of the next attempt, in milliseconds since 1970. */
  readonly dueAt: number
  /** The reason of the last failure; `null` before the first attempt. */
  readonly reason: string | null
}

/** `pending` deliveries are retried; `parked` ones only on request. */
export type DeliveryState = 'pending' | 'parked'

/** The maximum number of pending deliveries of a subscription; further records wait in the journal. */
export const MAX_PENDING = 1000
const PARKED_MS = 30 * 24 * 60 * 60 * 1000
/** The number of deliveries that are read at a time. */
const PAGE_SIZE = 500

const getKind = (state: DeliveryState, name: string): string => `delivery ${state} ${name}`

/** Pads a number, so that ids sort like numbers. */
const toId = (seq: number): string => String(seq).padStart(16, '0')

const toDelivery = ({ id: _, ...delivery }: AuthRecord): StoredDelivery => delivery as unknown as StoredDelivery

/** Creates the delivery of a record before its first attempt. */
export function createDelivery({ seq, action, collection, id }: JournalRow): StoredDelivery {
  return { seq, action, collection, document: id, attempts: 0, failedAt: null, dueAt: 0, reason: null }
}

/**
 * Returns a delivery after another failure. The pause is random, up to a bound that doubles with each failure.
 *
 * @param times the first and the longest bound, in milliseconds
 */
export function recordFailure(
  delivery: StoredDelivery,
  error: unknown,
  { retryMs, maxRetryMs }: { readonly retryMs: number; readonly maxRetryMs: number },
): StoredDelivery {
  const now = Date.now()
  const { attempts, failedAt } = delivery
  const dueAt = Math.ceil(now + Math.random() * Math.min(retryMs * 2 ** attempts, maxRetryMs))
  const reason = error instanceof DeliveryError ? error.message : 'The delivery failed. The log has the reason.'
  return { ...delivery, attempts: attempts + 1, failedAt: failedAt ?? now, dueAt, reason }
}

/** Lists stored deliveries of a subscription in the order of the journal. */
export async function listDeliveries(
  records: RecordReader,
  name: string,
  { state, after = 0, limit }: { readonly state: DeliveryState; readonly after?: number; readonly limit: number },
): Promise<readonly StoredDelivery[]> {
  return (await records.list(getKind(state, name), { after: toId(after), limit })).map(toDelivery)
}

export const countDeliveries = (records: RecordReader, name: string, state: DeliveryState): Promise<number> =>
  records.count(getKind(state, name))

export async function putPending(writer: RecordWriter, name: string, delivery: StoredDelivery): Promise<void> {
  await writer.put(getKind('pending', name), { id: toId(delivery.seq), ...delivery })
}

/** Removes a pending delivery that has succeeded or become obsolete. */
export async function dropPending(writer: RecordWriter, name: string, { seq }: StoredDelivery): Promise<void> {
  await writer.delete(getKind('pending', name), toId(seq))
}

export async function park(writer: RecordWriter, name: string, delivery: StoredDelivery): Promise<void> {
  await dropPending(writer, name, delivery)
  const parked = { id: toId(delivery.seq), ...delivery }
  await writer.put(getKind('parked', name), parked, { until: Date.now() + PARKED_MS })
}

/** Removes parked deliveries in ranges that are delivered again. */
export async function dropParked(writer: RecordWriter, name: string, ranges: readonly SeqRange[]): Promise<void> {
  for (let after = 0, count = PAGE_SIZE; count === PAGE_SIZE; ) {
    const page = await listDeliveries(writer, name, { state: 'parked', after, limit: PAGE_SIZE })
    for (const { seq } of page) if (isInRanges(ranges, seq)) await writer.delete(getKind('parked', name), toId(seq))
    after = page.at(-1)?.seq ?? after
    count = page.length
  }
}

/** Makes the first parked deliveries pending, as before their first attempt, and returns them. */
export async function unpark(writer: RecordWriter, name: string, limit: number): Promise<readonly StoredDelivery[]> {
  const parked = await listDeliveries(writer, name, { state: 'parked', limit })
  const renewed = parked.map((delivery) => ({ ...delivery, attempts: 0, failedAt: null, dueAt: 0 }))
  for (const delivery of renewed) {
    await writer.delete(getKind('parked', name), toId(delivery.seq))
    await putPending(writer, name, delivery)
  }
  return renewed
}
