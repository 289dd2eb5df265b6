import type { AuthRecord } from '../auth/records.ts'
import type { Store } from '../store/store.ts'
import type { Writer } from '../store/writes/writer.ts'
import { rangesAfter, type SeqRange, type UnreadRanges } from './ranges.ts'

/** The kind of the stored records with positions. */
const POSITION = 'subscription'

export interface SubscriptionPosition {
  /** The ranges that are not read. */
  readonly ranges: UnreadRanges
  /** The time when a failed delivery is due, in milliseconds since 1970; `null` if there is none. */
  readonly dueAt: number | null
  readonly replays: number
}

function toPosition(record: AuthRecord | undefined): SubscriptionPosition {
  const [first] = rangesAfter(typeof record?.seq === 'number' ? record.seq : 0)
  const { to = null, later = [], dueAt = null, replays = 0 } = (record ?? {}) as Partial<StoredPosition>
  return { ranges: [{ ...first, to }, ...later], dueAt, replays }
}

/** Members other than `seq` are absent if they have their default. */
interface StoredPosition extends AuthRecord {
  readonly seq: number
  readonly to?: number
  readonly later?: readonly SeqRange[]
  readonly dueAt?: number
  readonly replays?: number
}

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

export async function readPosition({ records }: Pick<Store, 'records'>, name: string): Promise<SubscriptionPosition> {
  return toPosition(await records.get(POSITION, name))
}

/** Finds the lowest position of all subscriptions; `undefined` if there is none. */
export async function findLowestPosition({ records }: Pick<Store, 'records'>): Promise<number | undefined> {
  const positions = (await records.list(POSITION)).flatMap((record) =>
    toPosition(record).ranges.map(({ after }) => after),
  )
  return positions.length === 0 ? undefined : Math.min(...positions)
}

/** Stores the position of a subscription, in a transaction of the lease holder. */
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
