import type { AuthRecord, RecordReader, RecordWriter } from '../auth/records.ts'
import type { JournalRow } from '../store/rows.ts'
import { isInRanges, type SeqRange } from './ranges.ts'
import { DeliveryError } from './subscriber.ts'

/** A delivery that has failed, or waits behind one of the same document. */
export interface StoredDelivery {
  readonly seq: number
  readonly action: string
  readonly collection: string
  /** An entry's id, or a global's key. */
  readonly document: string
  readonly attempts: number
  /** When it failed first, in milliseconds since 1970; `null`: it has not been tried. */
  readonly failedAt: number | null
  /** When it is tried next, in milliseconds since 1970. */
  readonly dueAt: number
  /** Why the last attempt failed; `null`: it has not been tried. */
  readonly reason: string | null
}

/** `pending` ones are tried again; `parked` ones only when that is asked for. */
export type DeliveryState = 'pending' | 'parked'

/** How many pending deliveries are kept for a subscription; the journal has the others. */
export const MAX_PENDING = 1000
/** How long a parked delivery is kept, in milliseconds. */
const PARKED_MS = 30 * 24 * 60 * 60 * 1000
/** How many records are read at once. */
const PAGE = 500

const kindOf = (state: DeliveryState, name: string): string => `delivery ${state} ${name}`

/** In the order of texts, ids are in the order of numbers. */
const idOf = (seq: number): string => String(seq).padStart(16, '0')

const toDelivery = ({ id: _, ...delivery }: AuthRecord): StoredDelivery => delivery as unknown as StoredDelivery

/** The delivery of a record that has not been tried. */
export function createDelivery({ seq, action, collection, id }: JournalRow): StoredDelivery {
  return { seq, action, collection, document: id, attempts: 0, failedAt: null, dueAt: 0, reason: null }
}

/**
 * A delivery after one more failure.
 *
 * @param times the first and the longest pause, in milliseconds: the pause is any up to a bound that doubles with each failure
 */
export function recordFailure(
  delivery: StoredDelivery,
  error: unknown,
  { retryMs, maxRetryMs }: { readonly retryMs: number; readonly maxRetryMs: number },
): StoredDelivery {
  const now = Date.now()
  const { attempts, failedAt } = delivery
  const dueAt = Math.ceil(now + Math.random() * Math.min(retryMs * 2 ** attempts, maxRetryMs))
  const reason = error instanceof DeliveryError ? error.message : 'It failed; the log has the reason.'
  return { ...delivery, attempts: attempts + 1, failedAt: failedAt ?? now, dueAt, reason }
}

/** The stored deliveries of a subscription, in the order of the journal. */
export async function listDeliveries(
  records: RecordReader,
  name: string,
  { state, after = 0, limit }: { readonly state: DeliveryState; readonly after?: number; readonly limit: number },
): Promise<readonly StoredDelivery[]> {
  return (await records.list(kindOf(state, name), { after: idOf(after), limit })).map(toDelivery)
}

/** How many deliveries a subscription has in a state. */
export const countDeliveries = (records: RecordReader, name: string, state: DeliveryState): Promise<number> =>
  records.count(kindOf(state, name))

/** Stores a pending delivery, or its present state. */
export async function putPending(writer: RecordWriter, name: string, delivery: StoredDelivery): Promise<void> {
  await writer.put(kindOf('pending', name), { id: idOf(delivery.seq), ...delivery })
}

/** Ends a pending delivery: it has succeeded, or is of no use any more. */
export async function dropPending(writer: RecordWriter, name: string, { seq }: StoredDelivery): Promise<void> {
  await writer.delete(kindOf('pending', name), idOf(seq))
}

/** Makes a pending delivery one that is tried no more by itself. */
export async function park(writer: RecordWriter, name: string, delivery: StoredDelivery): Promise<void> {
  await dropPending(writer, name, delivery)
  const parked = { id: idOf(delivery.seq), ...delivery }
  await writer.put(kindOf('parked', name), parked, { until: Date.now() + PARKED_MS })
}

/** Takes parked deliveries away whose records are delivered anew. */
export async function dropParked(writer: RecordWriter, name: string, spans: readonly SeqRange[]): Promise<void> {
  for (let after = 0, count = PAGE; count === PAGE; ) {
    const page = await listDeliveries(writer, name, { state: 'parked', after, limit: PAGE })
    for (const { seq } of page) if (isInRanges(spans, seq)) await writer.delete(kindOf('parked', name), idOf(seq))
    after = page.at(-1)?.seq ?? after
    count = page.length
  }
}

/** Makes the first parked deliveries pending again, as if they had not been tried; answers them. */
export async function unpark(writer: RecordWriter, name: string, limit: number): Promise<readonly StoredDelivery[]> {
  const parked = await listDeliveries(writer, name, { state: 'parked', limit })
  const renewed = parked.map((one) => ({ ...one, attempts: 0, failedAt: null, dueAt: 0 }))
  for (const one of renewed) {
    await writer.delete(kindOf('parked', name), idOf(one.seq))
    await putPending(writer, name, one)
  }
  return renewed
}
