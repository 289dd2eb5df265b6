import type { JournalRecord } from '@daybook/client'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { continueTail, getLastChanges, type ReadJournal, readTail } from '../../src/app/overview/journal-tail.ts'

class Gone extends Error {
  readonly floor: number

  constructor(floor: number) {
    super('gone')
    this.floor = floor
  }
}

const floorOf = (error: unknown): number | undefined => (error instanceof Gone ? error.floor : undefined)

const record = (seq: number): JournalRecord => ({
  seq,
  at: '',
  action: 'update',
  collection: 'posts',
  id: `${seq % 7}`,
})

/** A journal of so many records, of which a reader sees some, and the first are no longer there. */
function journalOf(length: number, isSeen: (seq: number) => boolean, floor = 0) {
  let asked = 0
  const read: ReadJournal = async ({ since, limit }) => {
    asked += 1
    if (since > 0 && since < floor) throw new Gone(floor)
    const items: JournalRecord[] = []
    let next = since
    // As the service does, it gives up after a while where nothing is seen.
    for (let seq = Math.max(since, floor) + 1; seq <= Math.min(length, since + 10_000); seq += 1) {
      if (isSeen(seq)) items.push(record(seq))
      next = seq
      if (items.length === limit) break
    }
    return { items, next }
  }
  return { read, asked: () => asked }
}

test('the newest records that a reader may see are found, however long the journal is', async () => {
  const lengths = fc.oneof(fc.nat(3000), fc.nat(60_000))
  await fc.assert(
    fc.asyncProperty(
      lengths,
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (length, each, part) => {
        // The last record is always there.
        const floor = Math.min(Math.max(0, length - 1), Math.floor(length * part))
        const { read } = journalOf(length, (seq) => seq % each === 0, floor)
        const { records, head } = await readTail(read, 500, floorOf)
        expect(head).toBe(Math.max(length, 0))
        const all = Array.from({ length }, (_, at) => at + 1).filter((seq) => seq > floor && seq % each === 0)
        const wanted = all.filter((seq) => seq > length - 500)
        expect(records.map(({ seq }) => seq).slice(-wanted.length || records.length)).toEqual(
          wanted.length > 0 ? wanted : records.map(({ seq }) => seq),
        )
        expect(records.map(({ seq }) => seq)).toEqual(all.slice(-records.length || all.length))
      },
    ),
    { numRuns: 60 },
  )
})

test('a journal of a million takes a few dozen requests, and what comes later one', async () => {
  let length = 1_000_000
  const journal = { read: (query: Parameters<ReadJournal>[0]) => journalOf(length, () => true).read(query) }
  let asked = 0
  const read: ReadJournal = (query) => {
    asked += 1
    return journal.read(query)
  }
  const tail = await readTail(read, 500, floorOf)
  expect(asked).toBeLessThan(30)
  length += 3
  const before = asked
  const { records, head } = await continueTail(read, tail, floorOf)
  expect([head, records.at(-1)?.seq, asked - before]).toEqual([1_000_003, 1_000_003, 2])
})

test('an error that says nothing of the floor is passed on', async () => {
  const read: ReadJournal = async () => {
    throw new Error('away')
  }
  await expect(readTail(read, 10, floorOf)).rejects.toThrow('away')
})

test('each document is there once, with its last change, the newest first', () => {
  const records = [1, 2, 8, 9, 4].map(record)
  expect(getLastChanges(records, ({ seq }) => seq !== 9).map(({ seq, documentKey: name }) => [seq, name])).toEqual([
    [4, 'posts 4'],
    [8, 'posts 1'],
    [2, 'posts 2'],
  ])
})
