import { DaybookError } from '../../errors.ts'
import { UniqueViolation } from '../database.ts'
import { parseUniqueIndexName } from '../tables/tables.ts'
import type { PostgresNames } from './postgres-statements.ts'

/** The part of a driver's error that is read. */
interface PostgresError {
  /** An SQLSTATE (PostgreSQL's appendix A), or a code of Node's sockets. */
  readonly code?: unknown
  readonly message?: unknown
  readonly constraint?: unknown
}

/** The code of an error of the driver, or nothing. */
export const getErrorCode = (error: unknown): string => {
  const { code } = (error ?? {}) as PostgresError
  return typeof code === 'string' ? code : ''
}

/** The server ended the session, or refuses new ones. */
const SESSION_LOST = /^(?:08|57P0|25P03)/
const SOCKET_LOST = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/
const DRIVER_LOST = /Connection terminated|Client has encountered a connection/
/** All connections were in use for too long, or an answer took too long for the driver. */
const TOO_LATE = /timeout exceeded when trying to connect|Query read timeout/
/** A deadlock, or a clash that the server ended by undoing one side. */
const CLASH = /^40/

/** Whether a connection is lost, so that the outcome of its last statement is unknown. */
export function isConnectionLoss(error: unknown): boolean {
  const code = getErrorCode(error)
  if (SESSION_LOST.test(code) || SOCKET_LOST.test(code)) return true
  return error instanceof Error && DRIVER_LOST.test(error.message)
}

/** Whether the transaction was undone for the sake of another one, and may be begun again. */
export const isClash = (error: unknown): boolean => CLASH.test(getErrorCode(error))

const isTooLate = (error: unknown): boolean => error instanceof Error && TOO_LATE.test(error.message)

/**
 * What may pass: lost connections, deadlocks and clashes (40), missing resources (53), cancelled statements (57014), locks that
 * were not given (55P03), transactions that idled (25P03), a server that only reads as it is a standby (25006), trouble inside it (58, XX).
 */
const UNAVAILABLE = /^(?:08|40|53|57|58|XX|55P03|25P0|25006|28)/
const DISK_FULL = '53100'
const UNIQUE = '23505'

/**
 * Translates an error of PostgreSQL into one of Daybook; others pass unchanged.
 *
 * @param names those that statements had in them
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

/** `posts$unique$title` is an index of ours, `posts_slug_key` the engine's name for a column; messages come in any language. */
function violatedField(
  { constraint }: PostgresError,
  names: PostgresNames,
): NonNullable<ReturnType<typeof parseUniqueIndexName>> {
  const name = names.restore(String(constraint))
  return parseUniqueIndexName(name) ?? { field: /_(own_slug|slug)_key$/.exec(name)?.[1] ?? 'id' }
}
