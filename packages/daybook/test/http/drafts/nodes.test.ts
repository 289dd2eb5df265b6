import { defineCollection, defineConfig, f, type Service } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { create, type Place } from '../../support/stores/place.ts'
import { STORES } from '../../support/stores/stores.ts'
import { eventually } from '../../support/timeouts.ts'

const people = new People({ ann: [] })
/** Runs once, after a node has acquired the lease and before it writes. */
let beforeWrite: (() => Promise<void>) | undefined

const config = defineConfig({
  auth: people.adapter,
  collections: {
    posts: defineCollection({
      fields: { title: f.text({ required: true }), status: f.status() },
      hooks: {
        beforeValidate: async ({ action }) => {
          if (action !== 'update') return
          const work = beforeWrite
          beforeWrite = undefined
          await work?.()
        },
      },
    }),
  },
})

describe.each(STORES)('schedules of several nodes on $name', (store) => {
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

  test('run once, whichever node received them', async () => {
    const [first] = nodes as [Service]
    const ids: string[] = []
    for (let n = 0; n < 12; n += 1) ids.push((await create(first, 'posts', { title: `${n}`, status: 'draft' })).id)
    const at = new Date(Date.now() + 700).toISOString()
    for (const [index, id] of ids.entries()) expect(await schedule(nodes[index % 3] as Service, id, at)).toBe(200)
    await eventually(async () => expect((await published()).toSorted()).toEqual(ids.toSorted()))
    expect(await place.rows('SELECT * FROM daybook$schedules')).toEqual([])
    // No later change publishes anything.
    await nodes[1]?.content.list('posts' as never)
    expect(await published()).toHaveLength(ids.length)
  })

  test('continue when the node that holds the lease stops', async () => {
    const [first, second] = nodes as [Service, Service]
    const firstPost = (await create(first, 'posts', { title: 'one', status: 'draft' })).id
    await schedule(first, firstPost, new Date(Date.now() + 200).toISOString())
    await eventually(async () => expect(await published()).toEqual([firstPost]))
    const secondPost = (await create(first, 'posts', { title: 'other', status: 'draft' })).id
    await schedule(first, secondPost, new Date(Date.now() + 600).toISOString())
    await nodes.shift()?.close()
    await eventually(async () => expect(await published()).toEqual([firstPost, secondPost]))
    expect(second.model.collections.size).toBeGreaterThan(0)
  })

  test('a node that was paused for longer than its lease writes nothing afterwards (fencing)', async () => {
    const [first] = nodes as [Service]
    const { id } = await create(first, 'posts', { title: 'one', status: 'draft' })
    expect(await schedule(first, id, new Date(Date.now() + 300).toISOString())).toBe(200)
    const publishedBefore: unknown[] = []
    beforeWrite = async () => {
      // Another node holds the lease when this one continues.
      await place.exec(
        `UPDATE daybook$leases SET token = token + 1, holder = 'another', until = ${Date.now() + 1500} WHERE name = 'schedules'`,
      )
      publishedBefore.push(await published())
    }
    await eventually(async () => expect(await published()).toEqual([id]))
    expect(publishedBefore).toEqual([[]])
    const [lease] = await place.rows<{ token: number }>("SELECT token FROM daybook$leases WHERE name = 'schedules'")
    expect(Number(lease?.token)).toBeGreaterThanOrEqual(3)
  })
})
