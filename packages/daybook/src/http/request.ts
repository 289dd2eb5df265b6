import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import type { AuthContext } from '../auth/adapter.ts'
import type { FinishedResponse } from './response.ts'

/** The part of `Headers` that answering a request takes: names in any case, repeated headers joined. */
export type RequestHeaders = Pick<Headers, 'get' | 'has'>

/** A request as the service reads it, whatever it came in on. */
export interface HttpRequest {
  readonly method: string
  /** Path and query, escapes as they were sent. */
  readonly target: string
  readonly headers: RequestHeaders
  /** The IP address at the other end of the connection; `null` where there is none to know. */
  readonly address: string | null
  /** Scheme, host and port, as the request names them. */
  readonly origin: string
  /** Whether the client has gone. */
  readonly isAborted: boolean
  /**
   * Reads the body, once.
   *
   * @param limit in bytes; of a longer body no more is kept
   * @returns `undefined` when the body is longer than that
   * @throws when the body ends before it is complete
   */
  readBytes(limit: number): Promise<Uint8Array | undefined>
  /**
   * The body as it comes in, once. It may take as long as it needs while it comes in steadily.
   *
   * @throws the stream: when the body ends before it is complete
   */
  toStream(): Readable
  /** Calls `listener` when the client goes; the function that comes back ends that. */
  onAbort(listener: () => void): () => void
  /** All headers, for auth adapters. */
  toHeaders(): Headers
  /** The whole request with its body as a stream, for code that is written against the web standard. */
  toRequest(): Request
}

/**
 * Answers a request, some at once. Never throws; HEAD is answered as GET is, and the sender of the reply leaves out its content.
 *
 * @param respond takes the answer, once; it must not throw
 */
export type RequestHandler = (request: HttpRequest, respond: SendResponse) => void

/** Takes the answer to a request. */
export type SendResponse = (reply: FinishedResponse) => void

/**
 * The parts of a request that an auth adapter gets.
 *
 * @param proxies how many proxies in front of the service are trusted to tell the client's address and the scheme
 */
export function toAuthContext(request: HttpRequest, proxies: number): AuthContext {
  const headers = request.toHeaders()
  // Two credentials of two people would be one question with two answers.
  if (headers.has('authorization')) headers.delete('cookie')
  return { headers, address: getClientAddress(request, proxies), origin: requestOrigin(request, proxies) }
}

/**
 * The address of the client. Each proxy adds the address of its own client to the end of `X-Forwarded-For`, so that with N trusted
 * ones the Nth from the end is the client; whatever stands before it may be forged.
 */
export function getClientAddress({ headers, address }: HttpRequest, proxies: number): string | null {
  const claimed = proxies > 0 ? (headers.get('x-forwarded-for') ?? '').split(',') : []
  const found = claimed.at(-proxies)?.trim() ?? ''
  return isIP(found) > 0 ? found : address
}

function requestOrigin({ headers, origin }: HttpRequest, proxies: number): string {
  if (proxies === 0) return origin
  const [scheme, host] = origin.split('://')
  const last = (name: string): string | undefined => headers.get(name)?.split(',').at(-1)?.trim()
  const outer = `${last('x-forwarded-proto') ?? scheme}://${last('x-forwarded-host') ?? host}`
  return URL.canParse(outer) ? new URL(outer).origin : origin
}
