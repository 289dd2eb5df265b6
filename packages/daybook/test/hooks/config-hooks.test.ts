import {
  type DaybookConfig,
  DaybookError,
  defineCollection,
  defineConfig,
  defineGlobal,
  definePlugin,
  f,
} from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { KeptLog } from '../support/kept-log.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'
import { createSender, people, type SentResponse } from './probed-config.ts'

/** What the hooks of a test do; a test replaces them. */
const probes: { validate?: (event: never) => unknown; change?: (event: never) => unknown } = {}

const marks = definePlugin({
  name: 'marks',
  version: '1.0.0',
  hooks: { collections: { posts: { beforeChange: ({ after }) => ({ trail: `${after?.trail}, plugin` }) } } },
})

/** A collection and a global with hooks of their own, and a plugin with hooks of the same collection. */
const hooked: DaybookConfig = defineConfig({
  auth: people.adapter,
  limits: { pluginMs: 1500 },
  collections: {
    posts: defineCollection({
      fields: { title: f.text({ required: true }), trail: f.text() },
      hooks: {
        beforeValidate: (event) => probes.validate?.(event as never) as never,
        beforeChange: (event) => (probes.change ? probes.change(event as never) : { trail: 'config' }) as never,
      },
    }),
    log: defineCollection({ fields: { text: f.text() }, access: { create: () => false } }),
  },
  globals: {
    site: defineGlobal({
      fields: { name: f.text({ required: true }) },
      hooks: { beforeChange: ({ after }) => ({ name: `${after.name}!` }) },
    }),
  },
  plugins: [marks],
})

describe.each(POLICY_STORES)('hooks in the config on $name', (store) => {
  let service: StoredService
  let log: KeptLog
  let send: ReturnType<typeof createSender>

  beforeEach(async () => {
    log = new KeptLog()
    service = await store.open(hooked, { log })
    send = createSender(service)
  })
  afterEach(async () => {
    for (const key of Object.keys(probes)) delete probes[key as keyof typeof probes]
    await service.close()
  })

  const make = (title = 'A'): Promise<SentResponse> => send('ann', 'POST', '/api/posts', { title })
  const posts = async (): Promise<unknown> => (await send('', 'GET', '/api/posts')).body.items

  test('run before those of plugins, in collections and globals', async () => {
    expect(await make()).toMatchObject({ status: 201, body: { trail: 'config, plugin' } })
    expect(await send('ann', 'PUT', '/api/globals/site', { name: 'Blog' })).toMatchObject({ body: { name: 'Blog!' } })
  })

  test('may go beyond the rights of the caller, as the journal says', async () => {
    probes.change = async ({ asSystem, content }: { asSystem: (why: object) => never; content: never }) => {
      const own = content as { create(collection: string, data: object): Promise<unknown> }
      await expect(own.create('log', { text: 'x' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
      const system: typeof own = asSystem({ reason: 'keeps a log' })
      await system.create('log', { text: 'x' })
    }
    expect((await make()).status).toBe(201)
    const actors = await service.rows('SELECT actor, collection FROM daybook$journal ORDER BY seq')
    expect(actors).toEqual([
      { actor: 'config (keeps a log)', collection: 'log' },
      { actor: 'ann', collection: 'posts' },
    ])
  })

  test('that throw, hang, or answer nonsense fail their own write, and the log names the config', async () => {
    const faults: readonly [(event: never) => unknown, number, RegExp][] = [
      [() => Promise.reject(new Error('lost "hunter2"')), 500, /\(config\) failed.*hunter2/s],
      [() => new Promise(() => {}), 503, /\(config\) took longer than \d+ ms/],
      [() => 'yes', 500, /\(config\) must answer an object/],
      [() => ({ nope: 1 }), 500, /\(config\) answered nope/],
    ]
    for (const [fault, status, reason] of faults) {
      for (const kind of ['validate', 'change'] as const) {
        probes[kind] = fault
        const failed = await make()
        expect(failed.status).toBe(status)
        expect(JSON.stringify(failed.body)).not.toMatch(/hunter2|config/)
        expect(log.take().join('\n')).toMatch(reason)
        delete probes[kind]
      }
    }
    expect(await posts()).toEqual([])
    expect((await make()).status).toBe(201)
  })

  test('that write to what they were given change nothing', async () => {
    probes.validate = ({ data }: { data: object }) => void Object.assign(data, { title: 'changed' })
    probes.change = ({ after }: { after: object }) => void Object.assign(after, { title: 'changed' })
    expect(await make()).toMatchObject({ status: 201, body: { title: 'A' } })
  })

  test('that ask the service about the document, which waits for them, are refused at once', async () => {
    const { body: post } = await make()
    const again = { method: 'PUT', body: '{"title":"B"}' }
    const headers = { Authorization: 'Bearer ann', 'Content-Type': 'application/json' }
    probes.change = () => service.content.update('posts', post.id, { title: 'B' } as never)
    expect((await send('ann', 'PUT', `/api/posts/${post.id}`, { title: 'C' })).status).toBe(500)
    expect(log.take().join('\n')).toMatch(/would wait for that transaction/)
    probes.change = async () => {
      const answer = await service.request(`/api/posts/${post.id}`, { ...again, headers })
      if (answer.status !== 200) throw new DaybookError('CONFLICT', `inside: ${answer.status}`)
    }
    expect((await send('ann', 'PUT', `/api/posts/${post.id}`, { title: 'C' })).body.message).toBe('inside: 500')
    delete probes.change
    expect(await send('ann', 'PUT', `/api/posts/${post.id}`, { title: 'D' })).toMatchObject({ status: 200 })
  })

  test('are told of each change after its commit, and go on after a restart', async () => {
    const told: unknown[] = []
    const config = defineConfig({
      collections: {
        notes: defineCollection({
          fields: { text: f.text() },
          hooks: { afterCommit: ({ action, before, after }) => void told.push([action, before?.text, after?.text]) },
        }),
      },
    })
    await using place = await store.at()
    await place.serve(config, async (running) => {
      const { id } = await running.content.create('notes', { text: 'one' } as never)
      await running.content.update('notes', id, { text: 'two' } as never)
      await expect.poll(() => told.length).toBe(2)
    })
    await place.serve(config, async (running) => {
      await running.content.create('notes', { text: 'three' } as never)
      await expect.poll(() => told.length).toBe(3)
    })
    expect(told).toEqual([
      ['create', undefined, 'one'],
      ['update', 'one', 'two'],
      ['create', undefined, 'three'],
    ])
  })

  test('of a collection that a plugin brings are the plugin’s', async () => {
    const visits = definePlugin({
      name: 'visits',
      version: '1.0.0',
      collections: {
        visits: defineCollection({
          fields: { path: f.text() },
          validate: ({ path }) => (path === 'no' ? [{ path: '/path', message: 'is refused' }] : []),
          hooks: {
            beforeChange: ({ asSystem }) => void asSystem({ reason: 'x' }),
          },
        }),
      },
    })
    await using other = await store.open(
      { collections: { posts: { fields: { title: f.text() } } }, plugins: [visits] },
      { log },
    )
    const refused = other.content.create('visits', { path: '/' } as never)
    await expect(refused).rejects.toMatchObject({ code: 'INTERNAL_ERROR' })
    await expect(refused).rejects.toMatchObject({
      cause: { cause: { message: expect.stringContaining('The plugin "visits" calls asSystem') } },
    })
  })
})
