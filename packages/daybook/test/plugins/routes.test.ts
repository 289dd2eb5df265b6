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
import { KeptLog } from '../support/kept-log.ts'
import { expectDocumented } from '../support/scenarios/documented.ts'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'

const people = new People({ ann: ['editor'], cleo: [] })
const TEXT = { 200: { description: 'A text.', mediaType: 'text/plain', schema: { type: 'string' } } }
const JSON_ANSWER = { 200: { description: 'What came in.', schema: { type: 'object' } } }

/** Routes for each thing that a route can say. */
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
      responses: JSON_ANSWER,
      run: ({ path, query }) => Response.json({ path, query }),
    },
    {
      method: 'GET',
      path: '/shop/files/*',
      summary: 'Answers the rest of the path.',
      protection: 'public',
      responses: JSON_ANSWER,
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
      summary: 'Lists what the asker may see.',
      protection: 'public',
      responses: { ...JSON_ANSWER },
      run: async ({ content }) => Response.json(await content.list('orders')),
    },
    {
      method: 'POST',
      path: '/api/shop/orders',
      summary: 'Tries to write as the asker.',
      protection: 'session',
      responses: JSON_ANSWER,
      run: async ({ content }) => Response.json(await content.create('orders', { number: 1 })),
    },
    {
      method: 'PUT',
      path: '/api/shop/picture',
      summary: 'Counts the bytes of a picture.',
      protection: 'public',
      body: { mediaTypes: ['image/*'], stream: true },
      responses: JSON_ANSWER,
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

/** Routes that go wrong in each way. */
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
  const log = new KeptLog()
  beforeAll(async () => {
    service = await store.open(config, { log })
  })
  afterAll(() => service.close())

  /** Asks, holds the answer against the OpenAPI document, and answers status and body. */
  async function ask(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
    const init = body === undefined ? { method, headers } : { method, headers, body }
    const response = await service.request(path, init)
    const answer = { status: response.status, headers: response.headers, text: await response.text() }
    await expectDocumented(service, { method, path, headers, ...(body === undefined ? {} : { body }) } as never, answer)
    return answer
  }

  test('answer at their exact paths, those of setup as well', async () => {
    expect(await ask('GET', '/shop.txt')).toMatchObject({ status: 200, text: 'EUR' })
    expect(await ask('GET', '/api/shop/later')).toMatchObject({ status: 200, text: 'EUR' })
    expect((await service.request('/shop.txt/')).status).toBe(404)
    const head = await service.request('/shop.txt', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('get the values of path and query, read by their schemas', async () => {
    const { text } = await ask('GET', '/api/shop/prices/7?size=3&exact=true&tags=a,b&name=x')
    expect(JSON.parse(text)).toEqual({
      path: { number: '7' },
      query: { size: 3, exact: true, tags: ['a', 'b'], name: 'x' },
    })
    expect(JSON.parse((await ask('GET', '/shop/files/a%20b/c.txt')).text)).toEqual({ '*': 'a b/c.txt' })
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
  ])('refuse the query "%s"', async (query, path, code) => {
    const { status, text } = await ask('GET', `/api/shop/prices/7?${query}`)
    expect([status, JSON.parse(text).details.issues]).toMatchObject([400, [{ path, code }]])
  })

  test('let any query pass where a page reads its own address', async () => {
    // The document says nothing of what scripts of a page read.
    const answer = await service.request('/shop/window/a?q=ink&q=paper&where[x]=1&%zz')
    expect([answer.status, await answer.text()]).toEqual([200, '{}'])
  })

  test('are not there for a path that their schema refuses', async () => {
    expect((await ask('GET', '/api/shop/prices/seven?size=1')).status).toBe(404)
    expect((await ask('GET', '/api/shop/prices/0?size=1')).status).toBe(404)
  })

  test('take a JSON body that is checked, within its limit', async () => {
    const send = (body: string, headers: Record<string, string> = json) =>
      service.request('/api/shop/checkout', { method: 'POST', headers: { ...ann, ...headers }, body })
    const statuses = await Promise.all(
      ['{"number":"1"}', '{', '{"number":1,"other":2}', '{"number":1,"__proto__":{}}', ' '.repeat(1001)].map(
        async (body) => (await send(body)).status,
      ),
    )
    expect(statuses).toEqual([400, 400, 400, 400, 413])
    expect((await send('{"number":1}', { 'Content-Type': 'text/plain' })).status).toBe(415)
    const done = await ask('POST', '/api/shop/checkout', { ...ann, ...json }, '{"number":5}')
    expect([done.status, done.headers.get('x-order'), done.text]).toEqual([201, '5', '{"number":5}'])
  })

  test('take a body as it comes in, longer than the limit of JSON', async () => {
    const body = 'x'.repeat(5000)
    expect(await ask('PUT', '/api/shop/picture', { 'Content-Type': 'image/png' }, body)).toMatchObject({
      status: 200,
      text: '{"bytes":5000}',
    })
    expect((await ask('PUT', '/api/shop/picture', { 'Content-Type': 'text/html' }, body)).status).toBe(415)
  })

  test('send a body as it comes, and are not cached unless they say so', async () => {
    const stream = await ask('GET', '/api/shop/stream')
    expect([stream.text, stream.headers.get('cache-control')]).toEqual(['1\n2\n3\n', 'public, max-age=60'])
    expect((await ask('GET', '/shop.txt')).headers.get('cache-control')).toBe('private, no-store')
  })

  test('have Allow, preflights and CORS headers as all routes', async () => {
    const refused = await service.request('/api/shop/checkout', { method: 'DELETE' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    const origin = { Origin: 'https://www.example.org' }
    const preflight = await service.request('/shop.txt', { method: 'OPTIONS', headers: origin })
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin.Origin)
    const answered = await service.request('/shop.txt', { headers: origin })
    expect(answered.headers.get('access-control-allow-origin')).toBe(origin.Origin)
    expect(answered.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('need a session where they say so, before anything is read (Z1)', async () => {
    const refused = await ask('POST', '/api/shop/checkout', json, '{')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="daybook"'])
    const stranger = await ask(
      'POST',
      '/api/shop/checkout',
      { ...json, Authorization: 'Bearer nobody' },
      '{"number":1}',
    )
    expect(stranger.status).toBe(401)
  })

  test('see and do what the asker may, and no more (Z10)', async () => {
    expect((await ask('GET', '/api/shop/orders')).status).toBe(401)
    expect((await ask('GET', '/api/shop/orders', { Authorization: 'Bearer cleo' })).status).toBe(403)
    const seen = JSON.parse((await ask('GET', '/api/shop/orders', ann)).text)
    expect(seen.items[0]).toMatchObject({ number: 5 })
    expect(seen.items[0]).not.toHaveProperty('secret')
    expect((await ask('POST', '/api/shop/orders', ann)).status).toBe(403)
  })

  test('go beyond that by asSystem, which the journal names', async () => {
    await ask('POST', '/api/shop/checkout', { ...ann, ...json }, '{"number":6}')
    const rows = await service.rows('select actor from daybook$journal order by seq desc limit 1')
    expect(rows[0]).toEqual({ actor: 'plugin:shop (checkout of ann)' })
  })

  test.each([
    ['throws', 'the secret of the throw'],
    ['rejects', 'the secret of the rejection'],
    ['throws-text', 'the secret text'],
    ['nothing', 'run must answer a Response'],
    ['used', 'a Response that is used up'],
    ['system', 'Declare it: definePlugin'],
    ['undeclared', 'does not declare status 299'],
  ])('are contained where one goes wrong: %s', async (path, reason) => {
    log.take()
    const answer = await ask('GET', `/broken/${path}`)
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'INTERNAL_ERROR', details: {} })
    expect(answer.text).not.toContain('secret')
    const [line = ''] = log.take().filter((one) => one.startsWith('error'))
    expect(line).toContain(reason)
    expect(line).toContain('broken')
  })

  test('are given up where one hangs: the request is told, and others are not', async () => {
    const [hung, other] = await Promise.all([ask('GET', '/broken/hangs'), ask('GET', '/shop.txt')])
    expect([hung.status, hung.headers.get('retry-after'), other.status]).toEqual([503, '1', 200])
    expect(log.take().join('\n')).toMatch(/the plugin "broken" failed: took longer than 300 ms/)
  })

  test('refuse on purpose with an error of the table', async () => {
    const { status, text } = await ask('GET', '/broken/refuses')
    expect([status, JSON.parse(text)]).toMatchObject([
      409,
      { code: 'CONFLICT', message: 'The cart is empty.', details: { cart: 7 } },
    ])
  })

  test('are in the OpenAPI document, with their plugin as the tag', async () => {
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

  test('leave entries alone whose addresses are like theirs', async () => {
    const made = await service.request('/api/posts', {
      method: 'POST',
      headers: { ...ann, ...json },
      body: '{"title":"Shop","slug":"shop"}',
    })
    expect(made.status).toBe(201)
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
  const own: DaybookConfig = { collections: config.collections, plugins: [waits] }
  let service: TestService
  let url: string
  let stop: () => Promise<void>
  beforeAll(async () => {
    service = await createTestService(own)
    ;({ url, stop } = await serve(service as Service, { port: 0 }))
  })
  afterAll(async () => {
    await stop()
    await service.close()
  })

  test('a route is told when its client goes', async () => {
    const sent = httpRequest(`${url}/waits`)
    sent.on('error', () => {})
    sent.end()
    await once(sent, 'socket')
    setTimeout(() => sent.destroy(), 100)
    expect(await aborted.promise).toContain('The client has gone')
  })

  test('a body is read as it comes', async () => {
    const body = new Uint8Array(2_000_000)
    const answer = await fetch(`${url}/counts`, { method: 'PUT', headers: { 'Content-Type': 'a/b' }, body })
    expect(await answer.text()).toBe('2000000 a/b /counts')
  })
})

test('a late answer is let go of: it may hold a file', async () => {
  const cancelled = Promise.withResolvers<boolean>()
  const asked = Promise.withResolvers<void>()
  const late: PluginRoute = {
    method: 'GET',
    path: '/late',
    summary: 'Answers too late.',
    protection: 'public',
    responses: { 200: { description: 'Bytes.', mediaType: 'text/plain' } },
    run: async ({ signal }) => {
      asked.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return new Response(new ReadableStream({ cancel: () => cancelled.resolve(true) }))
    },
  }
  const plugins = [definePlugin({ name: 'late', version: '1.0.0', routes: [late] })]
  await using service = await createTestService({ ...config, plugins, limits: { pluginMs: 50 } })
  const answer = service.request('/late')
  await asked.promise
  expect((await answer).status).toBe(503)
  expect(await cancelled.promise).toBe(true)
})
