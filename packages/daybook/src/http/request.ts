import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import type { AuthContext } from '../auth/adapter.ts'
import type { FinishedResponse } from './response.ts'

/** The required part of `Headers`: names in any case, repeated headers joined. */
export type RequestHeaders = Pick<Headers, 'get' | 'has'>

/** A request, independent of its transport. */
export interface HttpRequest {
  readonly method: string
  /** Path and query, with escapes as sent. */
  readonly target: string
  readonly headers: RequestHeaders
  /** The IP address of the peer; `null` if it is unknown. */
  readonly address: string | null
  /** Scheme, host and port of the request. */
  readonly origin: string
  /** True if the client has disconnected. */
  readonly isAborted: boolean
  /**
   * Reads the body, once.
   *
   * @param limit in bytes
   * @returns `undefined` if the body exceeds the limit
   * @throws VALIDATION_ERROR if the body ends before it is complete
   */
  readBytes(limit: number): Promise<Uint8Array | undefined>
  /**
   * Returns the body as a stream, once. The timeout of the body does not apply while data arrives steadily. The stream fails if the
   * body ends before it is complete.
   */
  toStream(): Readable
  /** Calls `listener` if the client disconnects; the returned function removes it. */
  onAbort(listener: () => void): () => void
  /** Returns all headers, for auth adapters. */
  toHeaders(): Headers
  /** Returns the request as a web `Request` with a streamed body. */
  toRequest(): Request
}

/**
 * Handles a request, synchronously for cached responses. Never throws. The response to HEAD is that to GET: the transport omits its content.
 *
 * @param respond called once with the response; must not throw
 */
export type RequestHandler = (request: HttpRequest, respond: SendResponse) => void

export type SendResponse = (response: FinishedResponse) => void

/**
 * Returns the parts of a request that an auth adapter gets.
 *
 * @param proxies the number of proxies that are trusted to name the client's address and the scheme
 */
export function toAuthContext(request: HttpRequest, proxies: number): AuthContext {
  const headers = request.toHeaders()
  // With two credentials, the caller would be ambiguous.
  if (headers.has('authorization')) headers.delete('cookie')
  return { headers, address: getClientAddress(request, proxies), origin: getRequestOrigin(request, proxies) }
}

/**
 * Returns the address of the client. Each proxy appends the address of its client to `X-Forwarded-For`. With N trusted proxies, the Nth
 * address from the end is that of the client; those before it may be forged.
 */
export function getClientAddress({ headers, address }: HttpRequest, proxies: number): string | null {
  const forwardedAddresses = proxies > 0 ? (headers.get('x-forwarded-for') ?? '').split(',') : []
  const claimedAddress = forwardedAddresses.at(-proxies)?.trim() ?? ''
  return isIP(claimedAddress) > 0 ? claimedAddress : address
}

function getRequestOrigin({ headers, origin }: HttpRequest, proxies: number): string {
  if (proxies === 0) return origin
  const [scheme, host] = origin.split('://')
  const getLastValue = (name: string): string | undefined => headers.get(name)?.split(',').at(-1)?.trim()
  const outerOrigin = `${getLastValue('x-forwarded-proto') ?? scheme}://${getLastValue('x-forwarded-host') ?? host}`
  return URL.canParse(outerOrigin) ? new URL(outerOrigin).origin : origin
}
