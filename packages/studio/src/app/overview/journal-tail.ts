import type { JournalPage, JournalRecord } from '@daybook/client'

export type ReadJournal = (query: { readonly since: number; readonly limit: number }) => Promise<JournalPage>

/** The newest journal records that the session may read. */
export interface JournalTail {
  /** In the order of `seq`. */
  readonly records: readonly JournalRecord[]
  /** The `seq` to continue after. */
  readonly head: number
}

const PAGE = 1000

/** Returns the `seq` after which the journal begins if an error says that earlier records are gone, else `undefined`. */
type GetFloor = (error: unknown) => number | undefined

/**
 * Reads the last records. The journal can be read only forwards, so this finds its end by growing steps and bisection.
 */
export async function readTail(read: ReadJournal, count: number, getFloor: GetFloor): Promise<JournalTail> {
  const nearEnd = await findNearEnd(read, getFloor)
  return continueTail(read, { records: [], head: Math.max(0, nearEnd - count) }, getFloor)
}

/** Reads the records after a tail, and drops the oldest of a long one. */
export async function continueTail(read: ReadJournal, tail: JournalTail, getFloor: GetFloor): Promise<JournalTail> {
  const records = [...tail.records]
  for (let head = tail.head; ; ) {
    const page = await read({ since: head, limit: PAGE }).catch((error: unknown): JournalPage => {
      const floor = getFloor(error)
      if (floor === undefined || floor <= head) throw error
      return { items: [], next: floor }
    })
    records.push(...page.items)
    if (page.next <= head) return { records: records.slice(-2 * PAGE), head }
    head = page.next
  }
}

/** Finds a `seq` at most one page before the end. */
async function findNearEnd(read: ReadJournal, getFloor: GetFloor): Promise<number> {
  const hasMoreAfter = (since: number): Promise<boolean> =>
    read({ since, limit: 1 }).then(
      ({ next }) => next > since,
      (error: unknown) => {
        if (getFloor(error) === undefined) throw error
        return true
      },
    )
  let low = 0
  let step = PAGE
  while (await hasMoreAfter(low + step)) {
    low += step
    step *= 2
  }
  for (let high = low + step; high - low > PAGE; ) {
    const middle = Math.floor((low + high) / 2)
    if (await hasMoreAfter(middle)) low = middle
    else high = middle
  }
  return low
}

/** The last change of a document. */
export interface LastChange extends JournalRecord {
  /** Identifies the document among those of all collections. */
  readonly documentKey: string
}

/** Returns the last change of each document, the newest first. */
export function getLastChanges(
  records: readonly JournalRecord[],
  isIncluded: (record: JournalRecord) => boolean,
): readonly LastChange[] {
  const changes = new Map<string, LastChange>()
  for (const record of records) {
    const documentKey = `${record.collection} ${record.id}`
    if (isIncluded(record)) {
      // Insert again, so that the newest change is last.
      changes.delete(documentKey)
      changes.set(documentKey, { ...record, documentKey })
    }
  }
  return [...changes.values()].reverse()
}
