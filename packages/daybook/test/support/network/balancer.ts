import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How often services are asked whether they are ready, and how long they may take to say so, in milliseconds. */
const CHECK = { everyMs: 200, patienceMs: 10_000 } as const

interface Node {
  readonly url: URL
  ready: boolean
}

/**
 * Deals requests out to services in turn, to those that are ready. A request is given to another service only when the
 * connection was refused, so that none is carried out twice; 502 says that nobody knows, 503 that nobody took it.
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

  /** A balancer that has asked every service once. @param urls where they listen, without a path */
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

  /** The services that are ready, whose turn it is first. */
  #inTurn(): Node[] {
    const ready = this.#nodes.filter((node) => node.ready)
    const first = ready.length > 0 ? this.#turn++ % ready.length : 0
    return [...ready.slice(first), ...ready.slice(0, first)]
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse, [node, ...others]: Node[]): void {
    if (!node) return void refuse(outgoing, 503)
    const { method, url: path } = incoming
    // One connection for each request: a kept one may end just when a request is sent on it.
    const options = { method, path, headers: kept(incoming.rawHeaders), agent: false, setHost: false }
    const passed = request(node.url, options)
    // The body stays with the caller until somebody listens.
    passed.once('socket', (socket) => socket.once('connect', () => incoming.pipe(passed)))
    passed.once('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, kept(answer.rawHeaders))
      answer.once('error', () => outgoing.destroy()).pipe(outgoing)
    })
    passed.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNREFUSED') return refuse(outgoing, 502)
      node.ready = false
      this.#pass(incoming, outgoing, others)
    })
    outgoing.once('close', () => passed.destroy())
  }
}

async function isReady(url: URL): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/api/ready', url), { signal: AbortSignal.timeout(CHECK.patienceMs) })
    await answer.arrayBuffer()
    return answer.status !== 503
  } catch {
    return false
  }
}

function refuse(outgoing: ServerResponse, status: 502 | 503): void {
  if (outgoing.headersSent) outgoing.destroy()
  else outgoing.writeHead(status, { 'retry-after': '1', connection: 'close' }).end()
}

/** Headers as they were sent, name and value by turns, without those of one connection (RFC 9110, section 7.6.1). */
function kept(raw: readonly string[]): string[] {
  return raw.filter((_, index) => !/^(?:connection|keep-alive)$/i.test(raw[index - (index % 2)] ?? ''))
}
