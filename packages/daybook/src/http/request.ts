import type { Readable } from 'node:stream'
import type { FinishedReply } from './respond.ts'

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
export type Handle = (request: HttpRequest, respond: Respond) => void

/** Takes the answer to a request. */
export type Respond = (reply: FinishedReply) => void
