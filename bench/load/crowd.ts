// Many clients at once, in a process of its own: bare sockets, so that thousands of requests a second cost little.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A crowd of clients, each with a connection of its own. */
export interface Crowd {
  readonly url: string
  readonly paths: readonly string[]
  readonly connections: number
  /** How long it takes until all connections are made, evenly. */
  readonly arrivalSeconds: number
  readonly seconds: number
  /** Requests a second, sent by clients without a pending request. @default each client asks again after its answer */
  readonly rate?: number
  /** Whether a client that is refused waits as long as `Retry-After` says. @default false */
  readonly isPatient?: boolean
}

/** Somebody who asks on a new connection each time, one after the other. */
export interface Probe {
  readonly url: string
  readonly probed: readonly string[]
  readonly seconds: number
}

/** What became of a crowd. Times are in milliseconds. */
export interface CrowdResult {
  readonly served: number
  readonly refused: number
  /** Connections that broke, and other answers. */
  readonly failures: number
  /** Requests that all clients were too busy to send. */
  readonly unsent: number
  /** The fewest answers of 200 that a client got. */
  readonly fewest: number
  readonly servedMs: Spread
  readonly refusedMs: Spread
  /** Seconds in which answers came. */
  readonly seconds: number
}

/** What became of a probe. */
export interface ProbeResult {
  readonly answers: number
  readonly failures: number
  /** In milliseconds. */
  readonly ms: Spread
}

/** Times in milliseconds. */
export interface Spread {
  readonly p99: number
  readonly max: number
}

/** One client, one connection, one request at a time. */
class CrowdClient {
  readonly #crowd: CrowdRun
  readonly #socket: Socket
  served = 0
  #sentAt = 0
  #isReady = false
  /** Bytes of the answer that are still to come; undefined before its head. */
  #missing: number | undefined
  #status = 0
  #retryAfterMs = 0

  constructor(crowd: CrowdRun, host: string, port: number) {
    this.#crowd = crowd
    this.#sentAt = performance.now()
    this.#socket = connect({ host, port, noDelay: true })
    this.#socket.once('connect', () => crowd.free(this))
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#socket.on('error', () => {})
    this.#socket.once('close', () => crowd.lost())
  }

  send(text: string): void {
    this.#missing = undefined
    // What the connection took to be made belongs to its first request.
    if (this.#isReady) this.#sentAt = performance.now()
    this.#isReady = true
    this.#socket.write(text)
  }

  end(): void {
    this.#socket.destroy()
  }

  /** Heads of a bench come in one piece. */
  #read(chunk: Buffer): void {
    let size = chunk.length
    if (this.#missing === undefined) {
      const end = chunk.indexOf('\r\n\r\n')
      const head = chunk.toString('latin1', 0, end)
      this.#status = Number(head.slice(9, 12))
      this.#missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      this.#retryAfterMs = Number(/retry-after: (\d+)/i.exec(head)?.[1] ?? 0) * 1000
      size -= end + 4
    }
    this.#missing -= size
    if (this.#missing > 0) return
    if (this.#status === 200) this.served += 1
    this.#crowd.answered(this, this.#status, performance.now() - this.#sentAt, this.#retryAfterMs)
  }
}

class CrowdRun {
  readonly #plan: Crowd
  readonly #texts: readonly string[]
  readonly #free: CrowdClient[] = []
  readonly clients: CrowdClient[] = []
  readonly #served: number[] = []
  readonly #refused: number[] = []
  #failures = 0
  #unsent = 0
  #sent = 0
  #isOver = false

  constructor(plan: Crowd) {
    this.#plan = plan
    this.#texts = plan.paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`)
  }

  free(client: CrowdClient): void {
    if (this.#isOver) return
    if (this.#plan.rate === undefined) this.#send(client)
    else this.#free.push(client)
  }

  answered(client: CrowdClient, status: number, ms: number, retryAfterMs: number): void {
    if (this.#isOver) return
    if (status === 200) this.#served.push(ms)
    else if (status === 503) this.#refused.push(ms)
    else this.#failures += 1
    if (this.#plan.isPatient && retryAfterMs > 0) setTimeout(() => this.free(client), retryAfterMs)
    else this.free(client)
  }

  lost(): void {
    if (!this.#isOver) this.#failures += 1
  }

  #send(client: CrowdClient): void {
    client.send(this.#texts[this.#sent++ % this.#texts.length] as string)
  }

  async run(): Promise<CrowdResult> {
    const { seconds } = this.#plan
    const startedAt = performance.now()
    await Promise.all([this.#arrive(), this.#sendAtRate(startedAt + seconds * 1000), sleep(seconds * 1000)])
    this.#isOver = true
    for (const client of this.clients) client.end()
    return {
      served: this.#served.length,
      refused: this.#refused.length,
      failures: this.#failures,
      unsent: this.#unsent,
      fewest: Math.min(...this.clients.map(({ served }) => served)),
      servedMs: spread(this.#served),
      refusedMs: spread(this.#refused),
      seconds: (performance.now() - startedAt) / 1000,
    }
  }

  async #arrive(): Promise<void> {
    const { url, connections, arrivalSeconds } = this.#plan
    const { hostname, port } = new URL(url)
    const startedAt = performance.now()
    while (this.clients.length < connections) {
      const due = ((performance.now() - startedAt) / (arrivalSeconds * 1000)) * connections
      while (this.clients.length < Math.min(due, connections)) {
        this.clients.push(new CrowdClient(this, hostname, Number(port)))
      }
      await sleep(1)
    }
  }

  async #sendAtRate(endsAt: number): Promise<void> {
    const { rate } = this.#plan
    if (rate === undefined) return
    for (let last = performance.now(), due = 0; last < endsAt; await sleep(1)) {
      const now = performance.now()
      due += ((now - last) / 1000) * rate
      last = now
      for (; due >= 1; due -= 1) {
        const client = this.#free.shift()
        if (client) this.#send(client)
        else this.#unsent += 1
      }
    }
  }
}

function spread(times: readonly number[]): Spread {
  const sorted = Float64Array.from(times).sort()
  return { p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0, max: sorted.at(-1) ?? 0 }
}

/** How long a probe pauses, in milliseconds. */
const PAUSE_MS = 25

async function probe({ url, probed, seconds }: Probe): Promise<ProbeResult> {
  const endsAt = performance.now() + seconds * 1000
  const times: number[] = []
  let failures = 0
  for (let count = 0; performance.now() < endsAt; count += 1) {
    const startedAt = performance.now()
    const [response] = (await once(get(url + probed[count % probed.length], { agent: false }), 'response')) as [
      IncomingMessage,
    ]
    await once(response.resume(), 'end')
    if (response.statusCode === 200) times.push(performance.now() - startedAt)
    else failures += 1
    await sleep(PAUSE_MS)
  }
  return { answers: times.length, failures, ms: spread(times) }
}

process.on('message', async (plan: Crowd | Probe) => {
  process.send?.(await ('probed' in plan ? probe(plan) : new CrowdRun(plan).run()))
})
process.once('disconnect', () => process.exit(0))
