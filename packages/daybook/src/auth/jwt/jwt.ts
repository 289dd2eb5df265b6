import { createHash } from 'node:crypto'
import { errors, type JWTVerifyOptions, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { deepFreeze } from '../../deep-freeze.ts'
import { lruMax } from '../../lru-max.ts'
import type { AuthAdapter, AuthCapabilities, AuthContext, Identity, Principal } from '../adapter.ts'
import { readBearerToken } from '../service-token.ts'
import { IssuerKeys, type KeySet } from './issuer-keys.ts'
import { ALGORITHMS, checkJwtOptions, type JwtClaims, type JwtOptions } from './jwt-options.ts'

const MAX_TOKEN_LENGTH = 8192
/** The form of a signed token: three parts in base64url (RFC 7515, section 7.1). */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/
const MAX_CACHED_TOKENS = 10_000
/** The last second of the year 9999, since 1970. */
const LAST_SECOND = 253_402_300_799
const TOLERANCE_SECONDS = 5

/**
 * Creates an adapter that accepts the bearer tokens of an OpenID Connect provider. It checks signature, `iss`, `aud`, `exp` and `nbf`; an
 * invalid token gives no session. While the issuer's keys cannot be loaded, requests with a token get 503.
 *
 * @throws {StartupError} if an option is invalid, with advice
 *
 * @example
 * ```ts
 * import { jwt } from 'daybook/jwt'
 *
 * export default defineConfig({
 *   auth: jwt({ issuer: 'https://login.example.org', audience: 'https://cms.example.org', roles: 'realm_access.roles' }),
 *   collections,
 * })
 * ```
 */
export function jwt(options: JwtOptions): AuthAdapter {
  checkJwtOptions(options)
  return new JwtAdapter(options)
}

interface TokenSession {
  readonly principal: Principal
  readonly identity: Identity
  /** The time of expiry, in milliseconds since 1970. */
  readonly until: number
}

class JwtAdapter implements AuthAdapter {
  readonly #options: JwtOptions
  readonly #checks: JWTVerifyOptions
  readonly #capabilities: AuthCapabilities
  readonly #keys: IssuerKeys
  /** Sessions of verified tokens, by key set and digest, so that they are dropped with the keys. */
  readonly #verified = new WeakMap<KeySet, LRUCache<string, TokenSession>>()
  /** Sessions by request, because principal and identity of a request are requested separately. */
  readonly #sessions = new WeakMap<AuthContext, Promise<TokenSession | null>>()

  constructor(options: JwtOptions) {
    const { issuer = '', audience = '', algorithms = ALGORITHMS, tokenType } = options
    this.#options = options
    this.#keys = new IssuerKeys(issuer, options.jwksUrl)
    this.#capabilities = Object.freeze({
      provider: options.provider ?? 'jwt',
      providerRoutes: Object.freeze({ enabled: false }),
      supportsServiceAccounts: true,
    })
    this.#checks = {
      issuer,
      audience: [audience].flat(),
      algorithms: [...algorithms],
      clockTolerance: getTolerance(options),
      requiredClaims: ['exp'],
      ...(tokenType === undefined ? {} : { typ: tokenType }),
    }
  }

  getCapabilities(): AuthCapabilities {
    return this.#capabilities
  }

  async getPrincipal(context: AuthContext): Promise<Principal | null> {
    return (await this.#session(context))?.principal ?? null
  }

  async getIdentity(context: AuthContext): Promise<Identity | null> {
    return (await this.#session(context))?.identity ?? null
  }

  async close(): Promise<void> {
    this.#keys.close()
  }

  #session(context: AuthContext): Promise<TokenSession | null> {
    const session = this.#sessions.get(context) ?? this.#findSession(context.headers)
    this.#sessions.set(context, session)
    return session
  }

  async #findSession(headers: Headers): Promise<TokenSession | null> {
    const token = readBearerToken(headers)
    if (token === undefined || token.length > MAX_TOKEN_LENGTH || !COMPACT.test(token)) return null
    const digest = createHash('sha256').update(token).digest('base64url')
    const set = this.#keys.current
    const cached = set && this.#verified.get(set)?.get(digest)
    if (cached && cached.until > Date.now()) return cached
    try {
      return await this.#verify(token, digest)
    } catch (error) {
      if (isBadToken(error)) return null
      throw error
    }
  }

  async #verify(token: string, digest: string): Promise<TokenSession | null> {
    let keySet: KeySet | undefined
    const { payload } = await jwtVerify(
      token,
      async (header, parts) => {
        const { set, key } = await this.#keys.find(header, parts)
        keySet = set
        return key
      },
      this.#checks,
    )
    const session = toSession(deepFreeze(payload), digest, this.#options)
    if (session && keySet) this.#cache(keySet, digest, session)
    return session
  }

  #cache(set: KeySet, digest: string, session: TokenSession): void {
    const sessions = this.#verified.get(set) ?? new LRUCache<string, TokenSession>(lruMax(MAX_CACHED_TOKENS))
    this.#verified.set(set, sessions)
    sessions.set(digest, session)
  }
}

