import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import {
  type DaybookConfig,
  DaybookError,
  defineCollection,
  defineConfig,
  definePlugin,
  f,
  hasRole,
  type PluginRoute,
  type Service,
} from 'daybook'
import { serve } from 'daybook/node'
import { createTestService, type TestService } from 'daybook/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { People } from '../support/auth/people.ts'
import { RecordingLog } from '../support/recording-log.ts'
import { expectDocumented } from '../support/scenarios/documented.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'

const people = new People({ ann: ['editor'], cleo: [] })
const TEXT = { 200: { description: 'A text.', mediaType: 'text/plain', schema: { type: 'string' } } }
const JSON_RESPONSE = { 200: { description: 'What came in.', schema: { type: 'object' } } }

/** Routes that use every option of a route. */
const shop = definePlugin({
  name: 'shop',
  version: '1.0.0',
  system: true,
  options: { currency: 'EUR' },
  collections: {
    orders: defineCollection({
      fields: {
        number: f.integer({ required: true }),
        note: f.text(),
        secret: f.text({ access: { read: () => false } }),
      },
      access: { read: hasRole('editor'), create: () => false },
    }),
  },
  routes: [
    {
      method: 'GET',
      path: '/shop/window/*',
      summary: 'Shows a page that reads its own address.',
      protection: 'public',
      anyQuery: true,
      responses: TEXT,
      run: ({ query }) => new Response(JSON.stringify(query), { headers: { 'Content-Type': 'text/plain' } }),
    },
    {
      method: 'GET',
      path: '/shop.txt',
      summary: 'Says what it sells in.',
      protection: 'public',
      responses: TEXT,
      run: ({ options: { currency } }) => new Response(currency, { headers: { 'Content-Type': 'text/plain' } }),
    },
    {
      method: 'GET',
      path: '/api/shop/prices/:number',
      summary: 'Answers its input.',
      description: 'With every kind of parameter.',
      protection: 'public',
      pathParameters: { number: { description: 'The number of a price.', schema: { type: 'integer', minimum: 1 } } },
      parameters: {
        size: { description: 'A size.', schema: { type: 'integer', minimum: 1, maximum: 9 }, isRequired: true },
        exact: { description: 'Whether.', schema: { type: 'boolean' } },
        tags: { description: 'Tags.', schema: { type: 'array', items: { enum: ['a', 'b'] } } },
        name: { description: 'A name.', schema: { type: 'string', maxLength: 5 } },
      },
      responses: JSON_RESPONSE,
      run: ({ path, query }) => Response.json({ path, query }),
    },
    {
      method: 'GET',
      path: '/shop/files/*',
      summary: 'Answers the rest of the path.',
      protection: 'public',
      responses: JSON_RESPONSE,
      run: ({ path }) => Response.json(path),
    },
    {
      method: 'POST',
      path: '/api/shop/checkout',
      summary: 'Places an order.',
      protection: 'session',
      body: {
        schema: {
          type: 'object',
          properties: { number: { $ref: '#/$defs/number' } },
          required: ['number'],
          additionalProperties: false,
          $defs: { number: { type: 'integer' } },
        },
      },
      responses: {
        201: { description: 'The order.', schema: { type: 'object' }, headers: { 'X-Order': 'Its number.' } },
      },
      run: async ({ body, asSystem, caller }) => {
        const { number } = body as { number: number }
        const content = asSystem({ reason: `checkout of ${caller.identity?.subject}` })
        const order = await content.create('orders', { number, secret: 'paid' })
        return Response.json({ number: order.number }, { status: 201, headers: { 'X-Order': String(order.number) } })
      },
    },
    {
      method: 'GET',
      path: '/api/shop/orders',
      summary: 'Lists what the caller may see.',
      protection: 'public',
      responses: { ...JSON_RESPONSE },
      run: async ({ content }) => Response.json(await content.list('orders')),
    },
    {
      method: 'POST',
      path: '/api/shop/orders',
      summary: 'Tries to write as the caller.',
      protection: 'session',
      responses: JSON_RESPONSE,
      run: async ({ content }) => Response.json(await content.create('orders', { number: 1 })),
    },
    {
      method: 'PUT',
      path: '/api/shop/picture',
      summary: 'Counts the bytes of a picture.',
      protection: 'public',
      body: { mediaTypes: ['image/*'], stream: true },
      responses: JSON_RESPONSE,
      run: async ({ stream }) => {
        let bytes = 0
        for await (const chunk of stream ?? []) bytes += chunk.length
        return Response.json({ bytes })
      },
    },
    {
      method: 'GET',
      path: '/api/shop/stream',
      summary: 'Sends three lines.',
      protection: 'public',
      responses: TEXT,
      run: () => {
        const lines = ['1\n', '2\n', '3\n'].map((line) => new TextEncoder().encode(line))
        return new Response(ReadableStream.from(lines) as ReadableStream<Uint8Array>, {
          headers: { 'Content-Type': 'text/plain', 'Cache-Control': 'public, max-age=60' },
        })
      },
    },
  ],
  setup: (context) => {
    context.route({
      method: 'GET',
      path: '/api/shop/later',
      summary: 'Was added in setup.',
      protection: 'public',
      responses: TEXT,
      run: ({ options: { currency } }) => new Response(currency),
    })
  },
})

