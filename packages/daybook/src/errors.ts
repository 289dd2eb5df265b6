import { createIssue, type Issue, type Violation } from './issues.ts'

/** The status and the message of an error code on the wire. */
export interface ErrorKind {
  readonly status: number
  readonly message: string
}

/** Every error that Daybook answers with: code, HTTP status, and the message used when there is nothing more exact to say. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorKind>> = {
  /** A query parameter, header, path or body is not valid. @details `issues` */
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid; see details.issues.' },
  /** The request needs a session and has none. Carries `WWW-Authenticate`. */
  UNAUTHORIZED: { status: 401, message: 'This needs a session. Send a bearer token or a session cookie.' },
  /**
   * There is a session, and a rule of the config says no; or an answer that would be given again holds an entry that has come out of reach.
   * @details `issues` when it is about single fields
   * @see docs/access.md
   */
  FORBIDDEN: { status: 403, message: 'You are signed in, but not allowed to do this.' },
  /** No route, no such collection or global, or no entry that this reader may see. */
  NOT_FOUND: { status: 404, message: 'There is nothing at this address.' },
  /** The path exists, the method does not; `Allow` lists those that do. */
  METHOD_NOT_ALLOWED: { status: 405, message: 'This address does not take this method; see the Allow header.' },
  /**
   * A unique value is taken, other documents require the entry to delete, or the first request with this `Idempotency-Key` is under way.
   * @details `field`, with the `locale` of a localized one, or `references`
   */
  CONFLICT: { status: 409, message: 'This clashes with what is stored.' },
  /**
   * A token of the changes feed is older than the journal, or what its reader may see has changed: a copy of the content must begin anew.
   * @details `restart`: the token to begin anew with
   * @see docs/live-content.md#begin-anew
   */
  GONE: {
    status: 410,
    message:
      'You cannot continue from this position: the journal no longer has it, or what you may read has changed. Begin anew with details.restart.',
  },
  /**
   * `If-Match` names another version than the stored one, or `If-None-Match` the stored one; on `GET`, `If-Match` names another `ETag`
   * than the answer's. @details `current`, its tag
   */
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The stored version is another one than If-Match names. Read it again, merge, and retry.',
  },
  /** The body has more bytes than `limits.bodyBytes`. @details `limit` in bytes @see docs/reference/config.md#options */
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than the limit.' },
  /** The body is not UTF-8 JSON by its `Content-Type`, or is compressed. */
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send Content-Type: application/json, uncompressed.' },
  /** `Range` begins behind the end of the file. Carries `Content-Range`. @details `size` of the file, in bytes */
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The file has no bytes in that range.' },
  /** The `Idempotency-Key` was used for another request, or when the sender could see more or less than now. */
  IDEMPOTENCY_MISMATCH: { status: 422, message: 'This Idempotency-Key was used for another request.' },
  /** The collection or global demands `If-Match`, and there is none. */
  PRECONDITION_REQUIRED: { status: 428, message: 'Send If-Match with the ETag that you read.' },
  /**
   * Too many attempts to sign in from one network or for one account, or an auth adapter limits requests. Carries `Retry-After`.
   * @see docs/authentication.md#limit-password-guessing
   */
  RATE_LIMITED: { status: 429, message: 'Too many requests; wait as Retry-After says.' },
  /** A fault in Daybook or in the config's rules; the log has the cause, the answer never does. */
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side. Quote the requestId when you report it.' },
  /** The service does not offer this. */
  NOT_IMPLEMENTED: { status: 501, message: 'The service does not offer this.' },
  /**
   * The database cannot be used, too many requests wait, or the service is ending. Carries `Retry-After`.
   * @details `checks` on `/api/ready`; `outcome`: `unknown` when a write lost its database before it was confirmed: read before
   * you send it again, or send an `Idempotency-Key` from the start
   * @see docs/running.md#limit-overload
   */
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service cannot answer right now; retry as Retry-After says.' },
  /** The disk is full; nothing of the write was stored. */
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
  | 'GONE'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RANGE_NOT_SATISFIABLE'
  | 'IDEMPOTENCY_MISMATCH'
  | 'PRECONDITION_REQUIRED'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'NOT_IMPLEMENTED'
  | 'SERVICE_UNAVAILABLE'
  | 'INSUFFICIENT_STORAGE'

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
export function validationError(issues: readonly Issue[]): DaybookError {
  const [first] = issues
  const message = issues.length === 1 && first ? `${first.path}: ${first.message}` : undefined
  return new DaybookError('VALIDATION_ERROR', message, { issues: issues.slice(0, MAX_ISSUES) })
}

/** A `VALIDATION_ERROR` with a single issue. */
export function validationErrorAt(path: string, ...violation: Violation): DaybookError {
  return validationError([createIssue(path, ...violation)])
}

/** The service cannot start as it stands: says what an operator must do, in words of the operator's world. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}

/** The file or folder of the database cannot be used as it is, and no change of the config mends that. */
export class DatabaseFileError extends StartupError {}

/** A migration cannot go on: says what an operator must do. What was stored before stays, and running it again goes on. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
