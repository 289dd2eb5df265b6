import { invalid } from '../errors.ts'

/** Who may make an account: anyone, whoever is invited, or nobody. */
export type Registration = 'open' | 'invite' | 'closed'

/** The cookie that holds a session. */
export const COOKIE = 'better-auth.session_token'
/** Where the provider's own routes are. */
export const BASE_PATH = '/api/auth'
/** In characters. */
export const PASSWORD_LENGTH: { readonly min: number; readonly max: number } = { min: 8, max: 128 }

/** @throws VALIDATION_ERROR for a password that no account may have */
export function demandPassword(password: string): void {
  const { min, max } = PASSWORD_LENGTH
  if (password.length >= min && password.length <= max) return
  throw invalid([{ path: '/password', code: 'length', message: `must have ${min} to ${max} characters` }])
}
