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

const getFloor = (error: unknown): number | undefined => (error instanceof Gone ? error.floor : undefined)

const makeRecord = (seq: number): JournalRecord => ({
  seq,
  at: '',
  action: 'update',
  collection: 'posts',
  id: `${seq % 7}`,
})

/** A journal with `length` records, of which only some are visible, and those up to `floor` are pruned. */
function makeJournal(length: number, isSeen: (seq: number) => boolean, floor = 0) {
  let requests = 0
  const read: ReadJournal = async ({ since, limit }) => {
    requests += 1
    if (since > 0 && since < floor) throw new Gone(floor)
    const items: JournalRecord[] = []
    let next = since
    // Like the service, stop scanning after 10,000 records if none is visible.
    for (let seq = Math.max(since, floor) + 1; seq <= Math.min(length, since + 10_000); seq += 1) {
      if (isSeen(seq)) items.push(makeRecord(seq))
      next = seq
      if (items.length === limit) break
    }
    return { items, next }
  }
  return { read, requests: () => requests }
}

test('the newest visible records are found in a journal of any length', async () => {
  const lengths = fc.oneof(fc.nat(3000), fc.nat(60_000))
  await fc.assert(
    fc.asyncProperty(
      lengths,
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (length, each, part) => {
        // The last record is never pruned.
        const floor = Math.min(Math.max(0, length - 1), Math.floor(length * part))
        const { read } = makeJournal(length, (seq) => seq % each === 0, floor)
        const { records, head } = await readTail(read, 500, getFloor)
        expect(head).toBe(Math.max(length, 0))
        const all = Array.from({ length }, (_, index) => index + 1).filter((seq) => seq > floor && seq % each === 0)
        const expected = all.filter((seq) => seq > length - 500)
        expect(records.map(({ seq }) => seq).slice(-expected.length || records.length)).toEqual(
          expected.length > 0 ? expected : records.map(({ seq }) => seq),
        )
        expect(records.map(({ seq }) => seq)).toEqual(all.slice(-records.length || all.length))
      },
    ),
    { numRuns: 60 },
  )
})

test('the tail of a million records takes a few dozen requests, and newer records take two', async () => {
  let length = 1_000_000
  const journal = { read: (query: Parameters<ReadJournal>[0]) => makeJournal(length, () => true).read(query) }
  let requests = 0
  const read: ReadJournal = (query) => {
    requests += 1
    return journal.read(query)
  }
  const tail = await readTail(read, 500, getFloor)
  expect(requests).toBeLessThan(30)
  length += 3
  const before = requests
  const { records, head } = await continueTail(read, tail, getFloor)
  expect([head, records.at(-1)?.seq, requests - before]).toEqual([1_000_003, 1_000_003, 2])
})

test('an error without a floor is thrown on', async () => {
  const read: ReadJournal = async () => {
    throw new Error('away')
  }
  await expect(readTail(read, 10, getFloor)).rejects.toThrow('away')
})

test('each document is listed once with its last change, newest first', () => {
  const records = [1, 2, 8, 9, 4].map(makeRecord)
  expect(getLastChanges(records, ({ seq }) => seq !== 9).map(({ seq, documentKey }) => [seq, documentKey])).toEqual([
    [4, 'posts 4'],
    [8, 'posts 1'],
    [2, 'posts 2'],
  ])
})
