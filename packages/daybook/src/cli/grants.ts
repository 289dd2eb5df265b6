import type { CommandLine } from './options.ts'
import { UsageError } from './usage.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * When something ends that lasts for a number of days, as ISO 8601 in UTC.
 *
 * @throws {UsageError} for anything but 1 to 3650 days
 */
export function endOf(days: string): string {
  const count = Number(days)
  if (!/^\d+$/.test(days) || count < 1 || count > 3650) throw new UsageError(`--days takes 1 to 3650, not "${days}".`)
  return new Date(Date.now() + count * DAY_MS).toISOString()
}

/** Roles as they are told apart in lists of them. */
const ROLE = /^[\w.-]{1,48}$/

/** @throws {UsageError} for a role that cannot be kept */
export function rolesIn(options: CommandLine, usual: string): readonly string[] {
  const roles = options.texts('role')
  const odd = roles.find((role) => !ROLE.test(role))
  if (odd !== undefined) throw new UsageError(`--role takes letters, digits, _, . and -, not "${odd}".`)
  return roles.length === 0 ? [usual] : roles
}
