import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type DaybookConfig, defineCollection, f } from 'daybook'
import { describe, expect, test } from 'vitest'
import { listen } from '../../support/network/listening.ts'
import { exchange, parseAnswers, readAll, requestText } from '../../support/network/raw-http.ts'
import { expectSane } from '../../support/scenarios/sane.ts'
import type { Answer } from '../../support/scenarios/transports.ts'

const CLOSE = 'Connection: close'
const READ = requestText('GET /api/notes?limit=0', [CLOSE])

/** A service that takes so many requests, and does this before each read. */
function guarded(pendingRequests: number, beforeRead: () => void | Promise<void>): DaybookConfig {
  const read = async (): Promise<boolean> => {
    await beforeRead()
    return true
  }
  return {
    limits: { pendingRequests },
    collections: { notes: defineCollection({ fields: { text: f.text() }, access: { read } }) },
  }
}

/**
 * Keeps the process from everything else.
 *
 * @param ms by default for longer than one turn may take
 */
function compute(ms = 10): void {
  for (const endsAt = performance.now() + ms; performance.now() < endsAt; );
}

const ask = async (port: number, request: string): Promise<Answer> => (await exchange(port, request))[0] as Answer
const health = (port: number): Promise<Answer> => ask(port, requestText('GET /api/health', [CLOSE]))
const ready = (port: number): Promise<Answer> => ask(port, requestText('GET /api/ready', [CLOSE]))

/** Connections, each of which has had an answer. */
async function connected(port: number, count: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1' }))
  // Connections that have had an answer are accepted.
  for (const socket of sockets) {
    socket.write(requestText('GET /api/health'))
    await once(socket, 'data')
  }
  return sockets
}

describe('a service with as many requests as it takes', () => {
  test('refuses another one before it begins, tells how it is, and goes on when there is room', async () => {
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    let reads = 0
    let isListening = false
    const hold = async (): Promise<void> => {
      // A start asks the rule for the OpenAPI document.
      if (!isListening) return
      reads += 1
      if (reads === 2) begun.resolve()
      await gate.promise
    }
    await using server = await listen(guarded(2, hold))
    isListening = true
    const held = [ask(server.port, READ), ask(server.port, READ)]
    await begun.promise

    const refused = await ask(server.port, READ)
    expectSane(refused)
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(reads).toBe(2)
    expect([(await health(server.port)).status, (await ready(server.port)).status]).toEqual([200, 200])

    gate.resolve()
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200])
    expect((await ask(server.port, READ)).status).toBe(200)
  })

  test('does not count those whose body it waits for', async () => {
    await using server = await listen(guarded(2, () => {}))
    const headers = [server.authorization, 'Content-Type: application/json', 'Content-Length: 12', CLOSE]
    const slow = Array.from({ length: 5 }, () => connect({ port: server.port, host: '127.0.0.1' }))
    const answers = slow.map(readAll)
    // One after the other: what comes before the body counts.
    for (const socket of slow) {
      socket.write(requestText('POST /api/notes', [...headers, 'Expect: 100-continue']))
      await once(socket, 'data')
    }
    await expect.poll(async () => (await ask(server.port, READ)).status).toBe(200)
    for (const socket of slow) socket.write('{"text":"x"}')
    for (const text of await Promise.all(answers)) {
      expect(parseAnswers(text).map(({ status }) => status)).toEqual([100, 201])
    }
  })
})

describe('a client that is refused and asks again at once', () => {
  /** More of them than are read again at a time. */
  const CLIENTS = 400

  /** A service that works on one request and takes no other, and the connections of clients that were refused and have asked again. */
  async function refusing() {
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const server = await listen(
      guarded(1, async () => {
        begun.resolve()
        await gate.promise
      }),
    )
    const held = ask(server.port, READ)
    await begun.promise
    const sockets = Array.from({ length: CLIENTS }, () => connect({ port: server.port, host: '127.0.0.1' }))
    const received = sockets.map((socket) => readAll(socket))
    for (const socket of sockets) socket.write(requestText('GET /api/notes?limit=0'))
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
    for (const socket of sockets) socket.write(requestText('GET /api/notes?limit=0'))
    return { server, gate, held, sockets, received }
  }

  test('has an answer each time', async () => {
    const { server, gate, held, sockets, received } = await refusing()
    await using _server = server
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
    gate.resolve()
    expect((await held).status).toBe(200)
    for (const socket of sockets) socket.write(READ)
    for (const text of await Promise.all(received)) {
      const [first, second, last] = parseAnswers(text).map(({ status }) => status)
      expect([first, second]).toEqual([503, 503])
      expect([200, 503]).toContain(last)
    }
    expect((await ask(server.port, READ)).status).toBe(200)
  })

  test('has one when the service ends meanwhile', async () => {
    const { server, gate, held, received } = await refusing()
    const stopped = server.stop(30_000, 0)
    gate.resolve()
    const answers = (await Promise.all(received)).map((text) => parseAnswers(text).length)
    expect(answers).toEqual(Array.from({ length: CLIENTS }, () => 2))
    expect((await held).status).toBe(200)
    await stopped
  })
})

