import type { AuthRecord } from '../auth/records.ts'
import type { Store } from '../store/store.ts'
import type { Writer } from '../store/writes/writer.ts'
import { rangesAfter, type SeqRange, type UnreadRanges } from './ranges.ts'

/** The kind of the records that hold the positions of subscriptions. */
const POSITION = 'subscription'

/** How far a subscription has come. */
export interface SubscriptionPosition {
  /** What it still has to read. */
  readonly ranges: UnreadRanges
  /** When a delivery that failed is due again, in milliseconds since 1970; `null`: none is. */
  readonly dueAt: number | null
  /** How often it was set back. */
  readonly replays: number
}

function toPosition(record: AuthRecord | undefined): SubscriptionPosition {
  const [first] = rangesAfter(typeof record?.seq === 'number' ? record.seq : 0)
  const { to = null, later = [], dueAt = null, replays = 0 } = (record ?? {}) as Partial<StoredPosition>
  return { ranges: [{ ...first, to }, ...later], dueAt, replays }
}

/** The members beside `seq` are left out where they say nothing. */
interface StoredPosition extends AuthRecord {
  readonly seq: number
  readonly to?: number
  readonly later?: readonly SeqRange[]
  readonly dueAt?: number
  readonly replays?: number
}

/** Stores the end of the journal as the position of a subscription that has none. */
export async function ensurePosition(store: Store, name: string): Promise<void> {
  if (await store.records.get(POSITION, name)) return
  await store.transaction(async (writer) => {
    // Another process may have been first.
    if (await writer.records.get(POSITION, name)) return
    await writePosition(writer, name, {
      ranges: rangesAfter(await writer.read.journal.head()),
      dueAt: null,
      replays: 0,
    })
  })
}

/** How far a subscription has come, as the store knows. */
export async function readPosition({ records }: Pick<Store, 'records'>, name: string): Promise<SubscriptionPosition> {
  return toPosition(await records.get(POSITION, name))
}

/** The position of the subscription that has come least far; `undefined`: there is no subscription. */
export async function findLowestPosition({ records }: Pick<Store, 'records'>): Promise<number | undefined> {
  const positions = (await records.list(POSITION)).flatMap((record) =>
    toPosition(record).ranges.map(({ after }) => after),
  )
  return positions.length === 0 ? undefined : Math.min(...positions)
}

/** Moves the position of a subscription, in a transaction of the holder of its lease. */
export async function writePosition(
  writer: Writer,
  name: string,
  { ranges: [{ after, to }, ...later], dueAt, replays }: SubscriptionPosition,
): Promise<void> {
  const stored: StoredPosition = {
    id: name,
    seq: after,
    ...(to === null ? {} : { to }),
    ...(later.length === 0 ? {} : { later }),
    ...(dueAt === null ? {} : { dueAt }),
    ...(replays === 0 ? {} : { replays }),
  }
  await writer.records.put(POSITION, stored)
}
