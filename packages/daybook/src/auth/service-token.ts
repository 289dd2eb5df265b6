import { createHash, timingSafeEqual } from 'node:crypto'
import type { AuthAdapter, AuthCapabilities, AuthContext, Identity, Principal } from './adapter.ts'

/** The shortest service token that is accepted, in characters. */
export const MIN_SERVICE_TOKEN_LENGTH = 32

const PROVIDER = 'service-token'
const PRINCIPAL: Principal = Object.freeze({ id: 'service' })
const IDENTITY: Identity = Object.freeze({
  provider: PROVIDER,
  subject: 'service',
  sessionId: 'service',
  actorType: 'service',
  expiresAt: null,
  claims: Object.freeze({}),
  roles: Object.freeze(['service']),
})
const CAPABILITIES: AuthCapabilities = Object.freeze({
  provider: PROVIDER,
  providerRoutes: { enabled: false },
  supportsServiceAccounts: true,
})

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * An adapter with one credential: `Authorization: Bearer <token>` (RFC 6750, section 2.1).
 * Digests are compared, so that the time taken tells neither the token nor its length.
 *
 * @param token at least {@link MIN_SERVICE_TOKEN_LENGTH} characters; without one nobody gets a session
 * @throws {TypeError} when the token is too short
 */
export function serviceTokenAdapter(token: string | undefined): AuthAdapter {
  if (token !== undefined && token.length < MIN_SERVICE_TOKEN_LENGTH) {
    throw new TypeError(
      `DAYBOOK_SERVICE_TOKEN has ${token.length} characters; use at least ${MIN_SERVICE_TOKEN_LENGTH}, for instance the output of: openssl rand -hex 32`,
    )
  }
  const expected = token === undefined ? undefined : digest(token)
  const check = ({ headers }: AuthContext): boolean => {
    const given = /^Bearer +([\w\-.~+/]+=*)$/i.exec(headers.get('authorization') ?? '')?.[1]
    return expected !== undefined && given !== undefined && timingSafeEqual(digest(given), expected)
  }
  // Both questions are asked of each request.
  const checked = new WeakMap<Headers, boolean>()
  const holds = (context: AuthContext): boolean => {
    const found = checked.get(context.headers) ?? check(context)
    checked.set(context.headers, found)
    return found
  }
  return {
    getCapabilities: () => CAPABILITIES,
    getPrincipal: async (context) => (holds(context) ? PRINCIPAL : null),
    getIdentity: async (context) => (holds(context) ? IDENTITY : null),
  }
}
