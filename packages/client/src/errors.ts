import type { ErrorCode, ErrorDetails } from 'daybook'

/**
 * A code of the service's error table; `UNEXPECTED_ANSWER` when what answered was no Daybook service. Services of other
 * versions may have more of them.
 */
export type ClientErrorCode = ErrorCode | 'UNEXPECTED_ANSWER' | (string & Record<never, never>)

/** What an answer said that went wrong. */
export interface ErrorResponse {
  readonly code: ClientErrorCode
  readonly status: number
  readonly message: string
  readonly details: ErrorDetails
  readonly requestId: string
  readonly retryAfter: number | undefined
}

/**
 * An answer that is no success, or none that a Daybook service gives. `cause` is what an earlier attempt failed with, if
 * there was one.
 *
 * @example
 * ```ts
 * try {
 *   await client.collections.posts.create({ title: 'Hello' })
 * } catch (error) {
 *   if (error instanceof DaybookError && error.code === 'CONFLICT') console.log(error.details.field)
 * }
 * ```
 */
export class DaybookError extends Error {
  override readonly name = 'DaybookError'
  readonly code: ClientErrorCode
  /** The HTTP status. */
  readonly status: number
  /** What the service says for programs, such as `issues`; empty when there is nothing to say. */
  readonly details: ErrorDetails
  /** The service's name for the request; empty when the answer had none. */
  readonly requestId: string
  /** In how many seconds the service wants to be asked again, where it said so. */
  readonly retryAfter: number | undefined
  /** Method and address, without the query. */
  readonly request: string

  constructor(request: string, { message, ...answer }: ErrorResponse) {
    super(message)
    this.code = answer.code
    this.status = answer.status
    this.details = answer.details
    this.requestId = answer.requestId
    this.retryAfter = answer.retryAfter
    this.request = request
  }
}

/** No answer came, or not all of it; `cause` is what `fetch` said. Whether a write was carried out is not known. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  /** Method and address, without the query. */
  readonly request: string

  constructor(request: string, what: string, cause: unknown) {
    super(`${request} ${what}`, { cause })
    this.request = request
  }
}

/** The answer took longer than `timeout`; `cause` is the failure that was being tried again, if any. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  /** Method and address, without the query. */
  readonly request: string

  constructor(request: string, timeout: number, cause: unknown) {
    super(`${request} was not answered within ${timeout} ms`, cause === undefined ? undefined : { cause })
    this.request = request
  }
}
