import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { type Listening, serve } from 'daybook/node'
import { afterEach, describe, expect, test } from 'vitest'
import { defineRoute, type Route } from '../../src/http/contract.ts'
import { type Fetch, toFetch } from '../../src/http/fetch.ts'
import { createHandler, type FindResponse } from '../support/network/create-handler.ts'
import { exchange, readAll, requestText } from '../support/network/raw-http.ts'
import { expectQuietProcess } from '../support/scenarios/sane.ts'

const CLOSE = 'Connection: close'
const OK = { status: 200, head: [], json: '{}' }

const listening: Listening[] = []
afterEach(async () => {
  await Promise.all(listening.splice(0).map((server) => server.stop(100)))
  await expectQuietProcess()
})

/** Serves responses without a service. */
async function listen(handle: FindResponse): Promise<Listening> {
  const server = await serve(
    { handle: createHandler(handle), bodyLimit: 1024, drain: () => {}, close: async () => {} },
    { port: 0 },
  )
  listening.push(server)
  return server
}

const ways: readonly (readonly [name: string, fetchFrom: (handle: FindResponse) => Promise<Fetch>])[] = [
  ['fetch', async (handle) => toFetch(createHandler(handle))],
  [
    'socket',
    async (handle) => {
      const { url } = await listen(handle)
      return (request) => fetch(new Request(request.url.replace('http://daybook.test', url), request))
    },
  ],
]

