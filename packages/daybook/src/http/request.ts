import type { Readable } from 'node:stream'
import type { FinishedReply } from './respond.ts'

/** The part of `Headers` that answering a request takes: names in any case, repeated headers joined. */
export type RequestHeaders = Pick<Headers, 'get' | 'has'>

/** How a request came. */
export interface Arrival {
  /**
   * The turn of the event loop that brought it, if all of that turn was on its way before the turn began: what the process learns in the turn
   * is no older than the request then. `undefined`: it may have been sent later.
   */
  readonly turn: number | undefined
  /** Whether its connection has brought no other before it. */
  readonly isFirst: boolean
  /** Whether its connection was not read for a while before it came: there was enough to do. */
  readonly hasWaited: boolean
  /** How many connections are not read as it comes, as there is enough to do. */
  readonly unread: number
}

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
  readonly arrival: Arrival
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
