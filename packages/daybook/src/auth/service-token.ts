import { createHash, timingSafeEqual } from 'node:crypto'
import { StartupError } from '../errors.ts'
import { type AuthAdapter, type AuthCapabilities, type Caller, SERVICE } from './adapter.ts'

export const MIN_SERVICE_TOKEN_LENGTH = 32

const TOKEN_CAPABILITIES: AuthCapabilities = Object.freeze({
  provider: 'service-token',
  providerRoutes: { enabled: false },
  supportsServiceAccounts: true,
})

const digestServiceToken = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Returns the token of an `Authorization: Bearer` header (RFC 6750, section 2.1). */
export function readBearerToken(headers: Headers): string | undefined {
  return /^Bearer +([\w\-.~+/]+=*)$/i.exec(headers.get('authorization') ?? '')?.[1]
}

/**
 * Creates a function that recognizes requests with the service token. It compares digests, so that timing reveals neither the token nor its
 * length.
 *
 * @param token at least {@link MIN_SERVICE_TOKEN_LENGTH} characters; without one, no request acts as the service
 * @throws {StartupError} if the token is too short
 */
export function createServiceTokenCheck(token: string | undefined): (headers: Headers) => Caller | null {
  if (token === undefined) return () => null
  if (token.length < MIN_SERVICE_TOKEN_LENGTH) {
    throw new StartupError(
      `DAYBOOK_SERVICE_TOKEN has ${token.length} characters, but at least ${MIN_SERVICE_TOKEN_LENGTH} are required. Generate one with: openssl rand -hex 32`,
    )
  }
  const expected = digestServiceToken(token)
  return (headers) => {
    const credential = readBearerToken(headers)
    return credential !== undefined && timingSafeEqual(digestServiceToken(credential), expected) ? SERVICE : null
  }
}

/**
 * Creates an adapter with a single credential, for a service without people: `Authorization: Bearer <token>` (RFC 6750, section 2.1).
 *
 * @param token at least {@link MIN_SERVICE_TOKEN_LENGTH} characters; without one, no request has a session
 * @throws {StartupError} if the token is too short
 */
export function serviceTokenAdapter(token: string | undefined): AuthAdapter {
  const check = createServiceTokenCheck(token)
  return {
    getCapabilities: () => TOKEN_CAPABILITIES,
    getPrincipal: async ({ headers }) => check(headers)?.principal ?? null,
    getIdentity: async ({ headers }) => check(headers)?.identity ?? null,
  }
}
