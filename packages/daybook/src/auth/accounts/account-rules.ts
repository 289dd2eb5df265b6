import { invalidAt } from '../../errors.ts'
import { fitsIn } from './account-limits.ts'

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
  if (fitsIn(password, max) && !fitsIn(password, min - 1)) return
  throw invalidAt('/password', 'length', `must have ${min} to ${max} characters`, { minimum: min, maximum: max })
}
