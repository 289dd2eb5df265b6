import type { IncomingMessage } from 'node:http'

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
