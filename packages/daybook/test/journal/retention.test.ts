import { defineCollection, defineConfig, f } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HistoryConfig } from '../../src/config/config.ts'
import { dropExpiredVersions } from '../../src/journal/retention.ts'
import type { Service } from '../../src/service.ts'
import { Lease } from '../../src/store/records/lease.ts'
import type { Store } from '../../src/store/store.ts'
import { People } from '../support/auth/people.ts'
import { create, type Place, update } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'

const config = defineConfig({
  auth: new People({ ann: [] }).adapter,
  collections: {
    posts: defineCollection({ fields: { title: f.text(), status: f.status() } }),
    notes: defineCollection({ fields: { text: f.text() } }),
  },
})

const DAY_MS = 24 * 60 * 60 * 1000

describe.each(STORES)('retention on $name', (store) => {
  let place: Place
  let service: Service
  let nodeStore: Store
  beforeEach(async () => {
    place = await store.at()
    service = await place.open(config)
    nodeStore = await place.store()
  })
  afterEach(async () => {
    await nodeStore.close()
    await service.close()
    await place[Symbol.asyncDispose]()
  })

  const pass = (history: HistoryConfig, inDays = 0): Promise<boolean> =>
    dropExpiredVersions({
      store: nodeStore,
      lease: new Lease(nodeStore, 'retention', 60_000),
      history,
      now: Date.now() + inDays * DAY_MS,
    })
  const payloads = async (): Promise<readonly number[]> =>
    (await place.rows<{ seq: number }>('SELECT seq FROM daybook$journal_payload ORDER BY seq')).map((row) =>
      Number(row.seq),
    )
  const records = async (): Promise<readonly string[]> =>
    (await place.rows<{ seq: number; action: string }>('SELECT seq, action FROM daybook$journal ORDER BY seq')).map(
      ({ seq, action }) => `${seq} ${action}`,
    )
  const floor = async (): Promise<number> => {
    const [note] = await place.rows<{ value: string }>("SELECT value FROM daybook$meta WHERE key = 'journal floor'")
    return Number(note?.value ?? 0)
  }
  const write = async (times: number): Promise<string> => {
    const { id } = await create(service, 'notes', { text: '1' })
    for (let n = 2; n <= times; n += 1) await update(service, 'notes', id, { text: `${n}` })
    return id
  }
  const saveDraft = async (id: string, title: string): Promise<void> => {
    const response = await service.fetch(
      new Request(`http://daybook.test/api/posts/${id}?draft=true`, {
        method: 'PUT',
        headers: { Authorization: 'Bearer ann', 'Content-Type': 'application/json' },
        body: JSON.stringify({ title }),
      }),
    )
    expect(response.status).toBe(200)
  }

  test('keeps as many former versions of each document as the config says, and every record', async () => {
    await write(6)
    await write(2)
    expect(await payloads()).toEqual([1, 2, 3, 4, 5, 7])
    await pass({ versions: 2 })
    expect(await payloads()).toEqual([4, 5, 7])
    expect(await records()).toHaveLength(8)
    // The journal has the state of every document from 4 on.
    expect(await floor()).toBe(4)
  })

  test('continues where it stopped, and starts over if the config keeps fewer versions', async () => {
    const id = await write(5)
    await pass({ versions: 3 })
    expect(await payloads()).toEqual([2, 3, 4])
    await update(service, 'notes', id, { text: 'x' })
    await pass({ versions: 3 })
    expect(await payloads()).toEqual([3, 4, 5])
    await pass({ versions: 1 })
    expect(await payloads()).toEqual([5])
    await pass({ versions: 0 })
    expect(await payloads()).toEqual([])
    expect(await service.content.get('notes', id)).toMatchObject({ text: 'x' })
  })

  test('keeps versions replaced within the last days, and the newest record of each document', async () => {
    const id = await write(3)
    const gone = await write(2)
    await service.content.delete('notes', gone)
    await pass({ days: 30 }, 29)
    expect(await payloads()).toEqual([1, 2, 4, 5])
    await pass({ days: 30 }, 31)
    expect(await payloads()).toEqual([])
    expect(await records()).toEqual(['3 update', '6 delete'])
    expect(await floor()).toBe(6)
    expect(await service.content.get('notes', id)).toMatchObject({ text: '3' })
  })

  test('keeps everything that a subscription has not received yet', async () => {
    await write(4)
    await nodeStore.transaction((writer) => writer.records.put('subscription', { id: 'slow', seq: 2 }))
    await pass({ days: 1 }, 2)
    expect(await records()).toEqual(['2 update', '3 update', '4 update'])
    expect(await payloads()).toEqual([2, 3])
    await pass({ versions: 0 }, 2)
    expect(await payloads()).toEqual([2, 3])
  })

  test('runs on one node only', async () => {
    await write(3)
    const other = new Lease(nodeStore, 'retention', 60_000)
    await other.take()
    expect(await pass({ versions: 0 })).toBe(false)
    expect(await payloads()).toEqual([1, 2])
  })

  test('counts drafts separately, and keeps the current one', async () => {
    const { id } = await create(service, 'posts', { title: 'One' })
    for (const title of ['a', 'b', 'c', 'd']) await saveDraft(id, title)
    await update(service, 'posts', id, { title: 'Two' })
    const last = (await records()).slice(-2)
    expect(await payloads()).toEqual([1, 2, 3, 4, 5])
    await pass({ versions: 1 })
    expect(await payloads()).toEqual([1, 5])
    await pass({ days: 1 }, 2)
    expect(await records()).toEqual(last)
    expect(last.map((record) => record.split(' ')[1]).sort()).toEqual(['draft', 'update'])
    expect(await payloads()).toEqual([])
  })
})
