import { defineCollection, defineConfig, f, hasRole } from 'daybook'
import { type WebhooksOptions, webhooks } from 'daybook/plugins'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { HookReceiver } from '../../support/network/hook-receiver.ts'
import { RecordingLog } from '../../support/recording-log.ts'
import { create, update } from '../../support/stores/place.ts'
import { STORES, type StoredService } from '../../support/stores/stores.ts'
import { eventually } from '../../support/timeouts.ts'

const SECRET = `whsec_${Buffer.from('canary of a secret, 32 bytes it is').toString('base64')}`
const people = new People({ ann: ['editor'], cleo: [] })
const QUICK = { firstMs: 1, maxMs: 5 } as const

describe.each(STORES)('deliveries of webhooks on $name', (store) => {
  let receiver: HookReceiver
  let service: StoredService
  let log: RecordingLog

  beforeEach(async () => {
    receiver = await HookReceiver.open()
    log = new RecordingLog()
  })
  afterEach(async () => {
    await service.close()
    await receiver[Symbol.asyncDispose]()
  })

  const open = async (options: Partial<WebhooksOptions> = {}): Promise<void> => {
    const headers = { Authorization: 'Bearer canary-of-a-header' }
    const site = { url: `${receiver.url}?canary=address`, secrets: [SECRET], headers, allowPrivate: true }
    const plugin = webhooks({ endpoints: { site }, retries: QUICK, ...options })
    const collections = { posts: defineCollection({ fields: { title: f.text() } }) }
    service = await store.open(defineConfig({ collections, auth: people.adapter, plugins: [plugin] }) as never, { log })
  }

  const send = async (path: string, { as = service.token, body }: { as?: string; body?: object } = {}) => {
    const headers = { authorization: `Bearer ${as}`, ...(body ? { 'content-type': 'application/json' } : {}) }
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    const response = await service.fetch(new Request(`http://localhost/api/cms/webhooks${path}`, init))
    const text = await response.text()
    return { status: response.status, text, json: text === '' ? undefined : JSON.parse(text) }
  }

  test('are listed with their failures, and sent again on request', async () => {
    await open({ retries: { ...QUICK, forMs: 1 } })
    receiver.respond = (_hook, response) => response.writeHead(500, 'canary').end('canary of a response')
    const { id } = await create(service, 'posts', { title: 'One' })
    await eventually(async () => expect((await send('/site/deliveries')).json.items).toHaveLength(1))
    const listed = await send('/site/deliveries')
    expect(listed.json.items).toEqual([
      {
        seq: 1,
        action: 'create',
        collection: 'posts',
        id,
        attempts: expect.any(Number),
        failedAt: expect.any(String),
        dueAt: null,
        reason: 'The receiver responded with 500.',
      },
    ])
    const status = { name: 'site', origin: new URL(receiver.url).origin, seq: 1, head: 1, pending: 0, parked: 1 }
    // The position is stored after the parked delivery.
    await eventually(async () => expect((await send('')).json).toEqual({ items: [status] }))
    receiver.respond = (_hook, response) => response.end()
    const before = receiver.received.length
    expect(await send('/site/replay', { body: { parked: true } })).toMatchObject({ status: 202, text: '' })
    await eventually(() => expect(receiver.received).toHaveLength(before + 1))
    await eventually(async () => expect((await send('')).json.items).toEqual([{ ...status, parked: 0 }]))
    // The message is the same each time it is sent.
    expect(new Set(receiver.received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1)
    const lines = log.take()
    // The stack of such an error is useless, so the log has one line for it.
    const failures = lines.filter((line) => line.includes('could not be delivered'))
    expect(failures[0]).toContain("reason: 'The receiver responded with 500.'")
    expect(failures.filter((line) => /^\s+at /m.test(line))).toEqual([])
    const output = JSON.stringify([listed.text, (await send('')).text, lines, service.model.plugins])
    expect(output).not.toContain('canary')
    expect(output).not.toContain(SECRET.slice(6))
  })

  test('are retried at once when the receiver accepts one, in order for each document', async () => {
    await open({ retries: { firstMs: 2_000_000_000, maxMs: 2_000_000_000 } })
    receiver.respond = (_hook, response) => response.writeHead(503).end()
    const { id } = await create(service, 'posts', { title: 'a1' })
    await create(service, 'posts', { title: 'b1' })
    await eventually(async () => expect((await send('')).json.items).toMatchObject([{ pending: 2 }]))
    await update(service, 'posts', id, { title: 'a2' })
    await eventually(async () => expect((await send('')).json.items).toMatchObject([{ pending: 3 }]))
    const failed = receiver.received.length
    receiver.respond = (_hook, response) => response.end()
    await create(service, 'posts', { title: 'c1' })
    const titles = () =>
      receiver.received.slice(failed).map(({ message }) => (message.data.entry as { title: string }).title)
    await eventually(() => expect(new Set(titles())).toEqual(new Set(['a1', 'a2', 'b1', 'c1'])))
    expect(titles().filter((title) => title.startsWith('a'))).toEqual(['a1', 'a2'])
    await eventually(async () => expect((await send('')).json.items).toMatchObject([{ pending: 0 }]))
  })

  test('that a receiver keeps rejecting are not retried after each success of others', async () => {
    await open({ retries: { firstMs: 2_000_000_000, maxMs: 2_000_000_000 } })
    receiver.respond = ({ message }, response) => response.writeHead(message.data.seq === 1 ? 400 : 200).end()
    await create(service, 'posts', { title: '1' })
    await eventually(async () => expect((await send('')).json.items).toMatchObject([{ pending: 1 }]))
    for (let count = 2; count <= 6; count += 1) await create(service, 'posts', { title: `${count}` })
    const attempts = (seq: number) => receiver.received.filter(({ message }) => message.data.seq === seq).length
    await eventually(() => expect([2, 3, 4, 5, 6].map(attempts)).toEqual([1, 1, 1, 1, 1]))
    await eventually(async () =>
      expect((await send('/site/deliveries?state=pending')).json.items).toMatchObject([{ attempts: 2 }]),
    )
    expect(attempts(1)).toBe(2)
  })

  test('are replayed from any change on, in order for each document', async () => {
    await open()
    const { id } = await create(service, 'posts', { title: '1' })
    for (const title of ['2', '3']) await update(service, 'posts', id, { title })
    await eventually(() => expect(receiver.seqs).toEqual([1, 2, 3]))
    await eventually(async () => expect((await send('')).json.items[0].seq).toBe(3))
    await send('/site/replay', { body: { from: 2 } })
    await eventually(() => expect(receiver.seqs).toEqual([1, 2, 3, 2, 3]))
    await send('/site/replay', { body: { seq: 1 } })
    await eventually(() => expect(receiver.seqs).toEqual([1, 2, 3, 2, 3, 1]))
  })

  test.each([
    [
      'responds with 500',
      (receiver: HookReceiver) => (receiver.respond = (_hook, response) => response.writeHead(500).end()),
    ],
    ['never responds', (receiver: HookReceiver) => (receiver.respond = () => {})],
    ['breaks off', (receiver: HookReceiver) => (receiver.respond = (_hook, response) => response.destroy())],
  ])('of a receiver that %s are stored without delaying writes, and all arrive later', async (_case, fail) => {
    await open({ timeoutMs: 100, retries: { firstMs: 20, maxMs: 40 } })
    const respond = receiver.respond
    fail(receiver)
    for (let index = 0; index < 20; index += 1) await create(service, 'posts', { title: `${index}` })
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(0))
    receiver.respond = respond
    const seqs = Array.from({ length: 20 }, (_, index) => index + 1)
    await eventually(() => expect([...new Set(receiver.seqs)].toSorted((a, b) => a - b)).toEqual(seqs))
    await eventually(async () =>
      expect((await send('')).json.items[0]).toMatchObject({ seq: 20, pending: 0, parked: 0 }),
    )
  })

  test('are visible to service principals, unless the config grants access to others', async () => {
    await open()
    const paths = ['', '/site/deliveries']
    for (const path of paths) {
      expect((await send(path, { as: 'nobody' })).status).toBe(401)
      expect((await send(path, { as: 'ann' })).status).toBe(403)
      expect((await send(path)).status).toBe(200)
    }
    expect((await send('/site/replay', { as: 'ann', body: { seq: 1 } })).status).toBe(403)
    await service.close()
    await open({ access: hasRole('editor') as WebhooksOptions['access'] & object })
    expect((await send('', { as: 'ann' })).status).toBe(200)
    expect((await send('', { as: 'cleo' })).status).toBe(403)
  })

  test('of an unknown endpoint and invalid replays are rejected', async () => {
    await open()
    expect(await send('/other/deliveries')).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } })
    expect((await send('/other/replay', { body: { seq: 1 } })).status).toBe(404)
    for (const body of [{}, { seq: 0 }, { seq: 1.5 }, { to: 3 }, { seq: 1, from: 1 }, { parked: false }, { seq: '1' }])
      expect(await send('/site/replay', { body }), JSON.stringify(body)).toMatchObject({ status: 400 })
    expect((await send('/site/deliveries?state=lost')).status).toBe(400)
    expect((await send('/site/deliveries?limit=501')).status).toBe(400)
  })
})
