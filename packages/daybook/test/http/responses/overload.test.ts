import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type DaybookConfig, defineCollection, f } from 'daybook'
import { describe, expect, test } from 'vitest'
import { listen } from '../../support/network/listening.ts'
import { exchange, parseResponses, readAll, requestText } from '../../support/network/raw-http.ts'
import { expectSane } from '../../support/scenarios/sane.ts'
import type { TestResponse } from '../../support/scenarios/transports.ts'

const CLOSE = 'Connection: close'
const READ = requestText('GET /api/notes?limit=0', [CLOSE])

/** A service with limits that calls a function before each read. */
function guarded(limits: NonNullable<DaybookConfig['limits']>, beforeRead: () => void | Promise<void>): DaybookConfig {
  const read = async (): Promise<boolean> => {
    await beforeRead()
    return true
  }
  return { limits, collections: { notes: defineCollection({ fields: { text: f.text() }, access: { read } }) } }
}

/**
 * Blocks the process.
 *
 * @param ms by default longer than a slice of the queue
 */
function compute(ms = 20): void {
  for (const endsAt = performance.now() + ms; performance.now() < endsAt; );
}

const sendRequest = async (port: number, request: string): Promise<TestResponse> =>
  (await exchange(port, request))[0] as TestResponse
const health = (port: number): Promise<TestResponse> => sendRequest(port, requestText('GET /api/health', [CLOSE]))
const ready = (port: number): Promise<TestResponse> => sendRequest(port, requestText('GET /api/ready', [CLOSE]))

/** Opens connections, and receives a response on each, so that the service has accepted all of them. */
async function connected(port: number, count: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1' }))
  for (const socket of sockets) {
    socket.write(requestText('GET /api/health'))
    await once(socket, 'data')
  }
  return sockets
}

/** Sends a request on each connection in the same turn of the event loop; returns all responses, in the order of the connections. */
async function sendAll(sockets: readonly Socket[]): Promise<readonly TestResponse[]> {
  const received = sockets.map(readAll)
  for (const socket of sockets) socket.write(READ)
  return (await Promise.all(received)).flatMap(parseResponses)
}

const statusesOf = (responses: readonly TestResponse[]): readonly number[] => responses.map(({ status }) => status)

/** A function that waits for a gate, and a promise of its first calls. */
function gated(calls: number) {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  let count = 0
  let isClosed = false
  return {
    pass: async (): Promise<void> => {
      if (!isClosed) return
      count += 1
      if (count === calls) begun.resolve()
      await gate.promise
    },
    /** A start reads, too, so the gate is open at first. */
    close: () => {
      isClosed = true
    },
    begun: begun.promise,
    open: () => gate.resolve(),
    get count() {
      return count
    },
  }
}

