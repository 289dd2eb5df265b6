import { createIssue, type Issue, type Violation } from './issues.ts'

/** The status and the message of an error code on the wire. */
export interface ErrorKind {
  readonly status: number
  readonly message: string
}

/** The HTTP status and the default message of every error code. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorKind>> = {
  /** A query parameter, header, path or body is not valid. @details `issues` */
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid. See details.issues.' },
  /** The request needs a session and has none. Has `WWW-Authenticate`. */
  UNAUTHORIZED: { status: 401, message: 'A session is required. Send a bearer token or a session cookie.' },
  /**
   * The session has no permission, or an idempotent response contains an entry that the caller can no longer see.
   * @details `issues` if single fields are concerned
   * @see docs/concepts/access.md
   */
  FORBIDDEN: { status: 403, message: 'You are signed in, but not allowed to do this.' },
  /** There is no such route, collection or global, or no entry that the caller may see. */
  NOT_FOUND: { status: 404, message: 'There is nothing at this address.' },
  /** The path has no such method; `Allow` lists its methods. */
  METHOD_NOT_ALLOWED: { status: 405, message: 'This method is not allowed at this address. See the Allow header.' },
  /**
   * A unique value is in use, other documents require the entry to delete, or the first request with this `Idempotency-Key` is still running.
   * @details `field`, with the `locale` if it is localized, or `references`
   */
  CONFLICT: { status: 409, message: 'The request conflicts with stored content.' },
  /**
   * A token of the changes feed is older than the journal, or the rights of the caller have changed: the client must copy the content again.
   * @details `restart`: the token to start again with
   * @see docs/guides/live-content.md#begin-anew
   */
  GONE: {
    status: 410,
    message:
      'You cannot continue from this position, because it is no longer in the journal or your access rights have changed. Start again with details.restart.',
  },
  /**
   * `If-Match` differs from the stored revision, or `If-None-Match` equals it; on `GET`, `If-Match` differs from the `ETag` of the response.
   * @details `current`, the current tag
   */
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The stored version is not the one in If-Match. Read it again, merge your changes, and retry.',
  },
  /** The body is larger than `limits.bodyBytes`. @details `limit` in bytes @see docs/reference/config.md#options */
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than the limit. Send a smaller one.' },
  /** The `Content-Type` is not UTF-8 JSON, or the body is compressed. */
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'The Content-Type is not supported. Send application/json, uncompressed.',
  },
  /** `Range` begins after the end of the file. Has `Content-Range`. @details `size` of the file, in bytes */
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The file has no bytes in that range.' },
  /** The `Idempotency-Key` was used for another request, or when the caller had other rights. */
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    message: 'This Idempotency-Key was already used for another request. Choose another key.',
  },
  /** The collection or global requires `If-Match`, and there is none. */
  PRECONDITION_REQUIRED: {
    status: 428,
    message: 'If-Match is required. Send the ETag of the version that you have read.',
  },
  /**
   * Too many attempts to sign in from one network or to one account, or an auth adapter limits requests. Has `Retry-After`.
   * @see docs/guides/accounts.md#limit-password-guessing
   */
  RATE_LIMITED: { status: 429, message: 'Too many requests. Retry after the seconds in Retry-After.' },
  /** A bug in Daybook or in a rule of the config. The log has the cause, the response never does. */
  INTERNAL_ERROR: { status: 500, message: 'An internal error occurred. Quote the requestId when you report it.' },
  /** The service does not offer this. */
  NOT_IMPLEMENTED: { status: 501, message: 'This service does not support the request.' },
  /**
   * The database cannot be used, too many requests are waiting, or the service is ending. Has `Retry-After`.
   * @details `checks` on `/api/ready`; `outcome`: `unknown` if the database failed before it confirmed a write: read before you retry, or
   * send an `Idempotency-Key` from the start
   * @see docs/guides/running.md#limit-overload
   */
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service is unavailable. Retry after the seconds in Retry-After.' },
  /** The disk is full; nothing of the write was stored. */
  INSUFFICIENT_STORAGE: { status: 507, message: 'The disk is full, and nothing was stored.' },
}

/** A code of the error table, the same in responses, in the client and in thrown errors. */
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

/** The details of an error besides its message. */
export interface ErrorDetails {
  readonly issues?: readonly Issue[]
  readonly [key: string]: unknown
}

/**
 * The error that Daybook throws on purpose. Clients receive its code, message and details. Any other error becomes `INTERNAL_ERROR`, which
 * reveals nothing.
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

/** The maximum number of issues in a response. */
export const MAX_ISSUES = 100

/** Creates a `VALIDATION_ERROR` with the first {@link MAX_ISSUES} issues. */
export function validationError(issues: readonly Issue[]): DaybookError {
  const [first] = issues
  const message = issues.length === 1 && first ? first.message : undefined
  return new DaybookError('VALIDATION_ERROR', message, { issues: issues.slice(0, MAX_ISSUES) })
}

/** Creates a `VALIDATION_ERROR` with a single issue. */
export function validationErrorAt(path: string, ...violation: Violation): DaybookError {
  return validationError([createIssue(path, ...violation)])
}

/** The service cannot start. The message tells an operator what to do. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}

/** The file or folder of the database cannot be used, and no change of the config would help. */
export class DatabaseFileError extends StartupError {}

/** A migration cannot continue. The message tells an operator what to do. Running it again continues after what is stored. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
