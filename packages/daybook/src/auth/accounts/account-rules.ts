import { validationError, validationErrorAt } from '../../errors.ts'
import { createIssue, type Issue } from '../../issues.ts'

/** How accounts are registered: by anyone, by invitation, or not at all. */
export type Registration = 'open' | 'invite' | 'closed'

/** A request to set a new password, by a user who has forgotten theirs. */
export interface PasswordReset {
  readonly email: string
  readonly name: string
  /** Sets a new password once, within an hour: `POST /api/auth/reset-password` with `{ token, newPassword }`. */
  readonly token: string
  /** Leads through the service to the page that asked for it, with the token. */
  readonly url: string
}

/**
 * A plugin of better-auth. Its own types are not named here: a project that checks its libraries' types would have to check
 * all of better-auth's.
 */
export interface AuthPlugin {
  readonly id: string
}

/** Social providers by name, such as `github`, each with what better-auth has for it. */
export type SocialProviders = Readonly<Record<string, SocialProvider>>

/**
 * How the service is known to a social provider. `undefined`, as of a variable that is not set: nobody signs in with the provider, and only
 * this machine may reach the service.
 */
export interface SocialProvider {
  readonly clientId: string | readonly string[] | undefined
  readonly clientSecret?: string | undefined
  readonly [option: string]: unknown
}

/** Where the provider's own routes are. */
export const BASE_PATH = '/api/auth'
/** In characters, as Unicode and JSON Schema count them: one may take two of JavaScript's. */
export const PASSWORD_LENGTH: { readonly min: number; readonly max: number } = { min: 8, max: 128 }

/** @throws VALIDATION_ERROR for a password that no account may have */
export function requirePassword(password: string): void {
  const { min, max } = PASSWORD_LENGTH
  if (hasAtMostCharacters(password, max) && !hasAtMostCharacters(password, min - 1)) return
  throw validationErrorAt('/password', 'length', `must have ${min} to ${max} characters`, {
    minimum: min,
    maximum: max,
  })
}

/** The most characters of the fields of an account, as Unicode and JSON Schema count them; of an address, as in RFC 5321. */
export const ACCOUNT_LIMITS = { name: 200, email: 254, image: 2048 } as const

/** The most characters of another text field of an account, such as one that a plugin adds. */
const MAX_FIELD_LENGTH = 2048

/** The fields of request bodies that hold a field of an account. */
const LIMITED_FIELDS: readonly (readonly [field: string, max: number])[] = [
  ...Object.entries(ACCOUNT_LIMITS),
  ['newEmail', ACCOUNT_LIMITS.email],
]

/** True if a text has at most `max` characters; counts them only where their number is not clear from its length. */
export function hasAtMostCharacters(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max)
}

/**
 * Checks the lengths of the fields of an account in a request body, also of those in its `data`.
 *
 * @throws VALIDATION_ERROR with an issue for each field that is too long
 */
export function requireAccountLimits(body: unknown): void {
  const issues = [...issuesIn(body, ''), ...issuesIn(membersOf(body).data, '/data')]
  if (issues.length > 0) throw validationError(issues)
}

function issuesIn(fields: unknown, path: string): readonly Issue[] {
  const members = membersOf(fields)
  return LIMITED_FIELDS.flatMap(([field, max]) => {
    const value = members[field]
    if (typeof value !== 'string' || hasAtMostCharacters(value, max)) return []
    return [createIssue(`${path}/${field}`, 'maxLength', `must have at most ${max} characters`, { limit: max })]
  })
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/**
 * Fits name and image into the limits: cuts a name that is too long, and removes an image that is. Requests with such fields are refused
 * before; these come from a social provider, where a person could not sign in until they change there.
 */
export function truncateAccount({ name, image }: Readonly<Record<string, unknown>>): { name?: string; image?: null } {
  return {
    ...(typeof name === 'string' && !hasAtMostCharacters(name, ACCOUNT_LIMITS.name)
      ? { name: firstCharacters(name) }
      : {}),
    ...(typeof image === 'string' && !hasAtMostCharacters(image, ACCOUNT_LIMITS.image) ? { image: null } : {}),
  }
}

/** The first characters of a name; a character has at most two units. */
const firstCharacters = (name: string): string =>
  [...name.slice(0, 2 * ACCOUNT_LIMITS.name)].slice(0, ACCOUNT_LIMITS.name).join('')

/** The first text field of an account that is too long, besides name and image, with its limit. */
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
