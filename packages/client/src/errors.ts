import type { ErrorCode, ErrorDetails } from 'daybook'

/**
 * A code of the service's error table, or `UNEXPECTED_ANSWER` for a response that no Daybook service sends. Services of other versions
 * may have further codes.
 */
export type ClientErrorCode = ErrorCode | 'UNEXPECTED_ANSWER' | (string & Record<never, never>)

export interface ErrorResponse {
  readonly code: ClientErrorCode
  readonly status: number
  readonly message: string
  readonly details: ErrorDetails
  readonly requestId: string
  readonly retryAfter: number | undefined
}

/**
 * An error response, or a response that no Daybook service sends. `cause` is the failure of an earlier attempt, if there was one.
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
  /** Details for programs, such as `issues`; may be empty. */
  readonly details: ErrorDetails
  /** The service's id of the request; empty if the response has none. */
  readonly requestId: string
  /** The seconds after which the service accepts a retry (`Retry-After`). */
  readonly retryAfter: number | undefined
  /** Method and URL without the query. */
  readonly request: string

  constructor(request: string, { message, ...response }: ErrorResponse) {
    super(message)
    this.code = response.code
    this.status = response.status
    this.details = response.details
    this.requestId = response.requestId
    this.retryAfter = response.retryAfter
    this.request = request
  }
}

/** There was no response, or it was truncated. A write may or may not be stored. `cause` is the error of `fetch`. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  /** Method and URL without the query. */
  readonly request: string

  constructor(request: string, description: string, cause: unknown) {
    super(`${request} ${description}`, { cause })
    this.request = request
  }
}

/** The call took longer than `timeout`. `cause` is the failure that was being retried, if any. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  /** Method and URL without the query. */
  readonly request: string

  constructor(request: string, timeout: number, cause: unknown) {
    super(`${request} got no response within ${timeout} ms.`, cause === undefined ? undefined : { cause })
    this.request = request
  }
}
