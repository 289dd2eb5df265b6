import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { type WebhookEndpoint, webhooks } from 'daybook/plugins'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HookReceiver } from '../../support/network/hook-receiver.ts'
import { create, update } from '../../support/stores/place.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'
import { eventually } from '../../support/timeouts.ts'

const FIRST = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const SECOND = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const CANARY = 'canary-7c1'

const collections = {
  authors: defineCollection({ fields: { name: f.text(), isStaff: f.boolean() } }),
  posts: defineCollection({
    fields: {
      title: f.text({ required: true }),
      slug: f.slug({ from: 'title' }),
      status: f.status(),
      category: f.text(),
      tags: f.list(f.text()),
      author: f.relation('authors'),
      notes: f.text({ access: { read: ({ identity }) => identity !== null } }),
    },
  }),
  internal: defineCollection({
    fields: { text: f.text(), isOpen: f.boolean() },
    access: { read: ({ identity }) => identity !== null || { isOpen: { eq: true } } },
  }),
}
const globals = { site: defineGlobal({ fields: { name: f.text() } }) }

describe.each(POLICY_STORES)('webhooks on $name', (store) => {
  let receiver: HookReceiver
  let service: StoredService

  beforeEach(async () => {
    receiver = await HookReceiver.open()
  })
  afterEach(async () => {
    await service.close()
    await receiver[Symbol.asyncDispose]()
  })

  const open = async (endpoint: Partial<WebhookEndpoint> = {}): Promise<void> => {
    const site = { url: receiver.url, secrets: [FIRST], allowPrivate: true, ...endpoint }
    service = await store.open(
      defineConfig({ collections, globals, plugins: [webhooks({ endpoints: { site } })] }) as never,
    )
  }
  const bodies = () => receiver.received.map(({ message }) => message)

  test('report each change of a document as a reader without a session sees it', async () => {
    await open()
    const { id } = await create(service, 'posts', { title: 'One', notes: CANARY })
    await update(service, 'posts', id, { title: 'Two' })
    await service.content.delete('posts' as never, id)
    await service.content.writeGlobal('site' as never, { name: 'N' } as never)
    await eventually(() => expect(receiver.received).toHaveLength(4))
    const address = { collection: 'posts', id, slug: 'one' }
    const entry = {
      id,
      slug: 'one',
      status: 'published',
      category: null,
      tags: [],
      author: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    }
    const sorted = bodies().toSorted((a, b) => a.data.seq - b.data.seq)
    expect(sorted).toEqual([
      {
        type: 'posts.created',
        timestamp: entry.createdAt,
        data: { action: 'create', ...address, seq: 1, entry: { ...entry, title: 'One' } },
      },
      {
        type: 'posts.updated',
        timestamp: expect.any(String),
        data: { action: 'update', ...address, seq: 2, entry: { ...entry, title: 'Two' } },
      },
      {
        type: 'posts.deleted',
        timestamp: expect.any(String),
        data: { action: 'delete', ...address, seq: 3, entry: null },
      },
      {
        type: 'globals.site.updated',
        timestamp: expect.any(String),
        data: { action: 'update', global: 'site', seq: 4, entry: { key: 'site', name: 'N' } },
      },
    ])
    expect(JSON.stringify(receiver.received)).not.toContain(CANARY)
  })

  test('report publications, and reveal nothing of drafts', async () => {
    await open()
    const { id } = await create(service, 'posts', { title: 'One' })
    const { content } = service
    await content.saveDraft('posts' as never, id, { title: CANARY } as never)
    await content.saveDraft('posts' as never, id, { title: 'Two' } as never)
    await content.publish('posts' as never, id)
    await content.unpublish('posts' as never, id)
    await eventually(() => expect(receiver.received).toHaveLength(3))
    expect(receiver.types).toEqual(['posts.created', 'posts.published', 'posts.deleted'])
    expect(bodies()[1]?.data.entry).toMatchObject({ title: 'Two' })
    expect(JSON.stringify(receiver.received)).not.toContain(CANARY)
  })

  test('report a failed schedule to an endpoint with system rights', async () => {
    await open({ as: 'system', actions: ['scheduleFailed'] })
    const { id } = await create(service, 'posts', { title: 'One', slug: 'one', status: 'draft' })
    await service.content.saveDraft('posts' as never, id, { slug: 'taken' } as never)
    const at = new Date(Date.now() + 500).toISOString()
    await service.content.publish('posts' as never, id, { at })
    await create(service, 'posts', { title: 'Other', slug: 'taken' })
    await eventually(() => expect(receiver.types).toEqual(['posts.scheduleFailed']))
    expect(bodies()[0]?.data).toMatchObject({ action: 'scheduleFailed', collection: 'posts', id })
  })

  test('reveal nothing of unpublished entries, and report an unpublished entry as deleted', async () => {
    await open()
    const { id } = await create(service, 'posts', { title: CANARY, slug: 'one', status: 'draft' })
    await update(service, 'posts', id, { category: CANARY })
    await update(service, 'posts', id, { title: 'Open', category: 'a', status: 'published' })
    await update(service, 'posts', id, { category: CANARY, status: 'archived' })
    await update(service, 'posts', id, { category: `${CANARY} 2` })
    const hidden = await create(service, 'internal', { text: CANARY, isOpen: false })
    await update(service, 'internal', hidden.id, { text: 'for all', isOpen: true })
    await eventually(() => expect(receiver.received).toHaveLength(3))
    expect([...receiver.types].sort()).toEqual(['internal.created', 'posts.created', 'posts.deleted'])
    expect(JSON.stringify(receiver.received)).not.toContain(CANARY)
  })

  test('include drafts, hidden fields and actors with system rights', async () => {
    await open({ as: 'system' })
    await create(service, 'posts', { title: 'Draft', status: 'draft', notes: 'for editors' })
    await eventually(() =>
      expect(bodies()).toMatchObject([
        { type: 'posts.created', data: { actor: 'system', entry: { status: 'draft', notes: 'for editors' } } },
      ]),
    )
  })

  test('are sent only for the selected collections, actions and entries, with the selected fields', async () => {
    await open({
      collections: { posts: { where: { category: { eq: 'news' } }, select: ['title', 'category'] } },
      actions: ['create', 'delete'],
    })
    await create(service, 'authors', { name: 'Ines' })
    const other = await create(service, 'posts', { title: 'Other', category: 'sport' })
    const news = await create(service, 'posts', { title: 'News', category: 'news' })
    await update(service, 'posts', news.id, { title: 'Newer' })
    await update(service, 'posts', news.id, { category: 'sport' })
    await update(service, 'posts', other.id, { category: 'news' })
    await eventually(() => expect(receiver.received).toHaveLength(3))
    expect(bodies().toSorted((a, b) => a.data.seq - b.data.seq)).toMatchObject([
      { type: 'posts.created', data: { id: news.id, entry: { title: 'News', category: 'news' } } },
      { type: 'posts.deleted', data: { id: news.id, entry: null } },
      { type: 'posts.created', data: { id: other.id, entry: { title: 'Other', category: 'news' } } },
    ])
    expect(Object.keys(bodies()[0]?.data.entry ?? {}).sort()).toEqual(['category', 'title'])
  })

  test.each([
    ['a list', { tags: { in: ['b', 'c'] } }, { tags: ['a', 'b'] }, { tags: ['a'] }],
    ['all of a list', { tags: { all: ['a', 'b'] } }, { tags: ['b', 'a'] }, { tags: ['a'] }],
    ['a related entry', { 'author.isStaff': { eq: true } }, { author: 'staff' }, { author: 'guest' }],
    ['an order', { category: { gte: 'b', lt: 'd' } }, { category: 'c' }, { category: 'd' }],
    ['a beginning', { category: { startsWith: 'ne' } }, { category: 'news' }, { category: 'old news' }],
    ['a missing value', { category: { exists: false } }, {}, { category: 'x' }],
    [
      'or, not',
      { or: [{ title: { eq: 'x' } }, { not: { category: { in: ['a'] } } }] },
      { category: 'b' },
      { category: 'a' },
    ],
  ])('filter by %s like a list', async (_case, where, matchingData, otherData) => {
    await open({ collections: { posts: { where } } })
    const staff = await create(service, 'authors', { name: 'S', isStaff: true })
    const guest = await create(service, 'authors', { name: 'G', isStaff: false })
    const authorIds: Readonly<Record<string, string>> = { staff: staff.id, guest: guest.id }
    const withIds = (data: object) =>
      Object.fromEntries(Object.entries(data).map(([key, value]) => [key, authorIds[String(value)] ?? value]))
    await create(service, 'posts', { title: 'Other', ...withIds(otherData) })
    const matching = await create(service, 'posts', { title: 'Matching', ...withIds(matchingData) })
    const listed = await service.content.list('posts' as never, { where } as never)
    expect((listed.items as readonly { id: string }[]).map(({ id }) => id)).toEqual([matching.id])
    await eventually(() => expect(receiver.received).toHaveLength(1))
    expect(receiver.received[0]?.message.data.id).toBe(matching.id)
  })

  test('contain the state after each change, even if it has changed again', async () => {
    receiver.respond = (_hook, response) => setTimeout(() => response.end(), 20)
    await open({ collections: { posts: { select: ['title'] } } })
    const { id } = await create(service, 'posts', { title: '0' })
    for (const title of ['1', '2', '3']) await update(service, 'posts', id, { title })
    await eventually(() => expect(receiver.received).toHaveLength(4))
    expect(bodies().map(({ data }) => data.entry)).toEqual(['0', '1', '2', '3'].map((title) => ({ title })))
  })

  test('are signed with each secret, so that one can be replaced', async () => {
    await open({ secrets: [FIRST, SECOND], headers: { Authorization: 'Bearer abc', 'X-Site': 'blog' } })
    await create(service, 'posts', { title: 'Ünïcode 🎉' })
    await eventually(() => expect(receiver.received).toHaveLength(1))
    const { body, headers } = receiver.received[0] ?? { body: '', headers: {} }
    for (const secret of [FIRST, SECOND])
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'posts.created' })
    expect(headers).toMatchObject({
      authorization: 'Bearer abc',
      'x-site': 'blog',
      'content-type': 'application/json',
      'webhook-id': 'site_1',
    })
    const third = new Webhook(`whsec_${Buffer.alloc(32, 3).toString('base64')}`)
    expect(() => third.verify(body, headers)).toThrow('No matching signature')
    expect(() => new Webhook(FIRST).verify(body.replace('posts', 'pages'), headers)).toThrow('No matching signature')
    const late = { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 301) }
    expect(() => new Webhook(FIRST).verify(body, late)).toThrow('too old')
  })

  test('are not sent for rejected or rolled back writes', async () => {
    await open()
    const operations = [
      { op: 'create', collection: 'posts', data: { title: 'in vain' } },
      { op: 'create', collection: 'posts', data: {} },
    ]
    await expect(service.content.batch(operations as never)).rejects.toThrow()
    await create(service, 'posts', { title: 'Stored' })
    await eventually(() => expect(receiver.received).toHaveLength(1))
    expect(receiver.received[0]?.body).toContain('Stored')
  })
})
