import type { IncomingMessage } from 'node:http'

const MAX_HEADERS = 200

/**
 * Headers of which a request has at most one: of two, proxies and the parts of the service could each believe another
 * one. `Content-Length` is the parser's; `Cookie` may be split (RFC 9113, section 8.2.3); `X-Request-Id` is only a label.
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

/** A fault in the head of a request. */
export interface HeadFault {
  readonly status: 400 | 431
  readonly message: string
}

/** A fault in the head of a request that Node's parser let through (RFC 9112, sections 2.3 and 3.2). */
export function headFault({ httpVersion, rawHeaders, headers }: IncomingMessage): HeadFault | undefined {
  if (rawHeaders.length > MAX_HEADERS * 2) {
    return { status: 431, message: `A request has at most ${MAX_HEADERS} headers.` }
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return { status: 400, message: 'The request line has to end with HTTP/1.1 or HTTP/1.0.' }
  }
  if (httpVersion === '1.1' && headers.host === undefined) {
    return { status: 400, message: 'A request needs a Host header.' }
  }
  // Almost all requests have each header once, which the counts tell.
  if (Object.keys(headers).length * 2 === rawHeaders.length) return undefined
  const name = repeatedHeader(rawHeaders)
  return name === undefined ? undefined : { status: 400, message: `A request has at most one ${name} header.` }
}

/** The first header that is there twice and must not be. */
function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = String(rawHeaders[at]).toLowerCase()
    if (SINGLE_HEADERS.has(name) && seen.has(name)) return rawHeaders[at]
    seen.add(name)
  }
  return undefined
}

/** What a URL parser reads as something else: backslashes, and dot segments, also where they are escaped. */
const AMBIGUOUS = /\\|\/(?:\.|%2e){1,2}(?:[/?#]|$)/i
const BACKSLASH_IN_PATH = /^[^?]*\\/
const HTTP_URL = /^https?:\/\//

/** Reads what requests ask for. */
export class TargetReader {
  /** The last Host header that was found valid: almost all requests have the same one. */
  #knownHost: string | undefined

  /**
   * The path and query that a request asks for (RFC 9112, section 3.2), as a web `Request` would have them; `*` where
   * OPTIONS asks about the whole service.
   *
   * @returns `undefined` when the target or the Host header is not valid
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

  /** Whether a Host header names a host, with or without a port, and nothing else. */
  #isHost(host: string): boolean {
    if (host === this.#knownHost) return true
    const name = host.replace(/:\d+$/, '').toLowerCase()
    if (URL.parse(`http://${host}`)?.hostname !== name) return false
    this.#knownHost = host
    return true
  }
}
