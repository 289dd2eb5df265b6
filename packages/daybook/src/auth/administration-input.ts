import { validationError } from '../errors.ts'
import { createIssue, type Issue, type Violation } from '../issues.ts'
import { unknownName } from '../nearest.ts'
import type { NewInvitation } from './account-manager.ts'
import { ACCOUNT_LIMITS, hasAtMostCharacters } from './accounts/account-rules.ts'
import type { NewApiToken } from './api-tokens.ts'
import { findScopeViolation, type ScopedDocument } from './scopes.ts'

/** The pattern of a role. */
const ROLE = /^[\w.-]{1,48}$/
/** The maximum number of roles of an account or a token. */
const MAX_ROLES = 20
/** The maximum number of scopes of a token. */
const MAX_SCOPES = 200
/** The maximum length of a token's name, in characters. */
const MAX_TOKEN_NAME = 100
/** The maximum lifetime of an invitation or a token, in days. */
const MAX_DAYS = 3650
/** The default lifetime of an invitation, in days. */
const INVITATION_DAYS = 7

const DAY_MS = 24 * 60 * 60 * 1000
const EMAIL = /^[^\s@]+@[^\s@]+$/

/**
 * Parses the data of a new invitation.
 *
 * @param input `{ email, roles = ['user'], days = 7 }`
 * @throws VALIDATION_ERROR
 */
export function parseInvitation(input: unknown): NewInvitation {
  const members = new InputMembers(input, ['email', 'roles', 'days'])
  const email = members.readText('email', findEmailViolation)
  const roles = members.readRoles('user')
  const expiresAt = members.readExpiry(INVITATION_DAYS)
  members.requireValid()
  return { email, roles, expiresAt: String(expiresAt) }
}

/**
 * Parses the data of a new token.
 *
 * @param input `{ name, scopes, roles = ['service'], days }`; without `days`, it does not expire
 * @throws VALIDATION_ERROR
 */
export function parseApiToken(input: unknown, documents: readonly ScopedDocument[]): NewApiToken {
  const members = new InputMembers(input, ['name', 'scopes', 'roles', 'days'])
  const name = members.readText('name', findTokenNameViolation)
  const scopes = members.readTexts('scopes', MAX_SCOPES, (scope) => findScopeViolation(scope, documents))
  const roles = members.readRoles('service')
  const expiresAt = members.readExpiry(undefined)
  members.requireValid()
  return { name: name.trim(), scopes, roles, expiresAt }
}

function findEmailViolation(text: string): Violation | undefined {
  const limit = ACCOUNT_LIMITS.email
  if (!hasAtMostCharacters(text, limit)) return ['maxLength', `must be at most ${limit} characters long`, { limit }]
  return EMAIL.test(text) ? undefined : ['format', 'must be an e-mail address', { format: 'email' }]
}

function findTokenNameViolation(text: string): Violation | undefined {
  if (text.trim() !== '' && text.length <= MAX_TOKEN_NAME) return undefined
  return ['length', `must be 1 to ${MAX_TOKEN_NAME} characters long`, { minimum: 1, maximum: MAX_TOKEN_NAME }]
}

function findRoleViolation(text: string): Violation | undefined {
  if (ROLE.test(text)) return undefined
  return ['pattern', 'must consist of 1 to 48 letters, digits, "_", "." and "-"', { pattern: ROLE.source }]
}

const NO_TEXT: Violation = ['type', 'must be a string', { types: ['string'] }]

/** Reads the members of an input, and collects their issues. */
class InputMembers {
  readonly #members: Readonly<Record<string, unknown>>
  readonly #issues: Issue[] = []

  constructor(input: unknown, fields: readonly string[]) {
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    this.#members = isObject ? { ...input } : {}
    if (!isObject) this.#add('', 'type', 'must be an object', { types: ['object'] })
    for (const key of Object.keys(this.#members))
      if (!fields.includes(key)) this.#add(key, 'unknown_field', unknownName('field', key.slice(0, 64)))
  }

  readText(key: string, findViolation: (text: string) => Violation | undefined): string {
    const value = this.#members[key]
    if (value === undefined) this.#add(key, 'required', 'is required')
    else if (typeof value !== 'string') this.#add(key, ...NO_TEXT)
    if (typeof value !== 'string') return ''
    const violation = findViolation(value)
    if (violation) this.#add(key, ...violation)
    return value
  }

  /** Reads a list that is not empty, without duplicates. */
  readTexts(key: string, limit: number, findViolation: (text: string) => Violation | undefined): readonly string[] {
    const value = this.#members[key]
    const message = `must be a list of 1 to ${limit} strings`
    if (value === undefined) this.#add(key, 'required', message)
    else if (!Array.isArray(value)) this.#add(key, 'type', message, { types: ['array'] })
    else if (value.length === 0) this.#add(key, 'minItems', message, { limit: 1 })
    else if (value.length > limit) this.#add(key, 'maxItems', message, { limit })
    if (!Array.isArray(value) || value.length > limit) return []
    value.forEach((item: unknown, index) => {
      const violation = typeof item === 'string' ? findViolation(item) : NO_TEXT
      if (violation) this.#add(`${key}/${index}`, ...violation)
    })
    return [...new Set(value.map(String))]
  }

  readRoles(defaultRole: string): readonly string[] {
    if (this.#members.roles === undefined) return [defaultRole]
    return this.readTexts('roles', MAX_ROLES, findRoleViolation)
  }

  /** Reads `days`, and returns the time of expiry as ISO 8601 in UTC; `null` if it does not expire. */
  readExpiry(defaultDays: number | undefined): string | null {
    const { days = defaultDays } = this.#members
    if (days === undefined) return null
    const isValid = Number.isInteger(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS
    const range = { minimum: 1, maximum: MAX_DAYS }
    if (!isValid) this.#add('days', 'range', `must be a whole number from 1 to ${MAX_DAYS}`, range)
    return isValid ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null
  }

  /** @throws VALIDATION_ERROR with all issues */
  requireValid(): void {
    if (this.#issues.length > 0) throw validationError(this.#issues)
  }

  #add(key: string, ...violation: Violation): void {
    this.#issues.push(createIssue(`/${key}`, ...violation))
  }
}
