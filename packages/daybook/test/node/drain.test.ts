import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Listening, serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { small } from '../support/configs/configs.ts'
import { type Answering, answering } from '../support/network/answering.ts'
import { parseAnswers, readAll, requestText } from '../support/network/raw-http.ts'
import { expectQuietProcess } from '../support/scenarios/sane.ts'
import type { Answer } from '../support/scenarios/transports.ts'

const OK = { status: 200, head: [], json: '{}' }
/** No drain of these tests may come to its end by cutting connections. */
const GRACE_MS = 600_000

const listening: Listening[] = []
afterEach(async () => {
  await Promise.all(listening.splice(0).map((server) => server.stop()))
  await expectQuietProcess()
})

async function listen(answer: Answering): Promise<Listening> {
  const server = await serve(
    { handle: answering(answer), bodyLimit: 1024, drain: () => {}, close: async () => {} },
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

/** Answers that wait until the test lets them go. */
function gated() {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const answer: Answering = async () => {
    asked.resolve()
    await gate.promise
    return OK
  }
  return { answer, asked: asked.promise, release: gate.resolve }
}

const told = (answers: readonly Answer[]): readonly unknown[] =>
  answers.map(({ status, headers }) => [status, headers.get('connection')])

describe('a server that stops', () => {
  test('answers a request that was sent on an idle connection and is not read yet, and ends', async () => {
    const server = await listen(async () => OK)
    const sockets = await Promise.all(Array.from({ length: 16 }, () => open(server)))
    for (const socket of sockets) {
      socket.write(requestText('GET /first'))
      await once(socket, 'data')
    }
    const received = sockets.map(readAll)
    // What is written in the same turn of the event loop, the server cannot have read.
    for (const socket of sockets) socket.write(requestText('GET /second'))
    await server.stop(GRACE_MS)
    for (const text of await Promise.all(received)) expect(told(parseAnswers(text))).toEqual([[200, 'close']])
  })

  test('answers on connections that the system has accepted, and the server not yet', async () => {
    const server = await listen(async () => OK)
    const sockets = Array.from({ length: 32 }, () => connect({ port: server.port, host: '127.0.0.1' }))
    const received = sockets.map(readAll)
    for (const socket of sockets) socket.write(requestText('GET /'))
    // Node connects in the next tick, before another turn of the event loop.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    await server.stop(GRACE_MS)
    for (const text of await Promise.all(received)) expect(told(parseAnswers(text))).toEqual([[200, 'close']])
  })

  test('answers on connections that came while it had no processor', async () => {
    const server = await listen(async () => OK)
    const received: Promise<string>[] = []
    const startedAt = performance.now()
    // It runs before what the server does in each turn of the event loop, since it began before.
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
    for (const text of await Promise.all(received)) expect(told(parseAnswers(text))).toEqual([[200, 'close']])
  })

  test('says Connection: close in answers to requests that came before, and is done with the last of them', async () => {
    const { answer, asked, release } = gated()
    const server = await listen(answer)
    const socket = await open(server)
    const received = readAll(socket)
    socket.write(requestText('GET /'))
    await asked
    const stopped = server.stop(GRACE_MS)
    release()
    await stopped
    expect(told(parseAnswers(await received))).toEqual([[200, 'close']])
  })

  test('answers requests that were sent at once, and closes with the last one', async () => {
    const { answer, asked, release } = gated()
    const server = await listen(answer)
    const socket = await open(server)
    const received = readAll(socket)
    socket.write(requestText('GET /1') + requestText('GET /2') + requestText('GET /3'))
    await asked
    const stopped = server.stop(GRACE_MS)
    release()
    await stopped
    expect(told(parseAnswers(await received))).toEqual([
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
    expect(parseAnswers(await received)).toMatchObject([{ status: 200, text: '8' }])
  })

  test('sends a long answer whole, to a client that reads it slowly and goes on sending', async () => {
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
    const [answer, ...others] = parseAnswers(await readAll(socket))
    expect([answer?.text.length, others]).toEqual([json.length, []])
    await stopped
  })

  test('lets a stream that has begun come to its end', async () => {
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
    expect(parseAnswers(await received)).toMatchObject([{ status: 200, text: 'begun, and ended' }])
  })

  test('closes connections on which nothing was ever sent', async () => {
    const server = await listen(async () => OK)
    const sockets = await Promise.all([open(server), open(server)])
    const received = sockets.map(readAll)
    await server.stop(GRACE_MS)
    expect(await Promise.all(received)).toEqual(['', ''])
  })

  test('cuts what is still under way when its grace is over', async () => {
    const { answer, asked } = gated()
    const server = await listen(answer)
    const socket = await open(server)
    const received = readAll(socket)
    socket.write(requestText('GET /'))
    await asked
    await server.stop(10)
    expect(await received).toBe('')
  })
})

test('a service that stops is not ready, on a connection that was open before', async () => {
  const service = await createTestService(small)
  const server = await serve(service, { port: 0 })
  const socket = await open(server)
  const received = readAll(socket)
  socket.write(requestText('GET /api/ready'))
  await once(socket, 'data')
  socket.write(requestText('GET /api/ready'))
  await server.stop(GRACE_MS)
  expect(told(parseAnswers(await received))).toEqual([
    [200, 'keep-alive'],
    [503, 'close'],
  ])
})
