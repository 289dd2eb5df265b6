import type { Service } from 'daybook'
import { defineCollection, defineConfig, f } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { eventually } from '../../support/patience.ts'
import { create, type Place } from '../../support/stores/place.ts'
import { STORES } from '../../support/stores/stores.ts'

const people = new People({ ann: [] })
/** What happens after a node has taken the lease, and before it writes; once. */
let meanwhile: (() => Promise<void>) | undefined

const config = defineConfig({
  auth: people.adapter,
  collections: {
    posts: defineCollection({
      fields: { title: f.text({ required: true }), status: f.status() },
      hooks: {
        beforeValidate: async ({ action }) => {
          if (action !== 'update') return
          const work = meanwhile
          meanwhile = undefined
          await work?.()
        },
      },
    }),
  },
})

describe.each(STORES)('schedules of several nodes on $name (N4)', (store) => {
  let place: Place
  let nodes: Service[]
  beforeEach(async () => {
    place = await store.at()
    nodes = []
    for (let n = 0; n < 3; n += 1) nodes.push(await place.open(config as never))
  })
  afterEach(async () => {
    for (const node of nodes) await node.close()
    await place[Symbol.asyncDispose]()
  })

  const schedule = async (node: Service, id: string, publishAt: string): Promise<number> => {
    const request = new Request(`http://localhost/api/posts/${id}/publish`, {
      method: 'POST',
      headers: { Authorization: 'Bearer ann', 'Content-Type': 'application/json' },
      body: JSON.stringify({ publishAt }),
    })
    return (await node.fetch(request)).status
  }
  const published = async (): Promise<readonly unknown[]> =>
    (await place.rows<{ id: string }>("SELECT id FROM daybook$journal WHERE action = 'publish'")).map(({ id }) => id)

  test('each is carried out once, whichever node it was set on', async () => {
    const [first] = nodes as [Service]
    const ids: string[] = []
    for (let n = 0; n < 12; n += 1) ids.push((await create(first, 'posts', { title: `${n}`, status: 'draft' })).id)
    const at = new Date(Date.now() + 700).toISOString()
    for (const [index, id] of ids.entries()) expect(await schedule(nodes[index % 3] as Service, id, at)).toBe(200)
    await eventually(async () => expect((await published()).toSorted()).toEqual(ids.toSorted()))
    expect(await place.rows('SELECT * FROM daybook$schedules')).toEqual([])
    // Nothing comes after that.
    await nodes[1]?.content.list('posts' as never)
    expect(await published()).toHaveLength(ids.length)
  })

  test('goes on when the node that has the lease ends', async () => {
    const [first, second] = nodes as [Service, Service]
    const one = (await create(first, 'posts', { title: 'one', status: 'draft' })).id
    await schedule(first, one, new Date(Date.now() + 200).toISOString())
    await eventually(async () => expect(await published()).toEqual([one]))
    const other = (await create(first, 'posts', { title: 'other', status: 'draft' })).id
    await schedule(first, other, new Date(Date.now() + 600).toISOString())
    await nodes.shift()?.close()
    await eventually(async () => expect(await published()).toEqual([one, other]))
    expect(second.model.collections.size).toBeGreaterThan(0)
  })

  test('a node that was stopped for longer than its lease writes nothing then (fencing)', async () => {
    const [first] = nodes as [Service]
    const { id } = await create(first, 'posts', { title: 'one', status: 'draft' })
    expect(await schedule(first, id, new Date(Date.now() + 300).toISOString())).toBe(200)
    const held: unknown[] = []
    meanwhile = async () => {
      // Another node holds it by the time that this one wakes up.
      await place.exec(
        `UPDATE daybook$leases SET token = token + 1, holder = 'another', until = ${Date.now() + 1500} WHERE name = 'schedules'`,
      )
      held.push(await published())
    }
    await eventually(async () => expect(await published()).toEqual([id]))
    expect(held).toEqual([[]])
    const [lease] = await place.rows<{ token: number }>("SELECT token FROM daybook$leases WHERE name = 'schedules'")
    expect(Number(lease?.token)).toBeGreaterThanOrEqual(3)
  })
})
