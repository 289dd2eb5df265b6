import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The interval and the timeout of readiness checks, in milliseconds. */
const CHECK = { everyMs: 200, timeoutMs: 10_000 } as const

interface Node {
  readonly url: URL
  ready: boolean
}

/**
 * Distributes requests to the ready services in turn. A request is retried on another service only if the connection was refused, so
 * that none is executed twice. 502 means that the outcome is unknown, 503 that no service accepted the request.
 */
export class Balancer implements Disposable {
  readonly #server: Server
  readonly #nodes: readonly Node[]
  #turn = 0
  #timer: NodeJS.Timeout | undefined

  private constructor(urls: readonly string[]) {
    this.#nodes = urls.map((url) => ({ url: new URL(url), ready: false }))
    this.#server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing, this.#inTurn()))
  }

  /** Opens a balancer after one check of every service. @param urls the addresses, without a path */
  static async over(...urls: readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(urls)
    balancer.#server.listen(0, '127.0.0.1')
    await Promise.all([once(balancer.#server, 'listening'), balancer.#check()])
    return balancer
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#server.close().closeAllConnections()
  }

  async #check(): Promise<void> {
    await Promise.all(
      this.#nodes.map(async (node) => {
        node.ready = await isReady(node.url)
      }),
    )
    if (this.#server.listening) this.#timer = setTimeout(() => this.#check(), CHECK.everyMs)
  }

  /** The ready services, starting with the next in turn. */
  #inTurn(): Node[] {
    const ready = this.#nodes.filter((node) => node.ready)
    const first = ready.length > 0 ? this.#turn++ % ready.length : 0
    return [...ready.slice(first), ...ready.slice(0, first)]
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse, [node, ...nextNodes]: Node[]): void {
    if (!node) return void refuse(outgoing, 503)
    const { method, url: path } = incoming
    // One connection for each request: an idle one may end just when a request is sent.
    const options = { method, path, headers: withoutHopHeaders(incoming.rawHeaders), agent: false, setHost: false }
    const passed = request(node.url, options)
    // Send the body after the connection is open, so that a refused request can be retried.
    passed.once('socket', (socket) => socket.once('connect', () => incoming.pipe(passed)))
    passed.once('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, withoutHopHeaders(response.rawHeaders))
      response.once('error', () => outgoing.destroy()).pipe(outgoing)
    })
    passed.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNREFUSED') return refuse(outgoing, 502)
      node.ready = false
      this.#pass(incoming, outgoing, nextNodes)
    })
    outgoing.once('close', () => passed.destroy())
  }
}

async function isReady(url: URL): Promise<boolean> {
  try {
    const response = await fetch(new URL('/api/ready', url), { signal: AbortSignal.timeout(CHECK.timeoutMs) })
    await response.arrayBuffer()
    return response.status !== 503
  } catch {
    return false
  }
}

function refuse(outgoing: ServerResponse, status: 502 | 503): void {
  if (outgoing.headersSent) outgoing.destroy()
  else outgoing.writeHead(status, { 'retry-after': '1', connection: 'close' }).end()
}

/** Returns raw headers, names and values alternating, without those of the connection (RFC 9110, section 7.6.1). */
function withoutHopHeaders(raw: readonly string[]): string[] {
  return raw.filter((_, index) => !/^(?:connection|keep-alive)$/i.test(raw[index - (index % 2)] ?? ''))
}