describe.each(ways)('a handler called through %s', (_name, fetchFrom) => {
  const sendRequest = async (handle: FindResponse, init: RequestInit = {}): Promise<Response> =>
    (await fetchFrom(handle))(new Request('http://daybook.test/a%20b?c=%C3%A4', init))
  const post = { method: 'POST', headers: { 'Content-Type': 'text/plain', 'X-One': '1' }, body: 'käse' }

  test('gets path and query unchanged, and headers by name in any case', async () => {
    const handle: FindResponse = async ({ method, target, headers }) => {
      const json = JSON.stringify([method, target, headers.get('X-ONE'), headers.has('x-one'), headers.get('x-two')])
      return { ...OK, json }
    }
    expect(await (await sendRequest(handle, post)).json()).toEqual(['POST', '/a%20b?c=%C3%A4', '1', true, null])
  })

  test('reads a body up to its limit, and rejects a longer one', async () => {
    const sizes = (limit: number): FindResponse => {
      return async (request) => ({ ...OK, json: JSON.stringify((await request.readBytes(limit))?.length ?? 'longer') })
    }
    expect(await (await sendRequest(sizes(5), post)).json()).toBe(5)
    expect(await (await sendRequest(sizes(4), post)).json()).toBe('longer')
    expect(await (await sendRequest(sizes(0), { method: 'POST' })).json()).toBe(0)
    expect(await (await sendRequest(sizes(0))).json()).toBe(0)
  })

  test('can get a web Request with a streamed body', async () => {
    const handle: FindResponse = async (request) => {
      const web = request.toRequest()
      const { pathname, search } = new URL(web.url)
      const body = web.body instanceof ReadableStream ? await web.text() : null
      return { ...OK, json: JSON.stringify([web.method, pathname, search, web.headers.get('x-one'), body]) }
    }
    expect(await (await sendRequest(handle, post)).json()).toEqual(['POST', '/a%20b', '?c=%C3%A4', '1', 'käse'])
    expect(await (await sendRequest(handle)).json()).toEqual(['GET', '/a%20b', '?c=%C3%A4', null, null])
  })

  test('answers HEAD without its content', async () => {
    const response = await sendRequest(async () => OK, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('a client that disconnects', () => {
  /** Connects to a server, and sends the start of a request. */
  async function client(server: Listening, text: string): Promise<ReturnType<typeof connect>> {
    const socket = connect({ port: server.port, host: '127.0.0.1' })
    await once(socket, 'connect')
    socket.write(text)
    return socket
  }
  const expectAnswering = async (server: Listening): Promise<void> => {
    const responses = await exchange(server.port, requestText('GET /next', [CLOSE]))
    expect(responses.map(({ status }) => status)).toEqual([200])
  }

  test('before its response does not disturb the server', async () => {
    const requested = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const server = await listen(async ({ target }) => {
      if (target === '/next') return OK
      requested.resolve()
      await gate.promise
      return OK
    })
    const socket = await client(server, requestText('GET /slow'))
    await requested.promise
    socket.resetAndDestroy()
    await once(socket, 'close')
    await expectAnswering(server)
    gate.resolve()
    await expectAnswering(server)
  })

  test('during a long response does not disturb the server', async () => {
    const json = JSON.stringify('x'.repeat(16 * 1024 * 1024))
    const server = await listen(async ({ target }) => (target === '/next' ? OK : { ...OK, json }))
    const socket = await client(server, requestText('GET /long'))
    await once(socket, 'data')
    socket.resetAndDestroy()
    await once(socket, 'close')
    await expectAnswering(server)
  })

  test('during its body ends the stream with an error', async () => {
    const failed = Promise.withResolvers<unknown>()
    const requested = Promise.withResolvers<void>()
    const server = await listen(async (request) => {
      if (request.target === '/next') return OK
      requested.resolve()
      await request.toRequest().text().catch(failed.resolve)
      return OK
    })
    const socket = await client(server, requestText('POST /', ['Content-Length: 500'], 'x'))
    await requested.promise
    socket.resetAndDestroy()
    expect(await failed.promise).toBeInstanceOf(Error)
    await expectAnswering(server)
  })

  test('before its body is read makes reading fail', async () => {
    const requested = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const failed = Promise.withResolvers<unknown>()
    const server = await listen(async (request) => {
      if (request.target === '/next') return OK
      requested.resolve()
      await gate.promise
      await request.readBytes(1024).catch(failed.resolve)
      return OK
    })
    const socket = await client(server, requestText('POST /', ['Content-Length: 500'], 'x'))
    await requested.promise
    socket.resetAndDestroy()
    await once(socket, 'close')
    await expectAnswering(server)
    gate.resolve()
    expect(await failed.promise).toMatchObject({ code: 'VALIDATION_ERROR' })
  })
})

test('a response with an invalid header closes its connection only', async () => {
  const server = await listen(async ({ target }) => (target === '/next' ? OK : { ...OK, head: ['X-A', 'a\r\nB: c'] }))
  const socket = connect({ port: server.port, host: '127.0.0.1' })
  const received = readAll(socket)
  socket.write(requestText('GET /'))
  expect(await received).toBe('')
  const responses = await exchange(server.port, requestText('GET /next', [CLOSE]))
  expect(responses.map(({ status }) => status)).toEqual([200])
})

test.each([
  ['a broken line', 'B\tR\r\n\r\n'],
  ['a broken header', 'GET / HTTP/1.1\r\nA B\r\n\r\n'],
])('requests before %s are answered first, in order', async (_name, broken) => {
  const gate = Promise.withResolvers<void>()
  const server = await listen(async ({ target }) => {
    if (target === '/1') await gate.promise
    else gate.resolve()
    return { ...OK, json: JSON.stringify(target) }
  })
  const responses = await exchange(server.port, requestText('GET /1') + requestText('GET /2') + broken)
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 400])
  expect(responses.slice(0, 2).map(({ text }) => JSON.parse(text))).toEqual(['/1', '/2'])
})

describe('a route with prepare()', () => {
  const makeRoute = (prepare: () => Promise<void>): Route =>
    defineRoute({
      method: 'GET',
      path: '/',
      operationId: 'getRoot',
      protection: 'public',
      summary: 'Answers.',
      requestHeaders: [],
      errors: [],
      prepare,
      run: async () => OK,
    })
  const serveRoutes = (...routes: readonly Route[]): Promise<Listening> =>
    serve(
      { routes, handle: createHandler(async () => OK), bodyLimit: 1024, drain: () => {}, close: async () => {} },
      { port: 0 },
    )

  test('is prepared before the service listens, even if another route fails', async () => {
    let isPrepared = false
    const fails = makeRoute(() => Promise.reject(new Error('no')))
    const prepares = makeRoute(async () => {
      await turn()
      isPrepared = true
    })
    listening.push(await serveRoutes(fails, prepares))
    expect(isPrepared).toBe(true)
  })

  test('does not keep the service from listening if it hangs', async () => {
    const server = await serveRoutes(makeRoute(() => new Promise(() => {})))
    listening.push(server)
    const [handle] = await exchange(server.port, requestText('GET /', [CLOSE]))
    expect(handle?.status).toBe(200)
  })
})
