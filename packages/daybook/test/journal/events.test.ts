import { connect } from 'node:net'
import { defineCollection, defineConfig, f, isAuthenticated } from 'daybook'
import { describe, expect, test } from 'vitest'
import { People } from '../support/auth/people.ts'
import { EventReader, type ServerEvent } from '../support/network/event-reader.ts'
import { listen } from '../support/network/listening.ts'
import { create, update } from '../support/stores/place.ts'
import { STORES, type StoredService } from '../support/stores/stores.ts'
import { eventually, LARGE_TEST_MS } from '../support/timeouts.ts'

const people = new People({ cleo: [], ann: ['editor'] })
const config = defineConfig({
  auth: people.adapter,
  limits: { heartbeatMs: 100, listeners: 3 },
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        status: f.status(),
        text: f.text({ search: false, index: false, maxLength: 1_000_000 }),
        secret: f.text({ access: { read: isAuthenticated } }),
      },
    }),
    /** Without a session, only letters of open clubs are visible. */
    letters: defineCollection({
      access: { read: (caller) => isAuthenticated(caller) || { 'club.open': { eq: true } } },
      fields: { club: f.relation('clubs') },
    }),
    clubs: defineCollection({ fields: { open: f.boolean() } }),
    members: defineCollection({
      access: { read: ({ identity }) => identity?.roles.includes('editor') === true },
      fields: { name: f.text() },
    }),
  },
})

