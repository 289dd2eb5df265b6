import { f, type Service } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JournalRow } from '../../src/store/rows.ts'
import type { Store } from '../../src/store/store.ts'
import { LARGE_TEST_MS } from '../support/patience.ts'
import { create, type Document, type Place, read, update } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'

const config = {
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    posts: { fields: { title: f.text({ localized: true }) } },
    notes: { fields: { text: f.text() } },
  },
  globals: { site: { fields: { name: f.text() } } },
}

/** The first records that come. */
async function take(records: AsyncIterable<JournalRow>, count: number): Promise<readonly number[]> {
  const taken: number[] = []
  for await (const { seq } of records) if (taken.push(seq) === count) break
  return taken
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe.each(STORES)('on $name', (kind) => {
  let place: Place
  let service: Service
  /** Another process, as far as the service can tell. */
  let store: Store

  beforeEach(async () => {
    place = await kind.at()
    service = await place.open(config as never)
    store = await place.store()
  })
  afterEach(async () => {
    await store.close()
    await service.close()
    await place[Symbol.asyncDispose]()
  })

  /** The document as it was when the journal had come to each number from 1 on. */
  const states = async (id: string, until: number): Promise<readonly unknown[]> =>
    Promise.all(
      numbers(1, until).map(async (seq) => {
        const state = await store.journal.stateAt('posts', id, seq)
        return state && [state.record.seq, state.record.action, state.doc && JSON.parse(state.doc).title]
      }),
    )

  describe('records', () => {
    test('come in order, behind a number and up to a limit', async () => {
      const { id } = await create(service, 'posts', { title: 'one' })
      await service.content.writeGlobal('site', { name: 'A' })
      await update(service, 'posts', id, { title: 'two' })
      await service.content.delete('posts', id)
      const all = await store.journal.records(0)
      expect(all).toMatchObject([
        { seq: 1, action: 'create', collection: 'posts', id },
        { seq: 2, action: 'create', collection: 'globals', id: 'site' },
        { seq: 3, action: 'update', collection: 'posts', id },
        { seq: 4, action: 'delete', collection: 'posts', id },
      ])
      expect(await store.journal.records(1, 2)).toEqual(all.slice(1, 3))
      expect(await store.journal.records(4)).toEqual([])
      expect(await store.journal.record(3)).toEqual(all[2])
      expect(await store.journal.head()).toBe(4)
    })
  })

  describe('the state of a document', () => {
    test('is that of its last change up to a number', async () => {
      await create(service, 'posts', { title: 'another' })
      const { id } = await create(service, 'posts', { title: 'one' })
      await create(service, 'notes', { text: 'between' })
      await update(service, 'posts', id, { title: 'two' })
      await update(service, 'posts', id, { title: 'three' })
      await service.content.delete('posts', id)
      expect(await states(id, 6)).toEqual([
        undefined,
        [2, 'create', 'one'],
        [2, 'create', 'one'],
        [4, 'update', 'two'],
        [5, 'update', 'three'],
        [6, 'delete', undefined],
      ])
    })

    test('is the document as it was served, with what the other locales say', async () => {
      const { id } = await create(service, 'posts', { title: 'one' })
      await service.content.update('posts', id, { title: 'eins' }, { locale: 'de' })
      const { createdBy: _made, updatedBy: _changed, ...then } = (await read(service, 'posts', id)) as Document
      const whole = { ...then, '@locales': { de: { title: 'eins' } } }
      const present = await store.journal.stateAt('posts', id, 2)
      expect(JSON.parse(String(present?.doc))).toEqual(whole)
      await update(service, 'posts', id, { title: 'two' })
      expect(await store.journal.stateAt('posts', id, 2)).toEqual(present)
    })

    test('of a global is found by its key', async () => {
      await service.content.writeGlobal('site', { name: 'A' })
      await service.content.writeGlobal('site', { name: 'B' })
      const names = await Promise.all(
        [1, 2].map(async (seq) => JSON.parse(String((await store.journal.stateAt('globals', 'site', seq))?.doc)).name),
      )
      expect(names).toEqual(['A', 'B'])
    })

    test('that was erased is gone, and its record is not', async () => {
      const { id } = await create(service, 'posts', { title: 'one' })
      await update(service, 'posts', id, { title: 'two' })
      await place.exec('UPDATE daybook$journal_payload SET doc = NULL WHERE seq = 1')
      expect(await states(id, 2)).toEqual([
        [1, 'create', undefined],
        [2, 'update', 'two'],
      ])
    })
  })

  describe('following', () => {
    const abort = (): AbortController => new AbortController()

    test('begins behind a number and goes on with what others write', async () => {
      for (const text of ['a', 'b', 'c']) await create(service, 'notes', { text })
      const heard = take(store.journal.follow(1, abort().signal), 4)
      for (const text of ['d', 'e']) await create(service, 'notes', { text })
      expect(await heard).toEqual([2, 3, 4, 5])
    })

    test('ends when it is told to, also while it waits', async () => {
      await create(service, 'notes', { text: 'a' })
      const end = abort()
      const records = store.journal.follow(0, end.signal)
      expect(await records.next()).toMatchObject({ value: { seq: 1 } })
      const waiting = records.next()
      end.abort()
      expect(await waiting).toEqual({ done: true, value: undefined })
    })

    test('from beyond the end keeps nothing from those who listen', async () => {
      const end = abort()
      const beyond = store.journal.follow(1000, end.signal).next()
      const { promise: heard, resolve } = Promise.withResolvers<number>()
      const stop = store.journal.onGrowth(resolve)
      await create(service, 'notes', { text: 'a' })
      expect(await heard).toBe(1)
      stop()
      end.abort()
      expect(await beyond).toEqual({ done: true, value: undefined })
    })

    test('gives every record once and in order while many write', { timeout: LARGE_TEST_MS }, async () => {
      const count = 300
      const [one, other] = [0, 100].map((after) => take(store.journal.follow(after, abort().signal), count - after))
      await Promise.all(numbers(1, count).map((text) => create(service, 'notes', { text: String(text) })))
      expect(await one).toEqual(numbers(1, count))
      expect(await other).toEqual(numbers(101, count))
    })
  })
})
