import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ScriptedResponse, Sent } from '../suite/case.ts'

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': '*',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, If-Match, X-Own',
  'Access-Control-Expose-Headers': 'ETag, Retry-After, X-Request-Id',
}

interface Script {
  readonly responses: readonly ScriptedResponse[]
  readonly sent: Sent[]
}

/** A server that plays the responses of a test in order, and repeats the last one. */
export class ScriptedServer implements AsyncDisposable {
  readonly #server = createServer((request, response) => void this.#respond(request, response))
  readonly #scripts = new Map<string, Script>()

  static async start(): Promise<ScriptedServer> {
    const server = new ScriptedServer()
    // A browser retries a request by itself if a reused connection is reset.
    server.#server.maxRequestsPerSocket = 1
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** `POST /` stores a script and returns its id; requests below `/ID/api` play it; `/ID/sent` returns the received requests. */
  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const [, id = '', place = ''] = url.split('/')
    for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value)
    if (method === 'OPTIONS') return void response.end()
    const body = await text(request).catch(() => undefined)
    // An aborted request gets no response.
    if (body === undefined) return
    const script = this.#scripts.get(id)
    if (!script) return void response.end(this.#add(JSON.parse(body)))
    if (place === 'sent') return void response.end(JSON.stringify(script.sent))
    script.sent.push({ method, url: url.slice(id.length + 1), headers, body })
    play(script.responses[script.sent.length - 1] ?? script.responses.at(-1) ?? {}, response)
  }

  #add(responses: readonly ScriptedResponse[]): string {
    const id = randomUUID()
    this.#scripts.set(id, { responses, sent: [] })
    return id
  }
}

function play({ status = 200, headers = {}, body = '', fault }: ScriptedResponse, response: ServerResponse): void {
  if (fault === 'silence') return
  if (fault === 'reset') return void response.socket?.resetAndDestroy()
  if (fault === undefined) return void response.writeHead(status, headers).end(body)
  const half = body.slice(0, body.length / 2)
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).write(half, () => {
    if (fault === 'cut') response.socket?.end()
  })
}
