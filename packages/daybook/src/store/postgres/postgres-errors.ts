import { DaybookError } from '../../errors.ts'
import { UniqueViolation } from '../database.ts'
import { parseUniqueIndexName } from '../tables/tables.ts'
import type { PostgresNames } from './postgres-statements.ts'

/** The part of a driver's error that is used. */
interface PostgresError {
  /** An SQLSTATE (PostgreSQL's appendix A), or a code of Node's sockets. */
  readonly code?: unknown
  readonly message?: unknown
  readonly constraint?: unknown
}

/** Returns the code of a driver's error, or the empty text. */
export const getErrorCode = (error: unknown): string => {
  const { code } = (error ?? {}) as PostgresError
  return typeof code === 'string' ? code : ''
}

/** The server ended the session, or rejects new ones. */
const SESSION_LOST = /^(?:08|57P0|25P03)/
const SOCKET_LOST = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/
const DRIVER_LOST = /Connection terminated|Client has encountered a connection/
/** No connection became free in time, or a query exceeded the driver's timeout. */
const TOO_LATE = /timeout exceeded when trying to connect|Query read timeout/
/** A deadlock or a serialization failure, which the server resolved by rolling back one transaction. */
const CONFLICT = /^40/

/** True if the connection is lost, so that the outcome of its last statement is unknown. */
export function isConnectionLoss(error: unknown): boolean {
  const code = getErrorCode(error)
  if (SESSION_LOST.test(code) || SOCKET_LOST.test(code)) return true
  return error instanceof Error && DRIVER_LOST.test(error.message)
}

/** True if the transaction was rolled back in favor of another one, and can be retried. */
export const isClash = (error: unknown): boolean => CONFLICT.test(getErrorCode(error))

const isTooLate = (error: unknown): boolean => error instanceof Error && TOO_LATE.test(error.message)

/**
 * Temporary errors: lost connections (08), deadlocks and serialization failures (40), missing resources (53), cancelled statements (57014),
 * lock timeouts (55P03), idle transactions (25P03), a standby that only reads (25006), internal errors (58, XX).
 */
const UNAVAILABLE = /^(?:08|40|53|57|58|XX|55P03|25P0|25006|28)/
const DISK_FULL = '53100'
const UNIQUE = '23505'

/**
 * Translates an error of PostgreSQL into one of Daybook; others pass unchanged.
 *
 * @param names the shortened names, to be restored
 */
export function translatePostgresError(error: unknown, names: PostgresNames): unknown {
  if (error instanceof DaybookError) return error
  const code = getErrorCode(error)
  if (code === UNIQUE) return new UniqueViolation(violatedField(error as PostgresError, names), error)
  if (code === DISK_FULL) return new DaybookError('INSUFFICIENT_STORAGE', undefined, {}, error)
  if (UNAVAILABLE.test(code) || isConnectionLoss(error) || isTooLate(error))
    return new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error)
  return error
}

/** Finds the field by the constraint, since messages can be in any language: `posts$unique$title` is Daybook's name of an index, `posts_slug_key` PostgreSQL's. */
function violatedField(
  { constraint }: PostgresError,
  names: PostgresNames,
): NonNullable<ReturnType<typeof parseUniqueIndexName>> {
  const name = names.restore(String(constraint))
  return parseUniqueIndexName(name) ?? { field: /_(own_slug|slug)_key$/.exec(name)?.[1] ?? 'id' }
}
