import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ANONYMOUS, defineConfig, f, type Service } from 'daybook'
import { createTestService } from 'daybook/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { blocksOf } from '../../../../scripts/markdown.ts'
import type { JournalRow } from '../../src/store/rows.ts'
import type { Store } from '../../src/store/store.ts'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'
import { create, type Document, type Place, read, update } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'
import { LARGE_TEST_MS } from '../support/timeouts.ts'

const config = {
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    posts: { fields: { title: f.text({ localized: true }) } },
    notes: { fields: { text: f.text() } },
  },
  globals: { site: { fields: { name: f.text() } } },
}

async function takeFirst(records: AsyncIterable<JournalRow>, count: number): Promise<readonly number[]> {
  const seqs: number[] = []
  for await (const { seq } of records) if (seqs.push(seq) === count) break
  return seqs
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe.each(STORES)('on $name', (kind) => {
  let place: Place
  let service: Service
  /** A second store on the same database, as another process would have it. */
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

  /** Reads the state of the document at each number of the journal, from 1 on. */
  const states = async (id: string, until: number): Promise<readonly unknown[]> =>
    Promise.all(
      numbers(1, until).map(async (seq) => {
        const state = await store.journal.stateAt('posts', id, seq)
        return state && [state.record.seq, state.record.action, state.doc && JSON.parse(state.doc).title]
      }),
    )

  describe('records', () => {
    test('are returned in order, after a number and up to a limit', async () => {
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
    test('is the one after its last change up to a number', async () => {
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

    test('is the document as served, with the values of the other locales', async () => {
      const { id } = await create(service, 'posts', { title: 'one' })
      await service.content.update('posts', id, { title: 'eins' }, { locale: 'de' })
      const {
        createdBy: _createdBy,
        updatedBy: _updatedBy,
        ...document
      } = (await read(service, 'posts', id)) as Document
      const state = { ...document, '@locales': { de: { title: 'eins' } } }
      const present = await store.journal.stateAt('posts', id, 2)
      expect(JSON.parse(String(present?.doc))).toEqual(state)
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

    test('has no document once it was erased, but keeps its record', async () => {
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
    test('begins after a number and continues with the writes of other processes', async () => {
      for (const text of ['a', 'b', 'c']) await create(service, 'notes', { text })
      const seqs = takeFirst(store.journal.follow(1, new AbortController().signal), 4)
      for (const text of ['d', 'e']) await create(service, 'notes', { text })
      expect(await seqs).toEqual([2, 3, 4, 5])
    })

    test('ends when aborted, also while it waits', async () => {
      await create(service, 'notes', { text: 'a' })
      const controller = new AbortController()
      const records = store.journal.follow(0, controller.signal)
      expect(await records.next()).toMatchObject({ value: { seq: 1 } })
      const waiting = records.next()
      controller.abort()
      expect(await waiting).toEqual({ done: true, value: undefined })
    })

    test('from beyond the end does not keep growth from other listeners', async () => {
      const controller = new AbortController()
      const beyond = store.journal.follow(1000, controller.signal).next()
      const { promise: growth, resolve } = Promise.withResolvers<number>()
      const stop = store.journal.onGrowth(resolve)
      await create(service, 'notes', { text: 'a' })
      expect(await growth).toBe(1)
      stop()
      controller.abort()
      expect(await beyond).toEqual({ done: true, value: undefined })
    })

    test('yields every record once and in order during concurrent writes', { timeout: LARGE_TEST_MS }, async () => {
      const count = 300
      const [all, tail] = [0, 100].map((after) =>
        takeFirst(store.journal.follow(after, new AbortController().signal), count - after),
      )
      await Promise.all(numbers(1, count).map((text) => create(service, 'notes', { text: String(text) })))
      expect(await all).toEqual(numbers(1, count))
      expect(await tail).toEqual(numbers(101, count))
    })
  })
})

const GUIDE = join(import.meta.dirname, '../../../../docs/concepts/how-cost-grows.md')

test('a partitioned journal, made as the guide shows, is used as it is', async () => {
  await using database = await PostgresDatabase.make()
  const blocks = blocksOf(await readFile(GUIDE, 'utf8'))
  const statements = blocks.find(({ words }) => words.includes('file=partitioned-journal.sql'))?.code ?? ''
  // Makes the second partition begin at record 3, so that the test reaches it.
  await database.rows(statements.replaceAll('10000000', '3'))
  const collections = { posts: { fields: { title: f.text() } } }
  await using service = await createTestService(
    defineConfig({ database: slowMachinePostgres(database.url), collections }),
  )
  const { id } = await service.content.create('posts', { title: 'first' })
  for (const title of ['second', 'third', 'fourth']) {
    await service.content.update('posts', id, { title })
  }
  const count = `SELECT (SELECT count(*) FROM daybook$journal_0)::integer AS first,
    (SELECT count(*) FROM daybook$journal_1)::integer AS second,
    (SELECT count(*) FROM daybook$journal_payload)::integer AS states`
  expect(await database.rows(count)).toEqual([{ first: 2, second: 2, states: 3 }])
  expect(await service.content.as(ANONYMOUS).get('posts', id)).toMatchObject({ title: 'fourth' })
})
