/** The status and the message of an error code on the wire. */
export interface ErrorKind {
  readonly status: number
  readonly message: string
}

/** Every error that Daybook answers with: code, HTTP status, and the message used when there is nothing more exact to say. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorKind>> = {
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid; see details.issues.' },
  UNAUTHORIZED: { status: 401, message: 'This needs a session. Send a bearer token or a session cookie.' },
  FORBIDDEN: { status: 403, message: 'You are signed in, but not allowed to do this.' },
  NOT_FOUND: { status: 404, message: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This address does not take this method; see the Allow header.' },
  CONFLICT: { status: 409, message: 'This clashes with what is stored.' },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The stored version is another one than If-Match names. Read it again, merge, and retry.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than the limit.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send Content-Type: application/json, uncompressed.' },
  IDEMPOTENCY_MISMATCH: { status: 422, message: 'This Idempotency-Key was used for another request.' },
  PRECONDITION_REQUIRED: { status: 428, message: 'Send If-Match with the ETag that you read.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests; wait as Retry-After says.' },
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side. Quote the requestId when you report it.' },
  NOT_IMPLEMENTED: { status: 501, message: 'The service does not offer this.' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service cannot answer right now; retry as Retry-After says.' },
  INSUFFICIENT_STORAGE: { status: 507, message: 'There is no room left to store this.' },
}

/** A code of the error table, the same in answers, in the client and in thrown errors. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'CONFLICT'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'IDEMPOTENCY_MISMATCH'
  | 'PRECONDITION_REQUIRED'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'NOT_IMPLEMENTED'
  | 'SERVICE_UNAVAILABLE'
  | 'INSUFFICIENT_STORAGE'

/** One thing that is wrong with a request: where, which rule, and what to do about it. */
export interface Issue {
  /** JSON Pointer (RFC 6901) into the body, or the name of the query parameter. */
  readonly path: string
  /** The rule that is broken, such as `required`, `type`, `unknown_field`. */
  readonly code: string
  readonly message: string
}

/** The details of an error besides its message; empty when there are none. */
export interface ErrorDetails {
  readonly issues?: readonly Issue[]
  readonly [key: string]: unknown
}

/**
 * The one error that Daybook throws on purpose. Its parts are public: they are what a client is told.
 * Anything else that is thrown is answered as `INTERNAL_ERROR` and says nothing.
 *
 * @example
 * ```ts
 * try {
 *   await service.content.create('posts', { title: 'Hello' }, { caller })
 * } catch (error) {
 *   if (error instanceof DaybookError && error.code === 'CONFLICT') console.log(error.details.field)
 * }
 * ```
 */
export class DaybookError extends Error {
  override readonly name = 'DaybookError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message?: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message ?? ERRORS[code].message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }

  /** The HTTP status that belongs to the code. */
  get status(): number {
    return ERRORS[this.code].status
  }
}

/** The most issues that one answer lists. */
export const MAX_ISSUES = 100

/** A `VALIDATION_ERROR` with one issue for each fault, at most {@link MAX_ISSUES}. */
export function invalid(issues: readonly Issue[]): DaybookError {
  const [first] = issues
  const message = issues.length === 1 && first ? `${first.path}: ${first.message}` : undefined
  return new DaybookError('VALIDATION_ERROR', message, { issues: issues.slice(0, MAX_ISSUES) })
}

/** A `VALIDATION_ERROR` with a single issue. */
export function invalidAt(path: string, code: string, message: string): DaybookError {
  return invalid([{ path, code, message }])
}

/** The service cannot start as it stands: says what an operator must do, in words of the operator's world. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}

/** The file or folder of the database cannot be used as it is, and no change of the config mends that. */
export class DatabaseFileError extends StartupError {}
