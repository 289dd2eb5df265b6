import { createClient } from '@daybook/client'
import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BulkAction } from '../../src/app/lists/bulk/bulk-operations.ts'
import { BulkRun } from '../../src/app/lists/bulk/bulk-run.ts'
import { applyRowPress, NO_SELECTION } from '../../src/app/lists/bulk/selection.ts'
import { type StudioCollection, toStudioModel } from '../../src/app/model/studio-model.ts'

const config = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        status: f.status({ default: 'draft' }),
        minutes: f.integer({ max: 500 }),
        author: f.relation('authors'),
      },
    }),
    authors: defineCollection({ fields: { name: f.text({ required: true }) } }),
    strict: defineCollection({
      requireIfMatch: true,
      fields: { name: f.text(), status: f.status({ default: 'draft' }) },
    }),
    books: defineCollection({
      fields: { name: f.text(), by: f.relation('authors', { required: true, onDelete: 'restrict' }) },
    }),
  },
}) satisfies DaybookConfig

interface World extends AsyncDisposable {
  readonly service: TestService
  run(collection: string): BulkRun
  ids(collection: string, where?: object): Promise<readonly string[]>
  entries(collection: string): Promise<readonly Readonly<Record<string, unknown>>[]>
}

async function makeWorld(): Promise<World> {
  const service = await createTestService(config)
  const client = createClient<DaybookConfig>({
    baseUrl: 'http://localhost:3000',
    token: service.token,
    fetch: (url, init) => service.fetch(new Request(url, init)),
  })
  const { collections } = toStudioModel(await client.model(), 'en')
  const content = service.content as unknown as {
    list(key: string, query: object): Promise<{ readonly items: readonly Readonly<Record<string, unknown>>[] }>
  }
  const entries = async (key: string, where?: object) =>
    (await content.list(key, { limit: 100, sort: 'createdAt', ...(where ? { where } : {}) })).items
  return {
    service,
    run: (key) =>
      new BulkRun(client, collections.get(key) as StudioCollection, 'service', new AbortController().signal),
    ids: async (key, where) => (await entries(key, where)).map(({ id }) => String(id)),
    entries,
    [Symbol.asyncDispose]: () => service.close(),
  }
}

const seed = async ({ service }: World, count: number): Promise<void> => {
  const content = service.content
  for (let number = 1; number <= count; number += 1)
    await content.create('posts', { title: `Post ${number}`, minutes: number })
}

const nothing = (): void => {}

