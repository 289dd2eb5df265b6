import type { AuthRecord } from '../auth/records.ts'
import type { Store } from '../store/store.ts'
import type { Writer } from '../store/writes/write.ts'

/** The kind of the records that hold the positions of subscriptions. */
const POSITION = 'subscription'

const seqOf = (record: AuthRecord | undefined): number | undefined =>
  typeof record?.seq === 'number' ? record.seq : undefined

/** Stores the end of the journal as the position of a subscription that has none. */
export async function startPosition(store: Store, name: string): Promise<void> {
  if (await store.records.get(POSITION, name)) return
  await store.transaction(async (writer) => {
    // Another process may have been first.
    if (await writer.records.get(POSITION, name)) return
    await writePosition(writer, name, await writer.read.journal.head())
  })
}

/** The number of the last record that was delivered to a subscription, or passed over. */
export async function readPosition(store: Store, name: string): Promise<number> {
  return seqOf(await store.records.get(POSITION, name)) ?? 0
}

/** The position of the subscription that has come least far; `undefined`: there is no subscription. */
export async function leastPosition({ records }: Pick<Store, 'records'>): Promise<number | undefined> {
  const positions = (await records.list(POSITION)).map((record) => seqOf(record) ?? 0)
  return positions.length === 0 ? undefined : Math.min(...positions)
}

/** Moves the position of a subscription, in a transaction of the holder of its lease. */
export async function writePosition(writer: Writer, name: string, seq: number): Promise<void> {
  await writer.records.put(POSITION, { id: name, seq })
}
