import {
  type DaybookConfig,
  DaybookError,
  defineCollection,
  defineConfig,
  definePlugin,
  f,
  type PluginRoute,
} from 'daybook'
import { createTestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { People } from '../support/auth/people.ts'
import { RecordingLog } from '../support/recording-log.ts'
import { expectDocumented } from '../support/scenarios/documented.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'

const people = new People({ ann: ['editor'] })

/** Routes that use every capability of routes in a config. */
const config: DaybookConfig = defineConfig({
  auth: people.adapter,
  limits: { pluginMs: 1500 },
  collections: {
    posts: defineCollection({ fields: { title: f.text() }, access: { create: () => false } }),
  },
  routes: [
    {
      method: 'GET',
      path: '/titles',
      summary: 'Answers the titles.',
      protection: 'public',
      parameters: { limit: { description: 'How many.', schema: { type: 'integer', minimum: 1, maximum: 5 } } },
      responses: { 200: { description: 'The titles.', schema: { type: 'array' } } },
      run: async ({ content, query }) => {
        const { items } = await content.list('posts', { limit: Number(query.limit ?? 5), sort: 'title' })
        return Response.json(items.map(({ title }) => title))
      },
    },
    {
      method: 'POST',
      path: '/suggestions',
      summary: 'Takes a title.',
      protection: 'session',
      body: { schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } },
      responses: { 204: { description: 'It is stored.' } },
      run: async ({ body, asSystem }) => {
        const { title } = body as { title: string }
        if (title === 'fails') throw new Error('lost "hunter2"')
        if (title === 'no') throw new DaybookError('FORBIDDEN', 'Not this one.')
        if (title === 'hangs') await new Promise(() => {})
        await asSystem({ reason: 'a suggestion' }).create('posts', { title })
        return new Response(null, { status: 204 })
      },
    },
  ],
})

describe.each(POLICY_STORES)('routes in the config on $name', (store) => {
  let service: StoredService
  const log = new RecordingLog()
  const suggest = (title: string, token = 'ann'): Promise<Response> =>
    service.request('/suggestions', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ title }),
    })

  beforeAll(async () => {
    service = await store.open(config, { log })
  })
  afterAll(() => service.close())

  test('read and write content, and exceed the rights of the caller with asSystem', async () => {
    expect((await suggest('B')).status).toBe(204)
    expect((await suggest('A')).status).toBe(204)
    expect(await (await service.request('/titles?limit=1')).json()).toEqual(['A'])
    const actors = await service.rows('SELECT DISTINCT actor FROM daybook$journal')
    expect(actors).toEqual([{ actor: 'config (a suggestion)' }])
  })

  test('enforce their declared protection and schemas', async () => {
    expect((await suggest('A', 'nobody')).status).toBe(401)
    expect(await (await service.request('/titles?limit=9')).json()).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect((await service.request('/titles', { method: 'PUT' })).status).toBe(405)
  })

  test('that fail or hang affect only their own request, and the log names the config', async () => {
    log.take()
    const failed = await suggest('fails')
    expect(failed.status).toBe(500)
    expect(await failed.text()).not.toMatch(/hunter2|config/)
    expect(log.take().join('\n')).toMatch(/POST \/suggestions of the config failed.*hunter2/s)
    expect(await (await suggest('no')).json()).toMatchObject({ code: 'FORBIDDEN', message: 'Not this one.' })
    expect((await suggest('hangs')).status).toBe(503)
  })
})

test('routes in the config are in the OpenAPI document, under a separate tag', async () => {
  await using service = await createTestService(config)
  const response = await service.request('/openapi.json')
  const document = (await response.json()) as { paths: Record<string, { get?: unknown }>; tags: unknown }
  expect(document.paths['/titles']?.get).toMatchObject({ tags: ['custom'], operationId: 'getTitles' })
  expect(document.tags).toContainEqual({ name: 'custom', description: 'Routes of the config.' })
  const titles = await service.request('/titles')
  const received = { status: titles.status, headers: titles.headers, text: await titles.text() }
  await expectDocumented(service, { method: 'GET', path: '/titles', headers: {} } as never, received)
})

test('an invalid route in the config, or one that clashes with another, prevents the start', async () => {
  const [titles] = config.routes ?? []
  const faultsOf = async (parts: object): Promise<unknown> =>
    createTestService({ ...config, ...parts }).then(
      () => [],
      ({ faults }) => faults,
    )
  expect(await faultsOf({ routes: {} })).toEqual([{ path: 'routes', message: 'routes must be a list of routes.' }])
  expect(await faultsOf({ routes: [{ ...titles, path: 'titles' }] })).toMatchObject([{ path: 'routes.0.path' }])
  expect(await faultsOf({ routes: [{ ...titles, path: '/api/posts' }] })).toMatchObject([
    {
      path: 'routes.0.path',
      message: expect.stringContaining('is "/api/posts", which is already used by GET /api/posts of Daybook'),
    },
  ])
  const other = definePlugin({ name: 'other', version: '1.0.0', routes: [titles as PluginRoute] })
  expect(await faultsOf({ plugins: [other] })).toMatchObject([
    {
      path: 'plugins.other.routes.0.path',
      message: expect.stringContaining('is "/titles", which is already used by GET /titles of the config (routes.0)'),
    },
  ])
})

test('a schema may refer to the meta-schema', async () => {
  const route: PluginRoute = {
    method: 'POST',
    path: '/forms',
    summary: 'Takes a format of JSON Schema.',
    protection: 'public',
    body: { schema: { $ref: 'https://json-schema.org/draft/2020-12/meta/format-annotation' } },
    responses: { 204: { description: 'It is one.' } },
    run: async () => new Response(null, { status: 204 }),
  }
  await using service = await createTestService({ collections: {}, routes: [route] })
  const send = async (format: unknown): Promise<number> => {
    const headers = { 'Content-Type': 'application/json' }
    return (await service.request('/forms', { method: 'POST', headers, body: JSON.stringify({ format }) })).status
  }
  expect([await send('date'), await send(5)]).toEqual([204, 400])
})