/** Returns true if the token is invalid, and not the issuer's keys. */
const isBadToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid)

const getTolerance = ({ clockToleranceSeconds = TOLERANCE_SECONDS }: JwtOptions): number => clockToleranceSeconds

/**
 * Returns the session of a verified token, or `null` if it has no subject.
 *
 * @param digest of the token, the session id if the claims have neither `sid` (OpenID Connect Front-Channel Logout 1.0, section 3) nor `jti`
 * (RFC 7519, section 4.1.7)
 */
function toSession(claims: JwtClaims, digest: string, options: JwtOptions): TokenSession | null {
  const subject = toText(claimAt(claims, options.subject ?? 'sub'))
  if (subject === undefined) return null
  const { actorType = 'human', provider = 'jwt' } = options
  // The clock tolerance also applies to the cached session.
  const until = Math.min(Number(claims.exp) + getTolerance(options), LAST_SECOND) * 1000
  const identity: Identity = {
    provider,
    subject,
    sessionId: toText(claims.sid) ?? toText(claims.jti) ?? digest,
    actorType: typeof actorType === 'function' ? actorType(claims) : actorType,
    expiresAt: new Date(until).toISOString(),
    claims,
    roles: readRoles(claims, options),
  }
  return { principal: toPrincipal(subject, claims), identity: Object.freeze(identity), until }
}

/** Creates the principal from standard claims (OpenID Connect Core 1.0, section 5.1). */
function toPrincipal(id: string, claims: JwtClaims): Principal {
  const email = toText(claims.email)
  const name = toText(claims.name)
  return Object.freeze({ id, ...(email === undefined ? {} : { email }), ...(name === undefined ? {} : { name }) })
}

function readRoles(claims: JwtClaims, { roles }: JwtOptions): readonly string[] {
  if (roles === undefined) return Object.freeze([])
  if (typeof roles === 'function') {
    const result: unknown = roles(claims)
    if (!Array.isArray(result)) throw new TypeError('The function for roles did not return a list.')
    return Object.freeze([...result])
  }
  const value = claimAt(claims, roles)
  // Scopes are one text with spaces (RFC 8693, section 4.2).
  const list: unknown = typeof value === 'string' ? value.split(' ') : value
  return Object.freeze(Array.isArray(list) ? list.filter((role) => toText(role) !== undefined) : [])
}

/** Returns the value at a dotted path. Names of claims may contain dots, such as `https://example.org/roles`. */
function claimAt(claims: unknown, path: string): unknown {
  if (typeof claims !== 'object' || claims === null) return undefined
  if (Object.hasOwn(claims, path)) return (claims as JwtClaims)[path]
  const dot = path.indexOf('.')
  return dot < 0 ? undefined : claimAt(claimAt(claims, path.slice(0, dot)), path.slice(dot + 1))
}

const toText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
