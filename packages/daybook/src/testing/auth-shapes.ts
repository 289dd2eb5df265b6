import type { AuthAdapter, AuthCapabilities, Identity } from '../auth/adapter.ts'

/** @throws {Error} with the message when a condition does not hold */
export function requireShape(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message)
}

export const isObjectValue = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * A value as it leaves the service.
 *
 * @throws {Error} when JSON cannot tell it
 */
export function toJson(value: unknown, name: string): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch (cause) {
    throw new Error(`${name} cannot be told as JSON.`, { cause })
  }
}

const FLAGS = [
  'supportsAnonymous',
  'supportsOrganizations',
  'supportsImpersonation',
  'supportsServiceAccounts',
] as const

/** @throws {Error} when capabilities are not well-formed, or are not those of their adapter */
export function requireCapabilitiesShape(capabilities: AuthCapabilities, adapter: AuthAdapter): void {
  requireShape(isObjectValue(capabilities), 'getCapabilities gives an object, and no promise of one.')
  const { provider, providerRoutes, actions = {} } = capabilities
  requireShape(isFilledText(provider), 'provider is a text.')
  requireShape(
    isObjectValue(providerRoutes) && typeof providerRoutes.enabled === 'boolean',
    'providerRoutes.enabled is true or false.',
  )
  const { enabled, basePath } = providerRoutes
  requireShape(
    basePath === undefined || /^(?:\/[\w.~-]+)+$/.test(String(basePath)),
    'providerRoutes.basePath begins with a slash, ends with none, and holds no pattern, such as /api/auth.',
  )
  requireShape(!enabled || basePath !== undefined, 'Routes that are enabled need a basePath.')
  requireShape(!enabled || adapter.handleRequest !== undefined, 'Routes that are enabled need handleRequest.')
  requireShape(isObjectValue(actions), 'actions are an object, by name.')
  requireShape(Object.keys(actions).length === 0 || adapter.invoke !== undefined, 'Actions that are named need invoke.')
  for (const flag of FLAGS) {
    requireShape(
      capabilities[flag] === undefined || typeof capabilities[flag] === 'boolean',
      `${flag} is true or false.`,
    )
  }
}

/** Times as {@link Identity} has them: ISO 8601 in UTC. */
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** @throws {Error} when an identity is not well-formed, or is of another provider than expected */
export function requireIdentity(identity: Identity | null, expected: string): void {
  requireShape(isObjectValue(identity), 'getIdentity gives an identity.')
  const { provider, subject, sessionId, actorType, expiresAt, claims, roles } = identity as Identity
  requireShape(provider === expected, `provider is that of the capabilities: ${expected}.`)
  requireShape(isFilledText(subject), 'subject is a text.')
  requireShape(isFilledText(sessionId), 'sessionId is a text.')
  requireShape(actorType === 'human' || actorType === 'service', "actorType is 'human' or 'service'.")
  if (expiresAt !== null) {
    requireShape(isFilledText(expiresAt) && UTC.test(expiresAt), 'expiresAt is null, or ISO 8601 in UTC.')
    requireShape(Date.parse(expiresAt) > Date.now(), 'expiresAt is yet to come.')
  }
  requireShape(isObjectValue(claims), 'claims are an object.')
  requireShape(Array.isArray(roles) && roles.every(isFilledText), 'roles are a list of texts.')
}