const fault = (path: string, run: PluginRoute['run']): PluginRoute => ({
  method: 'GET',
  path,
  summary: 'Goes wrong.',
  protection: 'public',
  responses: { 200: { description: 'Never.' } },
  run,
})

/** Routes that fail in every way. */
const broken = definePlugin({
  name: 'broken',
  version: '1.0.0',
  routes: [
    fault('/broken/throws', () => {
      throw new Error('the secret of the throw')
    }),
    fault('/broken/rejects', async () => {
      throw new Error('the secret of the rejection')
    }),
    fault('/broken/throws-text', () => Promise.reject('the secret text')),
    fault('/broken/hangs', () => new Promise(() => {})),
    fault('/broken/nothing', (() => undefined) as never),
    fault('/broken/used', async () => {
      const response = new Response('x')
      await response.text()
      return response
    }),
    fault('/broken/refuses', () => {
      throw new DaybookError('CONFLICT', 'The cart is empty.', { cart: 7 })
    }),
    fault('/broken/system', ({ asSystem }) => {
      asSystem({ reason: 'curiosity' })
      return new Response()
    }),
    fault('/broken/undeclared', () => new Response(null, { status: 299 })),
  ],
})

const config = defineConfig({
  auth: people.adapter,
  collections: { posts: defineCollection({ fields: { title: f.text({ required: true }), slug: f.slug() } }) },
  plugins: [broken, shop],
  limits: { pluginMs: 300, bodyBytes: 1000 },
  cors: { origins: ['https://www.example.org'] },
})

const ann = { Authorization: 'Bearer ann' }
const json = { 'Content-Type': 'application/json' }