describe('requests that come all at once', () => {
  const COUNT = 40

  /** Sends them in the same turn of the event loop, each on a connection of its own. */
  async function sendAll(port: number): Promise<readonly Socket[]> {
    const sockets = await connected(port, COUNT)
    for (const socket of sockets) socket.write(READ)
    return sockets
  }

  test('let a new connection in between, and are answered themselves', async () => {
    let reads = 0
    const work = (): void => {
      reads += 1
      compute()
    }
    await using server = await listen(guarded(1000, work))
    const received = (await sendAll(server.port)).map(readAll)
    expect((await health(server.port)).status).toBe(200)
    expect(reads).toBeLessThan(COUNT)
    for (const text of await Promise.all(received)) {
      expect(parseAnswers(text).map(({ status }) => status)).toEqual([200])
    }
  })

  test('tell one that is refused to come again when they have had their turn', async () => {
    // A start asks the rule, too.
    let reads = Number.NEGATIVE_INFINITY
    /** What is sent while a read goes on, by its number. */
    const sent = new Map<number, readonly Socket[]>()
    const work = (): void => {
      reads += 1
      for (const socket of sent.get(reads) ?? []) socket.write(READ)
      compute(reads === 4 ? 1500 : 10)
    }
    await using server = await listen(guarded(3, work))
    const first = await connected(server.port, 1)
    // They are read at once: two may begin in that turn, two wait.
    const others = await connected(server.port, 4)
    // While the first of the two keeps the second waiting, so many come that one is too many.
    const late = await connected(server.port, 3)
    sent.set(1, others).set(4, late)
    reads = 0
    for (const socket of first) socket.write(READ)
    const answers = (await Promise.all([...first, ...others, ...late].map(readAll))).flatMap(parseAnswers)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 503])
    expect(answers.at(-1)?.headers.get('retry-after')).toBe('2')
  })

  test('are not worked on when their client has gone meanwhile', async () => {
    let reads = 0
    let sockets: readonly Socket[] = []
    const work = (): void => {
      reads += 1
      compute()
      for (const socket of sockets) socket.resetAndDestroy()
    }
    await using server = await listen(guarded(1000, work))
    sockets = await sendAll(server.port)
    for (const socket of sockets) socket.on('error', () => {})
    await Promise.all(sockets.map((socket) => once(socket, 'close')))
    expect((await ask(server.port, READ)).status).toBe(200)
    expect(reads).toBeLessThan(COUNT)
  })
})

describe('clients that ask again and again, more than are read at a time', () => {
  const CLIENTS = 80

  /** A service that takes a while for each read, and clients that have had one answer each. */
  async function crowded() {
    const server = await listen(guarded(1000, () => compute(2)))
    const sockets = await connected(server.port, CLIENTS)
    return { server, sockets, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  }

  /** Asks so many times, each time after the answer before; answers the statuses. */
  async function askInTurn(socket: Socket, questions: number): Promise<readonly number[]> {
    const statuses: number[] = []
    for (let asked = 1; asked <= questions; asked += 1) {
      socket.write(requestText('GET /api/notes?limit=0', asked === questions ? [CLOSE] : []))
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      statuses.push(Number(chunk.toString('latin1', 9, 12)))
    }
    return statuses
  }

  test('have every answer', async () => {
    await using crowd = await crowded()
    const statuses = await Promise.all(crowd.sockets.map((socket) => askInTurn(socket, 6)))
    expect(statuses).toEqual(Array.from({ length: CLIENTS }, () => Array(6).fill(200)))
  })

  test('take turns: when the first of them has ten answers, none has less than eight', async () => {
    await using crowd = await crowded()
    const counts = Array.from({ length: CLIENTS }, () => 0)
    let fewest: number | undefined
    await Promise.all(
      crowd.sockets.map(async (socket, at) => {
        while (fewest === undefined) {
          await askOnce(socket)
          counts[at] = (counts[at] ?? 0) + 1
          if (counts[at] === 10) fewest ??= Math.min(...counts)
        }
      }),
    )
    for (const socket of crowd.sockets) socket.destroy()
    expect(fewest).toBeGreaterThanOrEqual(8)
  })

  test('keep their places while they are not read: who comes later is refused first', async () => {
    // A start asks the rule, too.
    let reads = Number.NEGATIVE_INFINITY
    let asked: readonly Promise<readonly number[]>[] = []
    const work = (): void => {
      reads += 1
      // What is sent during these reads arrives together. The second is at a time when most of the first wait, and others are not read.
      if (reads === 1) asked = first.map((socket) => askInTurn(socket, 2))
      if (reads === 20) for (const socket of late) socket.write(READ)
      compute(reads === 1 || reads === 20 ? 50 : 2)
    }
    await using server = await listen(guarded(100, work))
    const first = await connected(server.port, 64)
    const late = await connected(server.port, 100)
    const received = late.map(readAll)
    const [begin] = (await connected(server.port, 1)) as [Socket]
    reads = 0
    await askOnce(begin)
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 64 }, () => [200, 200]))
    const answers = (await Promise.all(received)).flatMap(parseAnswers).map(({ status }) => status)
    expect(answers).toHaveLength(100)
    expect(new Set(answers)).toEqual(new Set([200, 503]))
    begin.destroy()
  })

  test('have an answer long after the others have gone', async () => {
    await using crowd = await crowded()
    const [last, ...others] = crowd.sockets as [Socket, ...Socket[]]
    await Promise.all([askOnce(last), ...others.map((socket) => askInTurn(socket, 2))])
    expect(await askInTurn(last, 2)).toEqual([200, 200])
  })

  test('have one when the service ends meanwhile', async () => {
    await using crowd = await crowded()
    await Promise.all(crowd.sockets.map(askOnce))
    const received = crowd.sockets.map((socket) => readAll(socket))
    for (const socket of crowd.sockets) socket.write(requestText('GET /api/notes?limit=0'))
    const stopped = crowd.server.stop(30_000, 0)
    const answers = (await Promise.all(received)).flatMap(parseAnswers)
    expect(answers.map(({ status }) => status)).toEqual(Array(CLIENTS).fill(200))
    await stopped
  })

  const askOnce = async (socket: Socket): Promise<void> => {
    socket.write(requestText('GET /api/notes?limit=0'))
    await once(socket, 'data')
  }
})
