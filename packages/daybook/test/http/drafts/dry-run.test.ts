import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'
import { DOT, toForm, upload } from '../../support/uploads.ts'
import { Editor } from './editor.ts'

const people = new People({ ann: [] })
const deliveredActions: string[] = []

const config = defineConfig({
  auth: people.adapter,
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        topic: f.relation('topics', { onDelete: 'restrict' }),
      },
      hooks: {
        beforeChange: ({ after }) => {
          if (after?.title === 'veto') throw new Error('no')
        },
        afterCommit: ({ action }) => void deliveredActions.push(action),
      },
    }),
    topics: defineCollection({ fields: { name: f.text() } }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text() } }) },
})

describe.each(POLICY_STORES)('dry runs on $name', (store) => {
  let service: StoredService
  let editor: Editor
  let id: string
  let topic: string
  let asset: string
  beforeEach(async () => {
    service = await store.open(config)
    editor = new Editor(service)
    topic = (await editor.post('/api/topics', { name: 'T' })).body.id
    id = (await editor.post('/api/posts', { title: 'Hello', topic })).body.id
    asset = (await upload(service, { content: DOT, name: 'dot.png' })).id
    await editor.put(`/api/posts/${id}?draft=true`, { title: 'Draft' })
  })
  afterEach(async () => {
    await service.close()
  })

  /** Reads all tables except those in which processes register themselves. */
  async function stored(): Promise<unknown> {
    const tables = (await service.tables()).filter((name) => !/leases|idempotency|records/.test(name))
    const rows: unknown[] = []
    for (const table of tables) rows.push([table, await service.rows(`SELECT * FROM "${table}" ORDER BY 1, 2`)])
    return rows
  }

  type Write = readonly [name: string, write: () => readonly [string, string, unknown?], status: number, body?: object]
  const writes: readonly Write[] = [
    ['create', () => ['POST', '/api/posts', { title: 'New' }], 201, { title: 'New', slug: 'new' }],
    ['update', () => ['PUT', `/api/posts/${id}`, { title: 'New' }], 200, { title: 'New' }],
    ['save a draft', () => ['PUT', `/api/posts/${id}?draft=true`, { title: 'New' }], 200, { title: 'New' }],
    ['discard a draft', () => ['DELETE', `/api/posts/${id}?draft=true`], 204],
    ['publish', () => ['POST', `/api/posts/${id}/publish`], 200, { title: 'Draft' }],
    ['unpublish', () => ['POST', `/api/posts/${id}/unpublish`], 200, { status: 'draft' }],
    ['restore', () => ['POST', `/api/posts/${id}/restore`, { revision: 2 }], 200, { title: 'Hello' }],
    ['schedule', () => ['POST', `/api/posts/${id}/publish`, { publishAt: '2999-01-01T00:00:00Z' }], 200],
    ['take a time back', () => ['DELETE', `/api/posts/${id}/schedule`], 404],
    ['delete', () => ['DELETE', `/api/posts/${id}`], 204],
    ['delete an asset', () => ['DELETE', `/api/assets/${asset}`], 204],
    ['write a global', () => ['PUT', '/api/globals/site', { name: 'N' }], 200, { name: 'N' }],
    [
      'batch',
      () => ['POST', '/api/cms/batch', { operations: [{ op: 'delete', collection: 'posts', id }] }],
      200,
      { results: [{ op: 'delete', collection: 'posts' }] },
    ],
    ['change many', () => ['PATCH', '/api/posts?where[id][exists]=true', { title: 'New' }], 200, { changed: 1 }],
    ['delete many', () => ['DELETE', '/api/posts?where[id][exists]=true'], 200, { changed: 1 }],
    // A dry run is rejected like the write.
    ['create without a title', () => ['POST', '/api/posts', {}], 400],
    ['delete what others refer to', () => ['DELETE', `/api/topics/${topic}`], 409],
    ['take a slug', () => ['POST', '/api/posts', { title: 'x', slug: 'hello' }], 409],
    ['change what is not there', () => ['PUT', '/api/posts/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2', {}], 404],
  ]

  test.each(writes.map(([name, write, status, body = {}]) => ({ name, write, status, body })))(
    'to $name returns what the write would, and stores nothing',
    async ({ write, status, body }) => {
      const [method, path, json] = write()
      const before = await stored()
      const target = `${path}${path.includes('?') ? '&' : '?'}dryRun=true`
      const type = method === 'PATCH' ? { type: 'application/merge-patch+json' } : {}
      const response = await editor.send(method, target, json, type)
      expect(response, JSON.stringify(response.body)).toMatchObject({ status, body })
      if (status < 400) expect(response.headers.get('Daybook-Dry-Run')).toBe('true')
      expect([response.headers.get('ETag'), response.headers.get('Daybook-Seq')]).toEqual([null, null])
      expect(await stored()).toEqual(before)
    },
  )

  test('of an upload stores no file and does not reserve its name', async () => {
    const send = (query: string): Promise<Response> =>
      service.request(`/api/assets${query}`, {
        method: 'POST',
        headers: { Authorization: 'Bearer ann' },
        body: toForm({ content: DOT, name: 'dot.png', texts: { filename: 'new.png' } }),
      })
    const before = await stored()
    const dryResponse = await send('?dryRun=true')
    expect(dryResponse.status).toBe(201)
    expect(dryResponse.headers.get('Daybook-Dry-Run')).toBe('true')
    expect(await dryResponse.json()).toMatchObject({ filename: 'new.png', mimeType: 'image/png' })
    expect(await stored()).toEqual(before)
    expect((await send('')).status).toBe(201)
  })

  test('of canceling a schedule keeps it', async () => {
    const publishAt = '2999-01-01T00:00:00.000Z'
    await editor.post(`/api/posts/${id}/publish`, { publishAt })
    expect((await editor.delete(`/api/posts/${id}/schedule?dryRun=true`)).status).toBe(204)
    expect((await editor.get(`/api/posts/${id}?draft=true`)).body).toMatchObject({ publishAt })
  })

  test('of deleting an asset keeps its file', async () => {
    await editor.delete(`/api/assets/${asset}?dryRun=true`)
    const image = await service.request(`/api/assets/${asset}/image?w=16&h=16`, {
      headers: { Authorization: 'Bearer ann' },
    })
    expect(image.status).toBe(200)
  })

  test('run hooks before the write, but none after it', async () => {
    await editor.post('/api/posts?dryRun=true', { title: 'New' })
    expect((await editor.post('/api/posts?dryRun=true', { title: 'veto' }).catch(() => ({ status: 500 }))).status).toBe(
      500,
    )
    deliveredActions.length = 0
    await editor.post('/api/topics', { name: 'after' })
    expect(deliveredActions).toEqual([])
  })

  test('store no idempotency record', async () => {
    const send = (query: string): Promise<Response> =>
      service.request(`/api/posts${query}`, {
        method: 'POST',
        headers: { Authorization: 'Bearer ann', 'Content-Type': 'application/json', 'Idempotency-Key': 'one' },
        body: JSON.stringify({ title: 'Keyed' }),
      })
    expect((await send('?dryRun=true')).status).toBe(201)
    const stored = await send('')
    expect([stored.status, stored.headers.get('Idempotency-Replayed')]).toEqual([201, null])
  })
})