interface RequestOptions {
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

const request = (service: StoredService, { query = '', headers = {} }: RequestOptions = {}): Promise<Response> =>
  service.request(`/api/cms/events?${query}`, { headers })

/** Opens a stream, and waits until it has begun. */
async function open(service: StoredService, options?: RequestOptions): Promise<EventReader> {
  const response = await request(service, options)
  expect(response.status).toBe(200)
  const reader = new EventReader(response)
  await reader.begun()
  return reader
}

const getItem = (event: ServerEvent | undefined) =>
  (event?.data ?? {}) as { readonly id?: string; readonly restart?: string; readonly data?: { readonly title: string } }

const as = (name: string): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${name}` })
const remove = (service: StoredService, path: string) =>
  service.request(path, { method: 'DELETE', headers: as(service.token) })

describe.each(STORES)('GET /api/cms/events on $name', (store) => {
  test('sends later changes in the form of the changes feed', async () => {
    await using service = await store.open(config)
    await create(service, 'posts', { title: 'Before' })
    await using reader = await open(service)
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream')
    expect(reader.response.headers.get('cache-control')).toBe('private, no-store')
    expect(reader.response.headers.get('x-accel-buffering')).toBe('no')
    expect(reader.retry).toBeGreaterThanOrEqual(500)
    const { id } = await create(service, 'posts', { title: 'Now' })
    const data = await (await service.request(`/api/posts/${id}`)).json()
    expect(await reader.next()).toEqual({ event: 'upsert', data: { action: 'upsert', collection: 'posts', id, data } })
    await remove(service, `/api/posts/${id}`)
    expect(await reader.next()).toEqual({ event: 'delete', data: { action: 'delete', collection: 'posts', id } })
  })

  test('continues after the last received event without a gap', async () => {
    await using service = await store.open(config)
    const first = await open(service)
    await create(service, 'posts', { title: 'One' })
    await first.next()
    await first[Symbol.asyncDispose]()
    const missed = await create(service, 'posts', { title: 'Two' })
    await using second = await open(service, { headers: { 'Last-Event-ID': String(first.id) } })
    expect(await second.next()).toMatchObject({ event: 'upsert', data: { id: missed.id } })
    const { id } = await create(service, 'posts', { title: 'Three' })
    expect(await second.next()).toMatchObject({ event: 'upsert', data: { id } })
    await using third = await open(service, { query: `since=${first.id}` })
    expect((await third.take(2)).map((event) => getItem(event).id)).toEqual([missed.id, id])
  })

  test('sends no drafts and no hidden fields to a reader without a session', async () => {
    await using service = await store.open(config)
    await using anyone = await open(service)
    await using cleo = await open(service, { headers: as('cleo') })
    const draft = await create(service, 'posts', { title: 'Draft', status: 'draft', secret: 'hush' })
    const shown = await create(service, 'posts', { title: 'Shown', secret: 'hush' })
    expect(await cleo.take(2)).toMatchObject([{ data: { id: draft.id } }, { data: { id: shown.id } }])
    expect(await anyone.next()).toMatchObject({ data: { id: shown.id } })
    await update(service, 'posts', shown.id, { status: 'archived' })
    expect(await anyone.next()).toMatchObject({ event: 'delete', data: { id: shown.id } })
    expect(anyone.lines.join()).not.toMatch(/hush|Draft/)
  })

  test('ends when the session ends or loses its rights', async () => {
    await using service = await store.open(config)
    people.promote('dora', 'editor')
    await using reader = await open(service, { headers: as('dora') })
    const { id } = await create(service, 'members', { name: 'Mia' })
    expect(await reader.next()).toMatchObject({ data: { id } })
    people.promote('dora')
    expect(await reader.next()).toBeUndefined()
    await using again = new EventReader(
      await request(service, { headers: { ...as('dora'), 'Last-Event-ID': String(reader.id) } }),
    )
    expect(await again.next()).toEqual({ event: 'reset', data: { restart: expect.any(String) } })
  })

  test('resets when a rule may apply differently to entries that have not changed', async () => {
    await using service = await store.open(config)
    const { id: club } = await create(service, 'clubs', { open: false })
    await create(service, 'letters', { club })
    await using reader = await open(service, { query: 'collections=letters' })
    await using everyone = await open(service, { headers: as('ann'), query: 'collections=letters' })
    await update(service, 'clubs', club, { open: true })
    expect(await reader.next()).toEqual({ event: 'reset', data: { restart: expect.any(String) } })
    expect(await reader.next()).toBeUndefined()
    const { id } = await create(service, 'letters', {})
    expect(await everyone.next()).toMatchObject({ event: 'upsert', data: { id } })
  })

  test('escapes line breaks in content, so that they cannot forge fields of the stream', async () => {
    await using service = await store.open(config)
    await using reader = await open(service)
    const title = 'a\r\nevent: forged\ndata: {}\n\nid: 7\u2028\u0085'
    await create(service, 'posts', { title })
    const event = await reader.next()
    expect([event?.event, getItem(event).data?.title]).toEqual(['upsert', title])
    expect(reader.lines.filter((line) => /^(?:event: forged|id: 7\u2028)/.test(line))).toEqual([])
  })

  test.each([
    ['an invalid id', { headers: { 'Last-Event-ID': 'junk' } }, 'Last-Event-ID'],
    ['an unreadable collection', { query: 'collections=members' }, 'collections'],
    ['an unknown parameter', { query: 'limit=1' }, 'limit'],
  ])('rejects %s before the stream begins', async (_case, options, path) => {
    await using service = await store.open(config)
    const response = await request(service, options)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ details: { issues: [{ path }] } })
  })

  test('responds to an id older than the journal with a token to restart with', async () => {
    await using service = await store.open(config)
    const first = await open(service)
    await first[Symbol.asyncDispose]()
    const { id } = await create(service, 'posts', { title: 'One' })
    await service.rows("INSERT INTO daybook$meta (key, value) VALUES ('journal floor', '1') RETURNING key")
    const reader = new EventReader(await request(service, { headers: { 'Last-Event-ID': String(first.id) } }))
    const reset = await reader.next()
    expect(reset).toEqual({ event: 'reset', data: { restart: expect.any(String) } })
    expect(await reader.next()).toBeUndefined()
    const { restart } = getItem(reset)
    await using again = await open(service, { query: `since=${restart}` })
    expect(await again.next()).toMatchObject({ event: 'upsert', data: { id } })
  })

  test('sends heartbeats and its position when nothing happens', async () => {
    await using service = await store.open(config)
    await using reader = await open(service, { query: 'collections=posts' })
    const begun = reader.id
    await eventually(async () => {
      const next = reader.next()
      await create(service, 'posts', { title: 'Draft', status: 'draft' })
      await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 300))])
      expect(reader.lines).toContain(':')
      expect(reader.id).not.toBe(begun)
    })
  })

  test('limits the number of listeners', async () => {
    await using service = await store.open(config)
    const readers = [await open(service), await open(service), await open(service)]
    const refused = await request(service)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    await readers[0]?.[Symbol.asyncDispose]()
    await using again = await open(service)
    expect(again.id).toBeDefined()
    for (const reader of readers) await reader[Symbol.asyncDispose]()
  })

  test('ends at once when the service drains, and rejects new listeners', async () => {
    await using service = await store.open(config)
    await using reader = await open(service)
    service.drain()
    expect(await reader.next()).toBeUndefined()
    expect((await request(service)).status).toBe(503)
  })

  test('responds to HEAD without taking the place of a listener', async () => {
    await using service = await store.open(config)
    for (let count = 0; count < 5; count += 1) {
      const response = await service.request('/api/cms/events', { method: 'HEAD' })
      expect([response.status, response.body]).toEqual([200, null])
    }
  })

  test('sends the writes of other nodes', async () => {
    await using place = await store.at()
    const writer = await place.open(config as never)
    const sender = await place.open(config as never)
    await using reader = new EventReader(await sender.fetch(new Request('http://daybook.test/api/cms/events')))
    await reader.begun()
    const { id } = await create(writer, 'posts', { title: 'Far away' })
    expect(await reader.next()).toMatchObject({ data: { id } })
    await reader[Symbol.asyncDispose]()
    await sender.close()
    await writer.close()
  })
})

describe('live events over a socket', () => {
  test('arrive in the order of the changes', async () => {
    await using listening = await listen(config)
    const response = await fetch(`${listening.url}/api/cms/events`)
    await using reader = new EventReader(response)
    await reader.begun()
    for (let count = 0; count < 20; count += 1) await create(listening.service, 'posts', { title: `${count}` })
    const titles: unknown[] = []
    while (titles.length < 20) titles.push(getItem(await reader.next()).data?.title)
    expect(titles).toEqual(Array.from({ length: 20 }, (_, at) => `${at}`))
  })

  test('are cut off for a client that does not read, and continue for others', { timeout: LARGE_TEST_MS }, async () => {
    await using listening = await listen(config)
    const { port, hostname } = new URL(listening.url)
    const stuck = connect(Number(port), hostname)
    stuck.write('GET /api/cms/events HTTP/1.1\r\nHost: x\r\n\r\n')
    stuck.pause()
    await using reader = new EventReader(await fetch(`${listening.url}/api/cms/events`))
    await reader.begun()
    const closed = new Promise((resolve) => stuck.once('close', resolve))
    const text = 'x'.repeat(500_000)
    const seen: unknown[] = []
    for (let count = 0; count < 40; count += 1) {
      await create(listening.service, 'posts', { title: `${count}`, text })
      seen.push(await reader.next())
    }
    expect(seen).not.toContain(undefined)
    // Bytes sent before the cut are still in the buffers of the system.
    stuck.resume()
    stuck.on('error', () => {})
    await closed
  })
})
