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
import { RecordingLog } from '../support/recording-log.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'
import { createSender, people, type SentResponse } from './probed-config.ts'

/** Hook implementations, replaced by each test. */
const probes: { validate?: (event: never) => unknown; change?: (event: never) => unknown } = {}

const trailPlugin = definePlugin({
  name: 'marks',
  version: '1.0.0',
  hooks: { collections: { posts: { beforeChange: ({ after }) => ({ trail: `${after?.trail}, plugin` }) } } },
})

/** A collection and a global with hooks, and a plugin with hooks for the same collection. */
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
  plugins: [trailPlugin],
})

describe.each(POLICY_STORES)('hooks in the config on $name', (store) => {
  let service: StoredService
  let log: RecordingLog
  let send: ReturnType<typeof createSender>

  beforeEach(async () => {
    log = new RecordingLog()
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

  test('may write as the system, which the journal records', async () => {
    probes.change = async ({ asSystem, content }: { asSystem: (why: object) => never; content: never }) => {
      const callerContent = content as { create(collection: string, data: object): Promise<unknown> }
      await expect(callerContent.create('log', { text: 'x' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
      const system: typeof callerContent = asSystem({ reason: 'keeps a log' })
      await system.create('log', { text: 'x' })
    }
    expect((await make()).status).toBe(201)
    const actors = await service.rows('SELECT actor, collection FROM daybook$journal ORDER BY seq')
    expect(actors).toEqual([
      { actor: 'config (keeps a log)', collection: 'log' },
      { actor: 'ann', collection: 'posts' },
    ])
  })

  test('fail only their own write when they throw, hang or return invalid data, and the log names the config', async () => {
    const faults: readonly [(event: never) => unknown, number, RegExp][] = [
      [() => Promise.reject(new Error('lost "hunter2"')), 500, /\(config\) failed.*hunter2/s],
      [() => new Promise(() => {}), 503, /\(config\) took longer than \d+ ms/],
      [() => 'yes', 500, /\(config\) must return an object/],
      [() => ({ nope: 1 }), 500, /\(config\) returned nope/],
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

  test('change nothing by mutating their arguments', async () => {
    probes.validate = ({ data }: { data: object }) => void Object.assign(data, { title: 'changed' })
    probes.change = ({ after }: { after: object }) => void Object.assign(after, { title: 'changed' })
    expect(await make()).toMatchObject({ status: 201, body: { title: 'A' } })
  })

  test('get an error at once from requests to the service, instead of a deadlock', async () => {
    const { body: post } = await make()
    const again = { method: 'PUT', body: '{"title":"B"}' }
    const headers = { Authorization: 'Bearer ann', 'Content-Type': 'application/json' }
    probes.change = () => service.content.update('posts', post.id, { title: 'B' } as never)
    expect((await send('ann', 'PUT', `/api/posts/${post.id}`, { title: 'C' })).status).toBe(500)
    expect(log.take().join('\n')).toMatch(/would wait for that transaction/)
    probes.change = async () => {
      const response = await service.request(`/api/posts/${post.id}`, { ...again, headers })
      if (response.status !== 200) throw new DaybookError('CONFLICT', `inside: ${response.status}`)
    }
    expect((await send('ann', 'PUT', `/api/posts/${post.id}`, { title: 'C' })).body.message).toBe('inside: 500')
    delete probes.change
    expect(await send('ann', 'PUT', `/api/posts/${post.id}`, { title: 'D' })).toMatchObject({ status: 200 })
  })

  test('receive each change after its commit, also after a restart', async () => {
    const events: unknown[] = []
    const config = defineConfig({
      collections: {
        notes: defineCollection({
          fields: { text: f.text() },
          hooks: { afterCommit: ({ action, before, after }) => void events.push([action, before?.text, after?.text]) },
        }),
      },
    })
    await using place = await store.at()
    await place.serve(config, async (running) => {
      const { id } = await running.content.create('notes', { text: 'one' } as never)
      await running.content.update('notes', id, { text: 'two' } as never)
      await expect.poll(() => events.length).toBe(2)
    })
    await place.serve(config, async (running) => {
      await running.content.create('notes', { text: 'three' } as never)
      await expect.poll(() => events.length).toBe(3)
    })
    expect(events).toEqual([
      ['create', undefined, 'one'],
      ['update', 'one', 'two'],
      ['create', undefined, 'three'],
    ])
  })

  test('of a collection that a plugin adds have the rights of the plugin', async () => {
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
    await using serviceWithPlugin = await store.open(
      { collections: { posts: { fields: { title: f.text() } } }, plugins: [visits] },
      { log },
    )
    const refused = serviceWithPlugin.content.create('visits', { path: '/' } as never)
    await expect(refused).rejects.toMatchObject({ code: 'INTERNAL_ERROR' })
    await expect(refused).rejects.toMatchObject({
      cause: { cause: { message: expect.stringContaining('The plugin "visits" calls asSystem') } },
    })
  })
})
