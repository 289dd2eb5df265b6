import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Listening, serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { small } from '../support/configs/configs.ts'
import { createHandler, type FindResponse } from '../support/network/create-handler.ts'
import { parseResponses, readAll, requestText } from '../support/network/raw-http.ts'
import { expectQuietProcess } from '../support/scenarios/sane.ts'
import type { TestResponse } from '../support/scenarios/transports.ts'

const OK = { status: 200, head: [], json: '{}' }
/** Long enough that no drain of these tests ends by cutting connections. */
const GRACE_MS = 600_000

const listening: Listening[] = []
afterEach(async () => {
  await Promise.all(listening.splice(0).map((server) => server.stop()))
  await expectQuietProcess()
})

async function listen(handle: FindResponse): Promise<Listening> {
  const server = await serve(
    { handle: createHandler(handle), bodyLimit: 1024, drain: () => {}, close: async () => {} },
    { port: 0 },
  )
  listening.push(server)
  return server
}

async function open(server: Listening): Promise<Socket> {
  const socket = connect({ port: server.port, host: '127.0.0.1' })
  await once(socket, 'connect')
  return socket
}

/** Creates a handler that waits until the test releases it. */
function gated() {
  const requested = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const handle: FindResponse = async () => {
    requested.resolve()
    await gate.promise
    return OK
  }
  return { handle, requested: requested.promise, release: gate.resolve }
}

const summarize = (responses: readonly TestResponse[]): readonly unknown[] =>
  responses.map(({ status, headers }) => [status, headers.get('connection')])

describe('a server that stops', () => {
  test('answers requests that have arrived on idle connections, and ends', async () => {
    const server = await listen(async () => OK)
    const sockets = await Promise.all(Array.from({ length: 16 }, () => open(server)))
    for (const socket of sockets) {
      socket.write(requestText('GET /first'))
      await once(socket, 'data')
    }
    const received = sockets.map(readAll)
    // The server cannot have read data that was written in the same turn of the event loop.
    for (const socket of sockets) socket.write(requestText('GET /second'))
    await server.stop(GRACE_MS)
    for (const text of await Promise.all(received)) expect(summarize(parseResponses(text))).toEqual([[200, 'close']])
  })

  test('answers on connections in the backlog', async () => {
    const server = await listen(async () => OK)
    const sockets = Array.from({ length: 32 }, () => connect({ port: server.port, host: '127.0.0.1' }))
    const received = sockets.map(readAll)
    for (const socket of sockets) socket.write(requestText('GET /'))
    // Node connects in the next tick, before another turn of the event loop.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    await server.stop(GRACE_MS)
    for (const text of await Promise.all(received)) expect(summarize(parseResponses(text))).toEqual([[200, 'close']])
  })

  test('answers on connections that arrived while the process was suspended', async () => {
    const server = await listen(async () => OK)
    const received: Promise<string>[] = []
    const startedAt = performance.now()
    // It was scheduled first, so it runs before the server in each turn of the event loop.
    const eachTurn = (): void => {
      if (performance.now() - startedAt < 10) return void setImmediate(eachTurn)
      const sockets = Array.from({ length: 32 }, () => connect({ port: server.port, host: '127.0.0.1' }))
      for (const socket of sockets) socket.write(requestText('GET /'))
      received.push(...sockets.map(readAll))
      process.nextTick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60))
    }
    setImmediate(eachTurn)
    await server.stop(GRACE_MS)
    expect(received).toHaveLength(32)
    for (const text of await Promise.all(received)) expect(summarize(parseResponses(text))).toEqual([[200, 'close']])
  })

  test('sends Connection: close with pending responses, and ends after the last one', async () => {
    const { handle, requested, release } = gated()
    const server = await listen(handle)
    const socket = await open(server)
    const received = readAll(socket)
    socket.write(requestText('GET /'))
    await requested
    const stopped = server.stop(GRACE_MS)
    release()
    await stopped
    expect(summarize(parseResponses(await received))).toEqual([[200, 'close']])
  })

  test('answers pipelined requests, and closes with the last one', async () => {
    const { handle, requested, release } = gated()
    const server = await listen(handle)
    const socket = await open(server)
    const received = readAll(socket)
    socket.write(requestText('GET /1') + requestText('GET /2') + requestText('GET /3'))
    await requested
    const stopped = server.stop(GRACE_MS)
    release()
    await stopped
    expect(summarize(parseResponses(await received))).toEqual([
      [200, 'keep-alive'],
      [200, 'keep-alive'],
      [200, 'close'],
    ])
  })

  test('waits for the rest of a request that is arriving', async () => {
    const seen = Promise.withResolvers<void>()
    const server = await listen(async (request) => {
      seen.resolve()
      return { ...OK, json: JSON.stringify((await request.readBytes(1024))?.length) }
    })
    const socket = await open(server)
    const received = readAll(socket)
    socket.write(requestText('POST /', ['Content-Length: 8'], 'half'))
    await seen.promise
    const stopped = server.stop(GRACE_MS)
    socket.write('half')
    await stopped
    expect(parseResponses(await received)).toMatchObject([{ status: 200, text: '8' }])
  })

  test('sends a long response completely to a client that reads slowly and keeps sending', async () => {
    const json = JSON.stringify('x'.repeat(8 * 1024 * 1024))
    const gate = Promise.withResolvers<void>()
    const server = await listen(async () => {
      await gate.promise
      return { ...OK, json }
    })
    const socket = await open(server)
    socket.write(requestText('GET /'))
    const stopped = server.stop(GRACE_MS)
    gate.resolve()
    await once(socket, 'readable')
    socket.write(requestText('GET /too-late'))
    const [handle, ...rest] = parseResponses(await readAll(socket))
    expect([handle?.text.length, rest]).toEqual([json.length, []])
    await stopped
  })

  test('completes a stream that has begun', async () => {
    const parts = new TransformStream<Uint8Array, Uint8Array>()
    const writer = parts.writable.getWriter()
    const server = await listen(async () => ({ status: 200, head: [], content: parts.readable }))
    const socket = await open(server)
    const received = readAll(socket)
    socket.write(requestText('GET /'))
    await writer.write(Buffer.from('begun, '))
    await once(socket, 'data')
    const stopped = server.stop(GRACE_MS)
    await writer.write(Buffer.from('and '))
    await writer.write(Buffer.from('ended'))
    await writer.close()
    await stopped
    expect(parseResponses(await received)).toMatchObject([{ status: 200, text: 'begun, and ended' }])
  })

  test('closes unused connections', async () => {
    const server = await listen(async () => OK)
    const sockets = await Promise.all([open(server), open(server)])
    const received = sockets.map(readAll)
    await server.stop(GRACE_MS)
    expect(await Promise.all(received)).toEqual(['', ''])
  })

  test('cuts pending responses after the grace period', async () => {
    const { handle, requested } = gated()
    const server = await listen(handle)
    const socket = await open(server)
    const received = readAll(socket)
    socket.write(requestText('GET /'))
    await requested
    await server.stop(10)
    expect(await received).toBe('')
  })
})

test('a stopping service reports 503 as its readiness on an open connection', async () => {
  const service = await createTestService(small)
  const server = await serve(service, { port: 0 })
  const socket = await open(server)
  const received = readAll(socket)
  socket.write(requestText('GET /api/ready'))
  await once(socket, 'data')
  socket.write(requestText('GET /api/ready'))
  await server.stop(GRACE_MS)
  expect(summarize(parseResponses(await received))).toEqual([
    [200, 'keep-alive'],
    [503, 'close'],
  ])
})
