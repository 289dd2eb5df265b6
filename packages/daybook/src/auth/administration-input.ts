import { validationError } from '../errors.ts'
import { createIssue, type Issue, type Violation } from '../issues.ts'
import type { NewInvitation } from './account-manager.ts'
import { ACCOUNT_LIMITS, hasAtMostCharacters } from './accounts/account-rules.ts'
import type { NewApiToken } from './api-tokens.ts'
import { findScopeViolation, type ScopedDocument } from './scopes.ts'

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
export function parseInvitation(input: unknown): NewInvitation {
  const given = new GivenMembers(input, ['email', 'roles', 'days'])
  const email = given.text('email', violationOfEmail)
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
export function parseApiToken(input: unknown, documents: readonly ScopedDocument[]): NewApiToken {
  const given = new GivenMembers(input, ['name', 'scopes', 'roles', 'days'])
  const name = given.text('name', violationOfTokenName)
  const scopes = given.texts('scopes', MAX_SCOPES, (scope) => findScopeViolation(scope, documents))
  const roles = given.roles('service')
  const expiresAt = given.end(undefined)
  given.requireRight()
  return { name: name.trim(), scopes, roles, expiresAt }
}

function violationOfEmail(text: string): Violation | undefined {
  const limit = ACCOUNT_LIMITS.email
  if (!hasAtMostCharacters(text, limit)) return ['maxLength', `must have at most ${limit} characters`, { limit }]
  return EMAIL.test(text) ? undefined : ['format', 'must be an e-mail address', { format: 'email' }]
}

function violationOfTokenName(text: string): Violation | undefined {
  if (text.trim() !== '' && text.length <= MAX_TOKEN_NAME) return undefined
  return ['length', `must have 1 to ${MAX_TOKEN_NAME} characters`, { minimum: 1, maximum: MAX_TOKEN_NAME }]
}

function violationOfRole(text: string): Violation | undefined {
  if (ROLE.test(text)) return undefined
  return ['pattern', 'must have 1 to 48 letters, digits, "_", "." and "-"', { pattern: ROLE.source }]
}

const NO_TEXT: Violation = ['type', 'must be a text', { types: ['string'] }]

/** The members of an input, with all that is wrong with them. */
class GivenMembers {
  readonly #given: Readonly<Record<string, unknown>>
  readonly #issues: Issue[] = []

  constructor(input: unknown, known: readonly string[]) {
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    this.#given = isObject ? { ...input } : {}
    if (!isObject) this.#add('', 'type', 'must be an object', { types: ['object'] })
    for (const key of Object.keys(this.#given))
      if (!known.includes(key)) this.#add(key, 'unknown_field', 'there is no such field')
  }

  text(key: string, violationOf: (text: string) => Violation | undefined): string {
    const value = this.#given[key]
    if (value === undefined) this.#add(key, 'required', 'is required')
    else if (typeof value !== 'string') this.#add(key, ...NO_TEXT)
    if (typeof value !== 'string') return ''
    const violation = violationOf(value)
    if (violation) this.#add(key, ...violation)
    return value
  }

  /** A list of texts with something in it, each once. */
  texts(key: string, most: number, violationOf: (text: string) => Violation | undefined): readonly string[] {
    const value = this.#given[key]
    const message = `must be a list of 1 to ${most} texts`
    if (value === undefined) this.#add(key, 'required', message)
    else if (!Array.isArray(value)) this.#add(key, 'type', message, { types: ['array'] })
    else if (value.length === 0) this.#add(key, 'minItems', message, { limit: 1 })
    else if (value.length > most) this.#add(key, 'maxItems', message, { limit: most })
    if (!Array.isArray(value) || value.length > most) return []
    value.forEach((item: unknown, index) => {
      const violation = typeof item === 'string' ? violationOf(item) : NO_TEXT
      if (violation) this.#add(`${key}/${index}`, ...violation)
    })
    return [...new Set(value.map(String))]
  }

  roles(usual: string): readonly string[] {
    if (this.#given.roles === undefined) return [usual]
    return this.texts('roles', MAX_ROLES, violationOfRole)
  }

  /** When it ends, as ISO 8601 in UTC; `null`: never. */
  end(usualDays: number | undefined): string | null {
    const { days = usualDays } = this.#given
    if (days === undefined) return null
    const isRight = Number.isInteger(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS
    const range = { minimum: 1, maximum: MAX_DAYS }
    if (!isRight) this.#add('days', 'range', `must be a whole number from 1 to ${MAX_DAYS}`, range)
    return isRight ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null
  }

  /** @throws VALIDATION_ERROR */
  requireRight(): void {
    if (this.#issues.length > 0) throw validationError(this.#issues)
  }

  #add(key: string, ...violation: Violation): void {
    this.#issues.push(createIssue(`/${key}`, ...violation))
  }
}
