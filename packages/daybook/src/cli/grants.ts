import { UsageError } from './command.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Returns the time, in ISO 8601 and UTC, at which a grant of a number of days ends.
 *
 * @throws {UsageError} unless the number is from 1 to 3650
 */
export function readExpiry(days: string): string {
  const count = Number(days)
  if (!/^\d+$/.test(days) || count < 1 || count > 3650) throw new UsageError(`--days takes 1 to 3650, not "${days}".`)
  return new Date(Date.now() + count * DAY_MS).toISOString()
}

/** Roles are printed as lists, so they contain no comma. */
const ROLE = /^[\w.-]{1,48}$/

/** @throws {UsageError} if a role cannot be stored */
export function checkRoles(roles: readonly string[]): readonly string[] {
  const invalid = roles.find((role) => !ROLE.test(role))
  if (invalid !== undefined) throw new UsageError(`--role takes letters, digits, _, . and -, not "${invalid}".`)
  return roles
}
