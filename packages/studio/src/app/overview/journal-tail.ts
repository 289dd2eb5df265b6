import type { JournalPage, JournalRecord } from '@daybook/client'

/** Reads a page of the journal. */
export type ReadJournal = (query: { readonly since: number; readonly limit: number }) => Promise<JournalPage>

/** The end of the journal, as far as the session may read it. */
export interface JournalTail {
  /** In the order of their numbers. */
  readonly records: readonly JournalRecord[]
  /** The number to go on after. */
  readonly head: number
}

/** How many records one request asks for. */
const PAGE = 1000

/** The number that the journal begins after, where it no longer has all. */
type FloorOf = (error: unknown) => number | undefined

/**
 * Reads the last records of a journal that tells them from its beginning on: it looks for the end in steps that grow, then halves.
 *
 * @param floorOf tells, of an error, from where on the journal is there; `undefined`: the error is another one
 */
export async function readTail(read: ReadJournal, count: number, floorOf: FloorOf): Promise<JournalTail> {
  const near = await nearEnd(read, floorOf)
  return continueTail(read, { records: [], head: Math.max(0, near - count) }, floorOf)
}

/** Reads what came since; of a long tail, the newest records stay. */
export async function continueTail(read: ReadJournal, tail: JournalTail, floorOf: FloorOf): Promise<JournalTail> {
  const records = [...tail.records]
  for (let head = tail.head; ; ) {
    const page = await read({ since: head, limit: PAGE }).catch((error: unknown): JournalPage => {
      const floor = floorOf(error)
      if (floor === undefined || floor <= head) throw error
      return { items: [], next: floor }
    })
    records.push(...page.items)
    if (page.next <= head) return { records: records.slice(-2 * PAGE), head }
    head = page.next
  }
}

/** A number at most one page before the end. */
async function nearEnd(read: ReadJournal, floorOf: FloorOf): Promise<number> {
  const hasMoreAfter = (since: number): Promise<boolean> =>
    read({ since, limit: 1 }).then(
      ({ next }) => next > since,
      (error: unknown) => {
        if (floorOf(error) === undefined) throw error
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

/** A document, and what was done to it last. */
export interface LastChange extends JournalRecord {
  /** Differs from those of all other documents. */
  readonly documentKey: string
}

/** The documents of records, each with its last change, the newest first. */
export function getLastChanges(
  records: readonly JournalRecord[],
  isMeant: (record: JournalRecord) => boolean,
): readonly LastChange[] {
  const found = new Map<string, LastChange>()
  for (const record of records) {
    const name = `${record.collection} ${record.id}`
    if (isMeant(record)) {
      // A document that changes again is the newest again.
      found.delete(name)
      found.set(name, { ...record, documentKey: name })
    }
  }
  return [...found.values()].reverse()
}
