import type { AuthAdapter, AuthCapabilities, Identity } from '../auth/adapter.ts'

/** @throws {Error} with the message if a condition is false */
export function assertConforms(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message)
}

export const isObjectValue = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * Converts a value to JSON and back.
 *
 * @throws {Error} if the value is not serializable
 */
export function toJson(value: unknown, name: string): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch (cause) {
    throw new Error(`${name} cannot be written as JSON.`, { cause })
  }
}

const FLAGS = [
  'supportsAnonymous',
  'supportsOrganizations',
  'supportsImpersonation',
  'supportsServiceAccounts',
] as const

/** @throws {Error} if capabilities are malformed, or do not match their adapter */
export function assertCapabilities(capabilities: AuthCapabilities, adapter: AuthAdapter): void {
  assertConforms(isObjectValue(capabilities), 'getCapabilities must return an object, not a promise.')
  const { provider, providerRoutes, actions = {} } = capabilities
  assertConforms(isFilledText(provider), 'provider must be a string.')
  assertConforms(
    isObjectValue(providerRoutes) && typeof providerRoutes.enabled === 'boolean',
    'providerRoutes.enabled must be true or false.',
  )
  const { enabled, basePath } = providerRoutes
  assertConforms(
    basePath === undefined || /^(?:\/[\w.~-]+)+$/.test(String(basePath)),
    'providerRoutes.basePath must begin with a slash, not end with one, and contain no pattern, such as /api/auth.',
  )
  assertConforms(!enabled || basePath !== undefined, 'Enabled routes require a basePath.')
  assertConforms(!enabled || adapter.handleRequest !== undefined, 'Enabled routes require handleRequest.')
  assertConforms(isObjectValue(actions), 'actions must be an object, by name.')
  assertConforms(Object.keys(actions).length === 0 || adapter.invoke !== undefined, 'Actions require invoke.')
  for (const flag of FLAGS) {
    assertConforms(
      capabilities[flag] === undefined || typeof capabilities[flag] === 'boolean',
      `${flag} must be true or false.`,
    )
  }
}

/** Times as {@link Identity} has them: ISO 8601 in UTC. */
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** @throws {Error} if an identity is malformed, or has another provider than expected */
export function assertIdentity(identity: Identity | null, expected: string): void {
  assertConforms(isObjectValue(identity), 'getIdentity must return an identity.')
  const { provider, subject, sessionId, actorType, expiresAt, claims, roles } = identity as Identity
  assertConforms(provider === expected, `provider must be that of the capabilities: ${expected}.`)
  assertConforms(isFilledText(subject), 'subject must be a string.')
  assertConforms(isFilledText(sessionId), 'sessionId must be a string.')
  assertConforms(actorType === 'human' || actorType === 'service', "actorType must be 'human' or 'service'.")
  if (expiresAt !== null) {
    assertConforms(isFilledText(expiresAt) && UTC.test(expiresAt), 'expiresAt must be null, or ISO 8601 in UTC.')
    assertConforms(Date.parse(expiresAt) > Date.now(), 'expiresAt must be in the future.')
  }
  assertConforms(isObjectValue(claims), 'claims must be an object.')
  assertConforms(Array.isArray(roles) && roles.every(isFilledText), 'roles must be a list of strings.')
}