describe('a bulk action', () => {
  test('reports the entries that reject it, and changes the others', async () => {
    await using world = await makeWorld()
    await seed(world, 5)
    const ids = await world.ids('posts')
    const headers = { Authorization: `Bearer ${world.service.token}`, 'Content-Type': 'application/json' }
    for (const id of [ids[1], ids[3]]) {
      const body = JSON.stringify({ title: null })
      await world.service.request(`/api/posts/${id}?draft=true`, { method: 'PUT', headers, body })
    }
    const run = world.run('posts')
    const dryRun = await run.dryRun({ kind: 'publish' }, ids, nothing)
    expect(new Set(dryRun.refusals.map(({ id }) => id))).toEqual(new Set([ids[1], ids[3]]))
    expect(await world.ids('posts', { status: { eq: 'published' } })).toEqual([])
    expect(await run.execute({ kind: 'publish' }, dryRun.ids, nothing)).toMatchObject({ done: 3 })
    expect(await world.ids('posts', { status: { eq: 'published' } })).toEqual([ids[0], ids[2], ids[4]])
    const again = await run.dryRun({ kind: 'publish' }, [ids[0] ?? ''], nothing)
    expect(again).toMatchObject({ selected: 1, ids: [], refusals: [] })
  })

  test('is undone completely, without touching other changes', async () => {
    await using world = await makeWorld()
    await seed(world, 230)
    const content = world.service.content
    const run = world.run('posts')
    const action: BulkAction = { kind: 'set', field: 'minutes', value: 7 }
    const before = (await world.entries('posts')).map(({ minutes }) => minutes)
    const dryRun = await run.dryRun(action, { where: { minutes: { lte: 100 } } }, nothing)
    expect(dryRun.ids.length).toBe(99)
    const all = await run.dryRun(action, {}, nothing)
    const outcome = await run.execute(action, all.ids, nothing)
    expect(outcome.done).toBe(229)
    expect(outcome.ranges.length).toBe(3)
    const other = await content.create('posts', { title: 'After', minutes: 1 })
    expect(await run.undo(outcome.ranges)).toBe(0)
    expect((await world.entries('posts')).slice(0, 100).map(({ minutes }) => minutes)).toEqual(before.slice(0, 100))
    expect(await world.ids('posts', { id: { eq: other.id } })).toEqual([other.id])
  })

  test('is not undone for entries that others have changed since', async () => {
    await using world = await makeWorld()
    await seed(world, 3)
    const run = world.run('posts')
    const ids = await world.ids('posts')
    const { ranges } = await run.execute({ kind: 'delete' }, ids.slice(0, 2), nothing)
    expect((await world.ids('posts')).length).toBe(1)
    expect(await run.undo(ranges)).toBe(0)
    const set = await run.execute({ kind: 'set', field: 'minutes', value: 50 }, ids, nothing)
    await world.service.content.update('posts', ids[1] ?? '', { minutes: 60 })
    expect(await run.undo(set.ranges)).toBe(1)
    expect((await world.entries('posts')).map(({ minutes }) => minutes)).toEqual([1, 60, 3])
  })

  test('deletes entries without required references, and restores references on undo', async () => {
    await using world = await makeWorld()
    const content = world.service.content
    const [needed, loved, alone] = [
      await content.create('authors', { name: 'Needed' }),
      await content.create('authors', { name: 'Loved' }),
      await content.create('authors', { name: 'Alone' }),
    ]
    await content.create('books', { name: 'A book', by: needed.id })
    const post = await content.create('posts', { title: 'A post', author: loved.id })
    const run = world.run('authors')
    const dryRun = await run.dryRun({ kind: 'delete' }, [needed.id, loved.id, alone.id], nothing)
    expect(dryRun.refusals.map(({ id }) => id)).toEqual([needed.id])
    const { ranges } = await run.execute({ kind: 'delete' }, dryRun.ids, nothing)
    expect(await world.ids('authors')).toEqual([needed.id])
    expect(await run.undo(ranges)).toBe(0)
    expect((await world.ids('authors')).length).toBe(3)
    expect((await world.entries('posts'))[0]).toMatchObject({ id: post.id, author: loved.id })
  })

  test('stops after 20 refusals', async () => {
    await using world = await makeWorld()
    await seed(world, 30)
    const action: BulkAction = { kind: 'set', field: 'minutes', value: 1000 }
    const dryRun = await world.run('posts').dryRun(action, {}, nothing)
    expect(dryRun).toMatchObject({ selected: 30, isPartial: true })
    expect(dryRun.refusals.length).toBe(20)
  })

  test('works in collections that require If-Match', async () => {
    await using world = await makeWorld()
    await world.service.content.create('strict', { name: 'One' })
    const run = world.run('strict')
    const { ids, refusals } = await run.dryRun({ kind: 'publish' }, {}, nothing)
    expect(refusals).toEqual([])
    const { ranges } = await run.execute({ kind: 'publish' }, ids, nothing)
    expect(await world.ids('strict', { status: { eq: 'published' } })).toEqual(ids)
    expect(await run.undo(ranges)).toBe(0)
    expect(await world.ids('strict', { status: { eq: 'draft' } })).toEqual(ids)
  })

  test('reports how many entries were changed if it fails midway', async () => {
    await using world = await makeWorld()
    await seed(world, 150)
    const run = world.run('posts')
    const { ids } = await run.dryRun({ kind: 'delete' }, {}, nothing)
    const last = ids.at(-1) ?? ''
    await world.service.content.delete('posts', last)
    const outcome = await run.execute({ kind: 'delete' }, ids, nothing)
    expect(outcome.done).toBe(100)
    expect(outcome.error).toMatchObject({ code: 'NOT_FOUND' })
    expect(await run.undo(outcome.ranges)).toBe(0)
    expect((await run.dryRun({ kind: 'delete' }, {}, nothing)).ids.length).toBe(149)
  })

  test('reports an invalid value for every entry', async () => {
    await using world = await makeWorld()
    await seed(world, 2)
    const run = world.run('posts')
    const dryRun = await run.dryRun({ kind: 'set', field: 'minutes', value: 1000 }, await world.ids('posts'), nothing)
    expect(dryRun).toMatchObject({ ids: [], selected: 2, isPartial: false })
    expect(dryRun.refusals.length).toBe(2)
  })
})

describe('the selection of rows', () => {
  test('selects and deselects ranges', () => {
    const idAt = (index: number): string | undefined => (index < 10 ? `row${index}` : undefined)
    const single = applyRowPress(NO_SELECTION, { index: 2, isSelected: true, isRange: false }, idAt)
    const range = applyRowPress(single, { index: 5, isSelected: true, isRange: true }, idAt)
    expect([...range.ids]).toEqual(['row2', 'row3', 'row4', 'row5'])
    const back = applyRowPress(range, { index: 4, isSelected: false, isRange: true }, idAt)
    expect([...back.ids]).toEqual(['row2', 'row3'])
    expect([...applyRowPress(single, { index: 12, isSelected: true, isRange: true }, idAt).ids].length).toBe(8)
  })

  test('reflects the last press of each row, in any order', () => {
    const press = fc.record({ index: fc.nat(30), isSelected: fc.boolean(), isRange: fc.boolean() })
    fc.assert(
      fc.property(fc.array(press), (presses) => {
        let selection = NO_SELECTION
        const model = new Map<number, boolean>()
        for (const press of presses) {
          const from = press.isRange ? (selection.anchor ?? press.index) : press.index
          selection = applyRowPress(selection, press, (index) => `row${index}`)
          for (let row = Math.min(from, press.index); row <= Math.max(from, press.index); row += 1)
            model.set(row, press.isSelected)
        }
        const expected = [...model].filter(([, isOn]) => isOn).map(([row]) => `row${row}`)
        expect([...selection.ids].sort()).toEqual(expected.sort())
      }),
    )
  })
})
