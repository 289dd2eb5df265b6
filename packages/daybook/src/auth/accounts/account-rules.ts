import { validationError, validationErrorAt } from '../../errors.ts'
import { createIssue, type Issue } from '../../issues.ts'

/** The way to register an account: open to anyone, by invitation, or closed. */
export type Registration = 'open' | 'invite' | 'closed'

/** A request to reset a forgotten password. */
export interface PasswordReset {
  readonly email: string
  readonly name: string
  /** Sets a new password once within an hour, by `POST /api/auth/reset-password` with `{ token, newPassword }`. */
  readonly token: string
  /** Redirects through the service to the requesting page, with the token. */
  readonly url: string
}

/**
 * A plugin of better-auth. Its own types are left out, because projects that check library types would have to check all of better-auth.
 */
export interface AuthPlugin {
  readonly id: string
}

/** Social providers by name, such as `github`, with the options of better-auth. */
export type SocialProviders = Readonly<Record<string, SocialProvider>>

/**
 * The registration of the service with a social provider. With `undefined`, such as of an unset variable, the provider is disabled, and only
 * this machine may reach the service.
 */
export interface SocialProvider {
  readonly clientId: string | readonly string[] | undefined
  readonly clientSecret?: string | undefined
  readonly [option: string]: unknown
}

/** The base path of the provider's own routes. */
export const BASE_PATH = '/api/auth'
/** The length of a password in Unicode characters, of which one may take two code units of JavaScript. */
export const PASSWORD_LENGTH: { readonly min: number; readonly max: number } = { min: 8, max: 128 }

/** @throws VALIDATION_ERROR for a password that is too short or too long */
export function requirePassword(password: string): void {
  const { min, max } = PASSWORD_LENGTH
  if (hasAtMostCharacters(password, max) && !hasAtMostCharacters(password, min - 1)) return
  throw validationErrorAt('/password', 'length', `must be ${min} to ${max} characters long`, {
    minimum: min,
    maximum: max,
  })
}

/** The maximum lengths of the fields of an account, in Unicode characters; of an address, as in RFC 5321. */
export const ACCOUNT_LIMITS = { name: 200, email: 254, image: 2048 } as const

/** The maximum length of other text fields of an account, such as those of plugins. */
const MAX_FIELD_LENGTH = 2048

/** The fields of request bodies that set a field of an account. */
const LIMITED_FIELDS: readonly (readonly [field: string, max: number])[] = [
  ...Object.entries(ACCOUNT_LIMITS),
  ['newEmail', ACCOUNT_LIMITS.email],
]

/** Returns true if a text has at most `max` characters. Counts them only if the length in code units does not decide it. */
export function hasAtMostCharacters(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max)
}

/**
 * Checks the lengths of the fields of an account in a request body and in its `data`.
 *
 * @throws VALIDATION_ERROR with an issue for each field that is too long
 */
export function requireAccountLimits(body: unknown): void {
  const issues = [...issuesIn(body, ''), ...issuesIn(toRecord(body).data, '/data')]
  if (issues.length > 0) throw validationError(issues)
}

function issuesIn(fields: unknown, path: string): readonly Issue[] {
  const members = toRecord(fields)
  return LIMITED_FIELDS.flatMap(([field, max]) => {
    const value = members[field]
    if (typeof value !== 'string' || hasAtMostCharacters(value, max)) return []
    return [createIssue(`${path}/${field}`, 'maxLength', `must be at most ${max} characters long`, { limit: max })]
  })
}

const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/**
 * Truncates a name that is too long, and removes an image that is too long. Requests with such fields were rejected before; these come from
 * a social provider, where people could not sign in until they change their profile there.
 */
export function truncateAccount({ name, image }: Readonly<Record<string, unknown>>): { name?: string; image?: null } {
  return {
    ...(typeof name === 'string' && !hasAtMostCharacters(name, ACCOUNT_LIMITS.name)
      ? { name: firstCharacters(name) }
      : {}),
    ...(typeof image === 'string' && !hasAtMostCharacters(image, ACCOUNT_LIMITS.image) ? { image: null } : {}),
  }
}

/** Returns the first characters of a name. A character has at most two code units. */
const firstCharacters = (name: string): string =>
  [...name.slice(0, 2 * ACCOUNT_LIMITS.name)].slice(0, ACCOUNT_LIMITS.name).join('')

/** Returns the first text field of an account that is too long, except name and image, with its limit. */
export function findTooLongField(
  user: Readonly<Record<string, unknown>>,
): { readonly field: string; readonly max: number } | undefined {
  for (const [field, value] of Object.entries(user)) {
    const max = field === 'email' ? ACCOUNT_LIMITS.email : MAX_FIELD_LENGTH
    if (field !== 'name' && field !== 'image' && typeof value === 'string' && !hasAtMostCharacters(value, max))
      return { field, max }
  }
  return undefined
}