describe('a service with the maximum number of pending requests', () => {
  test('rejects another one with 503, answers probes, and accepts requests again when there is room', async () => {
    const reads = gated(2)
    await using server = await listen(guarded({ pendingRequests: 2 }, reads.pass))
    reads.close()
    const pending = [sendRequest(server.port, READ), sendRequest(server.port, READ)]
    await reads.begun

    const rejected = await sendRequest(server.port, READ)
    expectSane(rejected)
    expect([rejected.status, JSON.parse(rejected.text).code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(rejected.headers.get('retry-after')).toBe('1')
    expect(reads.count).toBe(2)
    expect([(await health(server.port)).status, (await ready(server.port)).status]).toEqual([200, 200])

    reads.open()
    expect(statusesOf(await Promise.all(pending))).toEqual([200, 200])
    expect((await sendRequest(server.port, READ)).status).toBe(200)
  })

  test('still sends cached responses', async () => {
    const creates = gated(1)
    const create = async (): Promise<boolean> => {
      await creates.pass()
      return true
    }
    const notes = defineCollection({ fields: { text: f.text() }, access: { create } })
    await using server = await listen({ limits: { pendingRequests: 1 }, collections: { notes } })
    // The second response is cached, and the third one comes from the cache.
    for (let time = 0; time < 3; time += 1) expect((await sendRequest(server.port, READ)).status).toBe(200)
    creates.close()
    const headers = ['Content-Type: application/json', 'Content-Length: 12', CLOSE]
    const pending = sendRequest(server.port, requestText('POST /api/notes', headers, '{"text":"x"}'))
    await creates.begun
    expect((await sendRequest(server.port, READ)).status).toBe(200)
    expect((await sendRequest(server.port, requestText('GET /api/notes?limit=1', [CLOSE]))).status).toBe(503)
    creates.open()
    expect((await pending).status).toBe(201)
  })

  test('does not count requests whose body has not arrived', async () => {
    await using server = await listen(guarded({ pendingRequests: 2 }, () => {}))
    const headers = [server.authorization, 'Content-Type: application/json', 'Content-Length: 12', CLOSE]
    const slow = Array.from({ length: 5 }, () => connect({ port: server.port, host: '127.0.0.1' }))
    const responses = slow.map(readAll)
    // One after the other, since the steps before the body count.
    for (const socket of slow) {
      socket.write(requestText('POST /api/notes', [...headers, 'Expect: 100-continue']))
      await once(socket, 'data')
    }
    await expect.poll(async () => (await sendRequest(server.port, READ)).status).toBe(200)
    for (const socket of slow) socket.write('{"text":"x"}')
    for (const text of await Promise.all(responses)) expect(statusesOf(parseResponses(text))).toEqual([100, 201])
  })
})

describe('clients that are rejected and retry at once', () => {
  const CLIENTS = 100

  /** A service with one pending request and no room, and clients that were rejected once and have sent a second request. */
  async function rejectAll() {
    const reads = gated(1)
    const server = await listen(guarded({ pendingRequests: 1 }, reads.pass))
    reads.close()
    const pending = sendRequest(server.port, READ)
    await reads.begun
    const sockets = Array.from({ length: CLIENTS }, () => connect({ port: server.port, host: '127.0.0.1' }))
    const received = sockets.map((socket) => readAll(socket))
    for (const socket of sockets) socket.write(requestText('GET /api/notes?limit=0'))
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
    for (const socket of sockets) socket.write(requestText('GET /api/notes?limit=0'))
    return { server, reads, pending, sockets, received }
  }

  test('get a response each time', async () => {
    const { server, reads, pending, sockets, received } = await rejectAll()
    await using _server = server
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
    reads.open()
    expect((await pending).status).toBe(200)
    for (const socket of sockets) socket.write(READ)
    for (const text of await Promise.all(received)) {
      const [first, second, last] = statusesOf(parseResponses(text))
      expect([first, second]).toEqual([503, 503])
      expect([200, 503]).toContain(last)
    }
    expect((await sendRequest(server.port, READ)).status).toBe(200)
  })

  test('get a response when the service ends', async () => {
    const { server, reads, pending, received } = await rejectAll()
    const stopped = server.stop(30_000, 0)
    reads.open()
    const counts = (await Promise.all(received)).map((text) => parseResponses(text).length)
    expect(counts).toEqual(Array.from({ length: CLIENTS }, () => 2))
    expect((await pending).status).toBe(200)
    await stopped
  })
})

describe('requests that arrive at once', () => {
  const COUNT = 40

  test('are all answered, and a new connection gets a response in between', async () => {
    let reads = 0
    const work = (): void => {
      reads += 1
      compute()
    }
    await using server = await listen(guarded({}, work))
    const sockets = await connected(server.port, COUNT)
    reads = 0
    const responses = sendAll(sockets)
    expect((await health(server.port)).status).toBe(200)
    expect(reads).toBeLessThan(COUNT)
    expect(statusesOf(await responses)).toEqual(Array.from({ length: COUNT }, () => 200))
  })

  test('are rejected after the longest wait, without being run', async () => {
    let reads = 0
    const work = (): void => {
      reads += 1
      compute(1500)
    }
    await using server = await listen(guarded({ queueMs: 1000 }, work))
    const sockets = await connected(server.port, 3)
    reads = 0
    const responses = await sendAll(sockets)
    expect(statusesOf(responses)).toEqual([200, 503, 503])
    for (const response of responses) expectSane(response)
    expect(Number(responses[1]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(reads).toBe(1)
    expect((await sendRequest(server.port, READ)).status).toBe(200)
  })

  test('set Retry-After of a rejected request to the time that they have waited', async () => {
    let late: readonly Socket[] = []
    const work = (): void => {
      if (late.length === 0) return
      for (const socket of late) socket.write(READ)
      late = []
      compute(1500)
    }
    await using server = await listen(guarded({ pendingRequests: 3 }, work))
    const first = await connected(server.port, 3)
    // They arrive during the first read. One of them takes its place, and the other one exceeds the limit.
    late = await connected(server.port, 2)
    const received = late.map(readAll)
    expect(statusesOf(await sendAll(first))).toEqual([200, 200, 200])
    const responses = (await Promise.all(received)).flatMap(parseResponses)
    expect(statusesOf(responses)).toEqual([200, 503])
    expect(Number(responses[1]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(2)
  })

  test('are not run if their client has disconnected', async () => {
    let reads = 0
    let sockets: readonly Socket[] = []
    const work = (): void => {
      reads += 1
      compute()
      for (const socket of sockets) socket.resetAndDestroy()
    }
    await using server = await listen(guarded({}, work))
    sockets = await connected(server.port, COUNT)
    for (const socket of sockets) socket.on('error', () => {})
    for (const socket of sockets) socket.write(READ)
    await Promise.all(sockets.map((socket) => once(socket, 'close')))
    expect((await sendRequest(server.port, READ)).status).toBe(200)
    expect(reads).toBeLessThan(COUNT)
  })
})

describe('many clients that send requests in turn', () => {
  const CLIENTS = 80
  const REQUESTS = 6

  /** Sends requests, each after the response to the one before; returns the statuses. */
  async function askInTurn(socket: Socket): Promise<readonly number[]> {
    const statuses: number[] = []
    for (let sent = 1; sent <= REQUESTS; sent += 1) {
      socket.write(requestText('GET /api/notes?limit=0', sent === REQUESTS ? [CLOSE] : []))
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      statuses.push(Number(chunk.toString('latin1', 9, 12)))
    }
    return statuses
  }

  test('get every response', async () => {
    await using server = await listen(guarded({}, () => compute(2)))
    const sockets = await connected(server.port, CLIENTS)
    const statuses = await Promise.all(sockets.map(askInTurn))
    expect(statuses).toEqual(Array.from({ length: CLIENTS }, () => Array(REQUESTS).fill(200)))
  })

  test('get the last response when the service ends', async () => {
    await using server = await listen(guarded({}, () => compute(2)))
    const sockets = await connected(server.port, CLIENTS)
    const responses = sendAll(sockets)
    const stopped = server.stop(30_000, 0)
    expect(statusesOf(await responses)).toEqual(Array(CLIENTS).fill(200))
    await stopped
  })
})
