import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { Readable } from 'node:stream'
import { incompleteBody } from '../http/body.ts'
import type { HttpRequest, RequestHeaders } from '../http/request.ts'

/** A request that came in over Node's HTTP server; no web object is made before it is needed. */
export class NodeRequest implements HttpRequest {
  readonly method: string
  readonly target: string
  readonly headers: RequestHeaders
  readonly #incoming: IncomingMessage
  #isStreamed = false

  constructor(incoming: IncomingMessage, target: string) {
    this.method = incoming.method ?? ''
    this.target = target
    this.headers = new NodeHeaders(incoming)
    this.#incoming = incoming
  }

  get address(): string | null {
    return this.#incoming.socket.remoteAddress ?? null
  }

  get isAborted(): boolean {
    return this.#incoming.socket.destroyed
  }

  get origin(): string {
    return `http://${this.headers.get('host') ?? this.#localHost}`
  }

  /** What the client connected to. HTTP/1.0 does not say by which name. */
  get #localHost(): string {
    const { localAddress = 'localhost', localPort = 80 } = this.#incoming.socket
    return `${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${localPort}`
  }

  readBytes(limit: number): Promise<Uint8Array | undefined> {
    const incoming = this.#incoming
    return new Promise((resolve, reject) => {
      if (incoming.destroyed) return reject(incompleteBody())
      const chunks: Buffer[] = []
      let size = 0
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size <= limit) {
          chunks.push(chunk)
        } else {
          // What is still to come is let go as it arrives.
          chunks.length = 0
          resolve(undefined)
        }
      })
      incoming.once('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
      incoming.once('error', () => reject(incompleteBody()))
    })
  }

  /** Whether the body may take longer to arrive than others, as long as it goes on arriving. */
  get isStreamed(): boolean {
    return this.#isStreamed
  }

  toStream(): Readable {
    this.#isStreamed = true
    return this.#incoming
  }

  onAbort(listener: () => void): () => void {
    const { socket } = this.#incoming
    socket.once('close', listener)
    return () => void socket.off('close', listener)
  }

  toHeaders(): Headers {
    const { rawHeaders } = this.#incoming
    const headers = new Headers()
    for (let at = 0; at < rawHeaders.length; at += 2) {
      headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string)
    }
    return headers
  }

  toRequest(): Request {
    const { method } = this
    const url = `${this.origin}${this.target}`
    const head = { method, headers: this.toHeaders() }
    if (method === 'GET' || method === 'HEAD') return new Request(url, head)
    return new Request(url, { ...head, body: Readable.toWeb(this.#incoming), duplex: 'half' })
  }
}

/**
 * Headers as web `Headers` reads them. Node joins those that are repeated, and leaves one of those that may stand once, which the head was
 * refused for already.
 */
class NodeHeaders implements RequestHeaders {
  readonly #headers: IncomingMessage['headers']

  constructor({ headers }: IncomingMessage) {
    this.#headers = headers
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#headers, name.toLowerCase())
  }

  get(name: string): string | null {
    const wanted = name.toLowerCase()
    return Object.hasOwn(this.#headers, wanted) ? String(this.#headers[wanted]) : null
  }
}
