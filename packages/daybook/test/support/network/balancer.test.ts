import { once } from 'node:events'
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { eventually } from '../timeouts.ts'
import { Balancer } from './balancer.ts'
import { FaultyProxy } from './faulty-proxy.ts'

/** A service with a name, which it sends as its default response. */
class NamedService implements AsyncDisposable {
  ready = true
  requests: string[] = []
  readonly #server: Server

  private constructor(name: string, respond: RequestListener) {
    this.#server = createServer((incoming, outgoing) => {
      if (incoming.url === '/api/ready') return void outgoing.writeHead(this.ready ? 200 : 503).end()
      this.requests.push(`${incoming.method} ${incoming.url}`)
      outgoing.setHeader('x-name', name)
      respond(incoming, outgoing)
    })
  }

  static async listen(
    name: string,
    respond: RequestListener = (_, outgoing) => outgoing.end(name),
  ): Promise<NamedService> {
    const named = new NamedService(name, respond)
    named.#server.listen(0, '127.0.0.1')
    await once(named.#server, 'listening')
    return named
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

/** Sends requests, and returns the names of the services that respond, in order. */
async function collectNames(balancer: Balancer, count: number): Promise<string> {
  let joined = ''
  for (let at = 0; at < count; at += 1) joined += await (await fetch(balancer.url)).text()
  return joined
}

test('distributes requests in turn', async () => {
  await using a = await NamedService.listen('a')
  await using b = await NamedService.listen('b')
  using balancer = await Balancer.over(a.url, b.url)
  expect(await collectNames(balancer, 4)).toBe('abab')
})

test('forwards requests and responses unchanged', async () => {
  await using echo = await NamedService.listen('echo', async (incoming, outgoing) => {
    const { 'x-mine': mine, host } = incoming.headers
    outgoing.writeHead(418, { 'x-yours': 'kept', 'set-cookie': ['a=1', 'b=2'] })
    outgoing.end(JSON.stringify({ mine, host, body: await text(incoming) }))
  })
  using balancer = await Balancer.over(echo.url)
  const body = 'long '.repeat(100_000)
  const response = await fetch(`${balancer.url}/a%2Fb?c=%20`, { method: 'POST', headers: { 'x-mine': 'kept' }, body })
  expect(echo.requests).toEqual(['POST /a%2Fb?c=%20'])
  expect(response.status).toBe(418)
  expect(response.headers.get('x-yours')).toBe('kept')
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(await response.json()).toEqual({ mine: 'kept', host: new URL(balancer.url).host, body })
})

test('passes an answer on while it grows', async () => {
  let go = () => {}
  await using slow = await NamedService.listen('slow', (_, outgoing) => {
    outgoing.write('one ')
    go = () => outgoing.end('two')
  })
  using balancer = await Balancer.over(slow.url)
  const response = await fetch(balancer.url)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('one ')
  go()
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('two')
})

test('skips a service that says that it is not ready, until it is', async () => {
  await using a = await NamedService.listen('a')
  await using b = await NamedService.listen('b')
  b.ready = false
  using balancer = await Balancer.over(a.url, b.url)
  expect(await collectNames(balancer, 3)).toBe('aaa')
  b.ready = true
  await eventually(async () => expect(await collectNames(balancer, 2)).toMatch(/ab|ba/))
})

test('retries a request with its body on another service if the connection is refused', async () => {
  await using a = await NamedService.listen('a', async (incoming, outgoing) =>
    outgoing.end(`a ${await text(incoming)}`),
  )
  const b = await NamedService.listen('b', (_, outgoing) => outgoing.end('b'))
  using balancer = await Balancer.over(b.url, a.url)
  await b[Symbol.asyncDispose]()
  const response = await fetch(balancer.url, { method: 'POST', body: 'mine' })
  expect(await response.text()).toBe('a mine')
})

test('does not repeat a request that was lost after it was sent', async () => {
  await using a = await NamedService.listen('a')
  await using b = await NamedService.listen('b')
  await using proxy = await FaultyProxy.to(b.port)
  using balancer = await Balancer.over(`http://127.0.0.1:${proxy.port}`, a.url)
  const cut = proxy.cutAt(/GET \/once/, 'delivered')
  expect((await fetch(`${balancer.url}/once`)).status).toBe(502)
  await cut
  expect([...a.requests, ...b.requests]).toEqual(['GET /once'])
})

test('cuts off a response if its service does', async () => {
  await using half = await NamedService.listen('half', (_, outgoing) => {
    outgoing.write('half of it')
    setImmediate(() => outgoing.destroy())
  })
  using balancer = await Balancer.over(half.url)
  await expect(fetch(balancer.url).then((response) => response.text())).rejects.toThrow()
})

test('closes the connection to the service when the client disconnects', async () => {
  let left = false
  await using patient = await NamedService.listen('patient', (_, outgoing) => {
    outgoing.write('…')
    outgoing.once('close', () => {
      left = true
    })
  })
  using balancer = await Balancer.over(patient.url)
  const request = httpRequest(balancer.url).end()
  request.on('error', () => {})
  await once(request, 'response')
  request.destroy()
  await eventually(() => expect(left).toBe(true))
})

test('returns 503 if no service is ready', async () => {
  await using a = await NamedService.listen('a')
  a.ready = false
  using balancer = await Balancer.over(a.url)
  const { status, headers } = await fetch(balancer.url)
  expect([status, headers.get('retry-after')]).toEqual([503, '1'])
})
