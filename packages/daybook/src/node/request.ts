import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { Readable } from 'node:stream'
import { makeIncompleteBodyError } from '../http/body.ts'
import type { HttpRequest, RequestHeaders } from '../http/request.ts'

const MAX_HEADERS = 200

/**
 * Headers that a request may have at most once: of two, a proxy and the service could use different ones. The parser checks
 * `Content-Length`; `Cookie` may be split (RFC 9113, section 8.2.3); `X-Request-Id` is only a label.
 */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'access-control-request-method',
  'authorization',
  'content-type',
  'daybook-min-seq',
  'from',
  'host',
  'idempotency-key',
  'if-modified-since',
  'if-range',
  'if-unmodified-since',
  'max-forwards',
  'origin',
  'proxy-authorization',
  'range',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'user-agent',
])

export interface HeadFault {
  readonly status: 400 | 431
  readonly message: string
}

/** Finds a fault in the head of a request that Node's parser accepts (RFC 9112, sections 2.3 and 3.2). */
export function findHeadFault({ httpVersion, rawHeaders, headers }: IncomingMessage): HeadFault | undefined {
  if (rawHeaders.length > MAX_HEADERS * 2) {
    return { status: 431, message: `A request must have at most ${MAX_HEADERS} headers.` }
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return { status: 400, message: 'The request line must end with HTTP/1.1 or HTTP/1.0.' }
  }
  if (httpVersion === '1.1' && headers.host === undefined) {
    return { status: 400, message: 'The Host header is required.' }
  }
  // If the counts are equal, as for almost all requests, no header is repeated.
  if (Object.keys(headers).length * 2 === rawHeaders.length) return undefined
  const name = findRepeatedHeader(rawHeaders)
  return name === undefined ? undefined : { status: 400, message: `A request must have at most one ${name} header.` }
}

/** Returns the first repeated single-valued header. */
function findRepeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = String(rawHeaders[at]).toLowerCase()
    if (SINGLE_HEADERS.has(name) && seen.has(name)) return rawHeaders[at]
    seen.add(name)
  }
  return undefined
}

/** Matches paths that a URL parser would change: with backslashes, or with dot segments, escaped or not. */
const AMBIGUOUS = /\\|\/(?:\.|%2e){1,2}(?:[/?#]|$)/i
const BACKSLASH_IN_PATH = /^[^?]*\\/
const HTTP_URL = /^https?:\/\//

export class TargetReader {
  /** The last Host header that was valid: almost all requests have the same one. */
  #lastHost: string | undefined

  /**
   * Returns the path and query of a request (RFC 9112, section 3.2), like those of a web `Request`; `*` for `OPTIONS *`.
   *
   * @returns `undefined` if the target or the Host header is not valid
   */
  read({ method, url = '', headers: { host } }: IncomingMessage): string | undefined {
    if (host !== undefined && !this.#isHost(host)) return undefined
    if (url === '*' && method === 'OPTIONS') return url
    const isPath = url.startsWith('/')
    if (isPath && !AMBIGUOUS.test(url)) return url
    if (!(isPath || HTTP_URL.test(url)) || BACKSLASH_IN_PATH.test(url)) return undefined
    const parsed = URL.parse(isPath ? `http://localhost${url}` : url)
    return parsed ? parsed.pathname + parsed.search + parsed.hash : undefined
  }

  /** True if a Host header names a host, with or without a port, and nothing else. */
  #isHost(host: string): boolean {
    if (host === this.#lastHost) return true
    const name = host.replace(/:\d+$/, '').toLowerCase()
    if (URL.parse(`http://${host}`)?.hostname !== name) return false
    this.#lastHost = host
    return true
  }
}

/** A request of Node's HTTP server. Web objects are created on demand. */
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

  /** The local address of the connection, since HTTP/1.0 requests may lack a Host. */
  get #localHost(): string {
    const { localAddress = 'localhost', localPort = 80 } = this.#incoming.socket
    return `${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${localPort}`
  }

  readBytes(limit: number): Promise<Uint8Array | undefined> {
    const incoming = this.#incoming
    return new Promise((resolve, reject) => {
      if (incoming.destroyed) return reject(makeIncompleteBodyError())
      const chunks: Buffer[] = []
      let size = 0
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size <= limit) {
          chunks.push(chunk)
        } else {
          // The rest is discarded as it arrives.
          chunks.length = 0
          resolve(undefined)
        }
      })
      incoming.once('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
      incoming.once('error', () => reject(makeIncompleteBodyError()))
    })
  }

  /** True if the body may take longer than the timeout, as long as data arrives steadily. */
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
 * Headers with the interface of web `Headers`. Node joins repeated headers, and keeps one of repeated single-valued ones, for which the
 * request was already rejected.
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
    const lowerCaseName = name.toLowerCase()
    return Object.hasOwn(this.#headers, lowerCaseName) ? String(this.#headers[lowerCaseName]) : null
  }
}