describe.each(POLICY_STORES)('routes of plugins on $name', (store) => {
  let service: StoredService
  const log = new RecordingLog()
  beforeAll(async () => {
    service = await store.open(config, { log })
  })
  afterAll(() => service.close())

  /** Sends a request, and checks the response against the OpenAPI document. */
  async function send(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
    const init = body === undefined ? { method, headers } : { method, headers, body }
    const response = await service.request(path, init)
    const received = { status: response.status, headers: response.headers, text: await response.text() }
    const sent = { method, path, headers, ...(body === undefined ? {} : { body }) }
    await expectDocumented(service, sent as never, received)
    return received
  }

  test('respond at their exact paths, including those added in setup', async () => {
    expect(await send('GET', '/shop.txt')).toMatchObject({ status: 200, text: 'EUR' })
    expect(await send('GET', '/api/shop/later')).toMatchObject({ status: 200, text: 'EUR' })
    expect((await service.request('/shop.txt/')).status).toBe(404)
    const head = await service.request('/shop.txt', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('receive the values of path and query, parsed by their schemas', async () => {
    const { text } = await send('GET', '/api/shop/prices/7?size=3&exact=true&tags=a,b&name=x')
    expect(JSON.parse(text)).toEqual({
      path: { number: '7' },
      query: { size: 3, exact: true, tags: ['a', 'b'], name: 'x' },
    })
    expect(JSON.parse((await send('GET', '/shop/files/a%20b/c.txt')).text)).toEqual({ '*': 'a b/c.txt' })
  })

  test.each([
    ['', 'size', 'required'],
    ['size=10', 'size', 'maximum'],
    ['size=x', 'size', 'type'],
    ['size=1&size=2', 'size', 'repeated'],
    ['size=1&exact=yes', 'exact', 'type'],
    ['size=1&tags=c', 'tags', 'enum'],
    ['size=1&name=longer', 'name', 'maxLength'],
    ['size=1&sise=1', 'sise', 'unknown_param'],
  ])('reject the query "%s"', async (query, path, code) => {
    const { status, text } = await send('GET', `/api/shop/prices/7?${query}`)
    expect([status, JSON.parse(text).details.issues]).toMatchObject([400, [{ path, code }]])
  })

  test('accept any query with anyQuery', async () => {
    // The OpenAPI document does not describe these parameters.
    const response = await service.request('/shop/window/a?q=ink&q=paper&where[x]=1&%zz')
    expect([response.status, await response.text()]).toEqual([200, '{}'])
  })

  test('respond with 404 to a path that does not match their schema', async () => {
    expect((await send('GET', '/api/shop/prices/seven?size=1')).status).toBe(404)
    expect((await send('GET', '/api/shop/prices/0?size=1')).status).toBe(404)
  })

  test('validate a JSON body, and limit its size', async () => {
    const post = (body: string, headers: Record<string, string> = json) =>
      service.request('/api/shop/checkout', { method: 'POST', headers: { ...ann, ...headers }, body })
    const statuses = await Promise.all(
      ['{"number":"1"}', '{', '{"number":1,"other":2}', '{"number":1,"__proto__":{}}', ' '.repeat(1001)].map(
        async (body) => (await post(body)).status,
      ),
    )
    expect(statuses).toEqual([400, 400, 400, 400, 413])
    expect((await post('{"number":1}', { 'Content-Type': 'text/plain' })).status).toBe(415)
    const done = await send('POST', '/api/shop/checkout', { ...ann, ...json }, '{"number":5}')
    expect([done.status, done.headers.get('x-order'), done.text]).toEqual([201, '5', '{"number":5}'])
  })

  test('stream a body that exceeds the limit of JSON', async () => {
    const body = 'x'.repeat(5000)
    expect(await send('PUT', '/api/shop/picture', { 'Content-Type': 'image/png' }, body)).toMatchObject({
      status: 200,
      text: '{"bytes":5000}',
    })
    expect((await send('PUT', '/api/shop/picture', { 'Content-Type': 'text/html' }, body)).status).toBe(415)
  })

  test('stream their responses, which are not cached by default', async () => {
    const stream = await send('GET', '/api/shop/stream')
    expect([stream.text, stream.headers.get('cache-control')]).toEqual(['1\n2\n3\n', 'public, max-age=60'])
    expect((await send('GET', '/shop.txt')).headers.get('cache-control')).toBe('private, no-store')
  })

  test('have Allow, preflights and CORS headers like all routes', async () => {
    const refused = await service.request('/api/shop/checkout', { method: 'DELETE' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    const origin = { Origin: 'https://www.example.org' }
    const preflight = await service.request('/shop.txt', { method: 'OPTIONS', headers: origin })
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin.Origin)
    const response = await service.request('/shop.txt', { headers: origin })
    expect(response.headers.get('access-control-allow-origin')).toBe(origin.Origin)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('require a session if declared, before the body is read', async () => {
    const refused = await send('POST', '/api/shop/checkout', json, '{')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="daybook"'])
    const stranger = await send(
      'POST',
      '/api/shop/checkout',
      { ...json, Authorization: 'Bearer nobody' },
      '{"number":1}',
    )
    expect(stranger.status).toBe(401)
  })

  test('have exactly the rights of the caller', async () => {
    expect((await send('GET', '/api/shop/orders')).status).toBe(401)
    expect((await send('GET', '/api/shop/orders', { Authorization: 'Bearer cleo' })).status).toBe(403)
    const seen = JSON.parse((await send('GET', '/api/shop/orders', ann)).text)
    expect(seen.items[0]).toMatchObject({ number: 5 })
    expect(seen.items[0]).not.toHaveProperty('secret')
    expect((await send('POST', '/api/shop/orders', ann)).status).toBe(403)
  })

  test('exceed those rights with asSystem, whose reason the journal records', async () => {
    await send('POST', '/api/shop/checkout', { ...ann, ...json }, '{"number":6}')
    const rows = await service.rows('select actor from daybook$journal order by seq desc limit 1')
    expect(rows[0]).toEqual({ actor: 'plugin:shop (checkout of ann)' })
  })

  test.each([
    ['throws', 'the secret of the throw'],
    ['rejects', 'the secret of the rejection'],
    ['throws-text', 'the secret text'],
    ['nothing', 'run must return a Response'],
    ['used', 'a Response whose body was already read'],
    ['system', 'Declare it: definePlugin'],
    ['undeclared', 'does not declare status 299'],
  ])('respond with 500 and log the reason if one fails: %s', async (path, reason) => {
    log.take()
    const { text } = await send('GET', `/broken/${path}`)
    expect(JSON.parse(text)).toMatchObject({ code: 'INTERNAL_ERROR', details: {} })
    expect(text).not.toContain('secret')
    const [line = ''] = log.take().filter((entry) => entry.startsWith('error'))
    expect(line).toContain(reason)
    expect(line).toContain('broken')
  })

  test('time out if one hangs, without affecting others', async () => {
    const [hung, other] = await Promise.all([send('GET', '/broken/hangs'), send('GET', '/shop.txt')])
    expect([hung.status, hung.headers.get('retry-after'), other.status]).toEqual([503, '1', 200])
    expect(log.take().join('\n')).toMatch(/the plugin "broken" failed: took longer than 300 ms/)
  })

  test('may throw a DaybookError, which becomes the response', async () => {
    const { status, text } = await send('GET', '/broken/refuses')
    expect([status, JSON.parse(text)]).toMatchObject([
      409,
      { code: 'CONFLICT', message: 'The cart is empty.', details: { cart: 7 } },
    ])
  })

  test('are in the OpenAPI document, tagged with their plugin', async () => {
    const document = (await (await service.request('/openapi.json')).json()) as {
      paths: Record<string, Record<string, object>>
      tags: readonly { name: string }[]
    }
    expect(document.paths['/api/shop/prices/{number}']?.get).toMatchObject({
      operationId: 'shopGetApiShopPricesNumber',
      summary: 'Answers its input.',
      description: 'With every kind of parameter.',
      tags: ['shop'],
    })
    expect(document.paths['/api/shop/checkout']?.post).toMatchObject({
      security: [{ sessionCookie: [] }, { bearerAuth: [] }],
      responses: { 201: { headers: { 'X-Order': { description: 'Its number.' } } } },
    })
    expect(Object.keys(document.paths['/shop/files/{path}'] ?? {})).toEqual(['get'])
    expect(document.tags.map(({ name }) => name)).toContain('broken')
  })

  test('do not shadow entries with similar paths', async () => {
    const response = await service.request('/api/posts', {
      method: 'POST',
      headers: { ...ann, ...json },
      body: '{"title":"Shop","slug":"shop"}',
    })
    expect(response.status).toBe(201)
    expect((await service.request('/api/posts/shop')).status).toBe(200)
  })
})

describe('over a socket', () => {
  const aborted = Promise.withResolvers<string>()
  const waits = definePlugin({
    name: 'waits',
    version: '1.0.0',
    routes: [
      {
        ...fault('/waits', ({ signal }) => {
          const { promise, resolve } = Promise.withResolvers<Response>()
          signal.addEventListener('abort', () => {
            aborted.resolve(String(signal.reason))
            resolve(new Response())
          })
          return promise
        }),
      },
      {
        method: 'PUT',
        path: '/counts',
        summary: 'Counts bytes.',
        protection: 'public',
        body: { mediaTypes: ['*/*'], stream: true },
        responses: { 200: { description: 'The bytes.', mediaType: 'text/plain' } },
        run: async ({ stream, headers, url }) => {
          let bytes = 0
          for await (const chunk of stream ?? []) bytes += chunk.length
          return new Response(`${bytes} ${headers.get('content-type')} ${url.pathname}`)
        },
      },
    ],
  })
  const socketConfig: DaybookConfig = { collections: config.collections, plugins: [waits] }
  let service: TestService
  let url: string
  let stop: () => Promise<void>
  beforeAll(async () => {
    service = await createTestService(socketConfig)
    ;({ url, stop } = await serve(service as Service, { port: 0 }))
  })
  afterAll(async () => {
    await stop()
    await service.close()
  })

  test('a route is aborted when its client disconnects', async () => {
    const sent = httpRequest(`${url}/waits`)
    sent.on('error', () => {})
    sent.end()
    await once(sent, 'socket')
    setTimeout(() => sent.destroy(), 100)
    expect(await aborted.promise).toContain('The client has gone')
  })

  test('a body is streamed', async () => {
    const body = new Uint8Array(2_000_000)
    const response = await fetch(`${url}/counts`, { method: 'PUT', headers: { 'Content-Type': 'a/b' }, body })
    expect(await response.text()).toBe('2000000 a/b /counts')
  })
})

test('the body of a response that arrives after the timeout is cancelled', async () => {
  const cancelled = Promise.withResolvers<boolean>()
  const called = Promise.withResolvers<void>()
  const late: PluginRoute = {
    method: 'GET',
    path: '/late',
    summary: 'Answers too late.',
    protection: 'public',
    responses: { 200: { description: 'Bytes.', mediaType: 'text/plain' } },
    run: async ({ signal }) => {
      called.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return new Response(new ReadableStream({ cancel: () => cancelled.resolve(true) }))
    },
  }
  const plugins = [definePlugin({ name: 'late', version: '1.0.0', routes: [late] })]
  await using service = await createTestService({ ...config, plugins, limits: { pluginMs: 50 } })
  const response = service.request('/late')
  await called.promise
  expect((await response).status).toBe(503)
  expect(await cancelled.promise).toBe(true)
})
