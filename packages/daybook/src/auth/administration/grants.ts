import { type Issue, invalid } from '../../errors.ts'
import { ACCOUNT_LIMITS, fitsIn } from '../accounts/account-limits.ts'
import type { NewInvitation } from '../accounts/account-manager.ts'
import { faultOfScope, type ScopedDocument } from '../scopes.ts'
import type { NewApiToken } from '../tokens/api-tokens.ts'

/** What a role is called. */
const ROLE = /^[\w.-]{1,48}$/
/** The most roles of an account or a token. */
const MAX_ROLES = 20
/** The most scopes of a token. */
const MAX_SCOPES = 200
/** The longest name of a token, in characters. */
const MAX_TOKEN_NAME = 100
/** The longest that an invitation or a token lasts, in days. */
const MAX_DAYS = 3650
/** How long an invitation lasts that says nothing of it, in days. */
const INVITED_DAYS = 7

const DAY_MS = 24 * 60 * 60 * 1000
const EMAIL = /^[^\s@]+@[^\s@]+$/

/**
 * Reads what an invitation is to be.
 *
 * @param input `{ email, roles = ['user'], days = 7 }`
 * @throws VALIDATION_ERROR
 */
export function readInvitation(input: unknown): NewInvitation {
  const given = new GivenMembers(input, ['email', 'roles', 'days'])
  const email = given.text('email', (text) =>
    fitsIn(text, ACCOUNT_LIMITS.email) && EMAIL.test(text)
      ? undefined
      : `must be an e-mail address of at most ${ACCOUNT_LIMITS.email} characters`,
  )
  const roles = given.roles('user')
  const expiresAt = given.end(INVITED_DAYS)
  given.requireRight()
  return { email, roles, expiresAt: String(expiresAt) }
}

/**
 * Reads what a token is to be.
 *
 * @param input `{ name, scopes, roles = ['service'], days }`; without `days`, it lasts until it is revoked
 * @throws VALIDATION_ERROR
 */
export function readToken(input: unknown, documents: readonly ScopedDocument[]): NewApiToken {
  const given = new GivenMembers(input, ['name', 'scopes', 'roles', 'days'])
  const name = given.text('name', (text) =>
    text.trim() !== '' && text.length <= MAX_TOKEN_NAME ? undefined : `must have 1 to ${MAX_TOKEN_NAME} characters`,
  )
  const scopes = given.texts('scopes', MAX_SCOPES, (scope) => faultOfScope(scope, documents))
  const roles = given.roles('service')
  const expiresAt = given.end(undefined)
  given.requireRight()
  return { name: name.trim(), scopes, roles, expiresAt }
}

/** The members of an input, with all that is wrong with them. */
class GivenMembers {
  readonly #given: Readonly<Record<string, unknown>>
  readonly #issues: Issue[] = []

  constructor(input: unknown, known: readonly string[]) {
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    this.#given = isObject ? { ...input } : {}
    if (!isObject) this.#fault('', 'type', 'must be an object')
    for (const key of Object.keys(this.#given))
      if (!known.includes(key)) this.#fault(key, 'unknown_field', 'there is no such field')
  }

  text(key: string, faultOf: (text: string) => string | undefined): string {
    const value = this.#given[key]
    if (typeof value !== 'string') {
      this.#fault(
        key,
        value === undefined ? 'required' : 'type',
        value === undefined ? 'is required' : 'must be a text',
      )
      return ''
    }
    const fault = faultOf(value)
    if (fault !== undefined) this.#fault(key, 'format', fault)
    return value
  }

  /** A list of texts with something in it, each once. */
  texts(key: string, most: number, faultOf: (text: string) => string | undefined): readonly string[] {
    const value = this.#given[key]
    if (!Array.isArray(value) || value.length === 0 || value.length > most) {
      this.#fault(key, value === undefined ? 'required' : 'type', `must be a list of 1 to ${most} texts`)
      return []
    }
    value.forEach((one: unknown, at) => {
      const fault = typeof one === 'string' ? faultOf(one) : 'must be a text'
      if (fault !== undefined) this.#fault(`${key}/${at}`, 'format', fault)
    })
    return [...new Set(value.map(String))]
  }

  roles(usual: string): readonly string[] {
    if (this.#given.roles === undefined) return [usual]
    return this.texts('roles', MAX_ROLES, (role) =>
      ROLE.test(role) ? undefined : 'must have 1 to 48 letters, digits, "_", "." and "-"',
    )
  }

  /** When it ends, as ISO 8601 in UTC; `null`: never. */
  end(usualDays: number | undefined): string | null {
    const { days = usualDays } = this.#given
    if (days === undefined) return null
    const isRight = Number.isInteger(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS
    if (!isRight) this.#fault('days', 'range', `must be a whole number from 1 to ${MAX_DAYS}`)
    return isRight ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null
  }

  /** @throws VALIDATION_ERROR */
  requireRight(): void {
    if (this.#issues.length > 0) throw invalid(this.#issues)
  }

  #fault(key: string, code: string, message: string): void {
    this.#issues.push({ path: `/${key}`, code, message })
  }
}
