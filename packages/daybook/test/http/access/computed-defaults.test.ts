import { defineCollection, defineConfig, f } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { RecordingLog } from '../../support/recording-log.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'

const people = new People({ ann: ['editor'], bob: [] })
let makeDefault: () => unknown

const config = defineConfig({
  auth: people.adapter,
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ default: ({ identity }) => (identity ? `By ${identity.subject}` : 'By anyone') }),
        owner: f.text({ required: true, default: ({ identity }) => identity?.subject, access: { write: () => false } }),
        day: f.date({ default: ({ now }) => now.slice(0, 10) }),
        moment: f.datetime({ default: ({ now }) => now }),
        status: f.status({ default: ({ identity }) => (identity?.roles.includes('editor') ? 'published' : 'draft') }),
        rank: f.integer({ min: 1, default: () => 1 }),
        labels: f.select({ options: ['a', 'b'], many: true, default: () => ['b'] }),
        parts: f.list(f.group({ text: f.text(), by: f.text({ default: ({ principal }) => String(principal?.id) }) })),
      },
      access: { create: () => true },
    }),
    probes: defineCollection({
      fields: {
        title: f.text(),
        text: f.text({ maxLength: 5, default: () => makeDefault() as string }),
        json: f.json({ default: () => makeDefault() as string }),
      },
    }),
  },
})

describe.each(POLICY_STORES)('a default that a function makes, on $name', (store) => {
  let service: StoredService
  let log: RecordingLog
  beforeEach(async () => {
    log = new RecordingLog()
    makeDefault = () => undefined
    service = await store.open(config, { log })
  })
  afterEach(() => service.close())

  async function post(name: string, path: string, data: object) {
    const headers = { 'Content-Type': 'application/json', ...(name ? { Authorization: `Bearer ${name}` } : {}) }
    const response = await service.request(path, { method: 'POST', headers, body: JSON.stringify(data) })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('receives the caller and the time, and yields to a sent value', async () => {
    const { body } = await post('ann', '/api/posts', { parts: [{ text: 'x' }], rank: 7 })
    expect(body).toMatchObject({
      title: 'By ann',
      owner: 'ann',
      day: String(body.moment).slice(0, 10),
      status: 'published',
      rank: 7,
      labels: ['b'],
      parts: [{ text: 'x', by: 'ann' }],
    })
    expect(String(body.moment) <= String(body.createdAt)).toBe(true)
    expect((await post('bob', '/api/posts', {})).body).toMatchObject({ owner: 'bob', status: 'draft' })
  })

  test('receives no identity without a session; if it leaves a required field empty, the create is rejected', async () => {
    const { status } = await post('', '/api/posts', {})
    expect(status).toBe(400)
    expect((await post('', '/api/posts', { title: 'A', owner: 'me' })).status).toBe(403)
  })

  test('applies to new items of a list in an update, and not to fields that the update leaves out', async () => {
    const { body } = await post('ann', '/api/posts', { title: 'A' })
    const caller = people.caller('bob')
    const changed = await service.content.as(caller).update('posts', String(body.id), { parts: [{ text: 'y' }] })
    expect(changed).toMatchObject({ title: 'A', owner: 'ann', parts: [{ text: 'y', by: 'bob' }] })
  })

  const BROKEN: readonly (readonly [string, () => unknown, RegExp])[] = [
    [
      'throws',
      () => {
        throw new Error('secret reason')
      },
      /secret reason/,
    ],
    ['gives what the field does not take', () => 'longer than five', /at most 5 characters/],
    ['gives another type', () => 5, /must be a string/],
    ['gives a promise', () => Promise.reject(new Error('late')), /at once/],
    ['gives what no JSON can hold', () => Number.NaN, /NaN/],
    ['gives a function', () => () => 'x', /JSON cannot represent/],
    ['gives what no store can hold', () => '\u0000', /character|NUL/i],
  ]
  test.each(BROKEN)('that %s is an error of the config: 500, logged, nothing stored', async (_name, make, reason) => {
    makeDefault = make
    const { status, body } = await post('ann', '/api/probes', { title: 'A', json: 1 })
    expect([status, body.code, body.details]).toEqual([500, 'INTERNAL_ERROR', {}])
    expect(JSON.stringify(body)).not.toMatch(reason)
    const lines = log.take().join()
    expect(lines).toContain('collections.probes.fields.text.default')
    expect(lines).toMatch(reason)
    expect(await service.rows('SELECT id FROM probes')).toEqual([])
    expect(await service.rows('SELECT seq FROM daybook$journal')).toEqual([])
  })

  test('is documented as made by the service', async () => {
    const headers = { Authorization: 'Bearer ann' }
    const model = (await (await service.request('/api/cms/model', { headers })).json()) as {
      collections: { fields: Record<string, unknown>[] }[]
    }
    const owner = model.collections[0]?.fields.find(({ key }) => key === 'owner')
    expect(owner).toMatchObject({ required: true, defaultBy: 'service' })
    expect(owner).not.toHaveProperty('default')
    const openapi = await (await service.request('/openapi.json', { headers })).text()
    expect(openapi).toContain('Made by the service for a new document that does not name it.')
  })
})
