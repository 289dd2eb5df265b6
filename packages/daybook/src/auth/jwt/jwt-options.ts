import { StartupError } from '../../errors.ts'
import type { ActorType } from '../adapter.ts'

/** The claims of a verified token (RFC 7519, section 4). */
export type JwtClaims = Readonly<Record<string, unknown>>

/** How tokens of an identity provider are checked and read. */
export interface JwtOptions {
  /**
   * The issuer, exactly as the tokens name it in `iss` (RFC 7519, section 4.1.1), with or without a slash at the end, such as
   * `https://login.example.org/`; an address with `https://`, or with `http://` on this machine.
   */
  readonly issuer: string | undefined
  /** The audience, as the tokens name it in `aud` (RFC 7519, section 4.1.3); of several, one is enough. */
  readonly audience: string | readonly string[] | undefined
  /**
   * Where the issuer's keys are, as a JWK Set (RFC 7517, section 5). With it, the issuer may be any text.
   *
   * @default what the issuer says below `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0, section 4)
   */
  readonly jwksUrl?: string
  /**
   * Which signatures are taken, as `alg` has them (RFC 7518, section 3.1), of `RS256`, `RS384`, `RS512`, `PS256`, `PS384`, `PS512`,
   * `ES256`, `ES384`, `ES512`, `EdDSA` and `Ed25519`; never `none`, never HMAC. @default all of these
   */
  readonly algorithms?: readonly string[]
  /**
   * Where the roles stand: a claim, or a dotted path such as `realm_access.roles`, to a list of texts or to one text with
   * spaces between them; or a function, which is asked once for each token. @default no roles
   */
  readonly roles?: string | ((claims: JwtClaims) => readonly string[])
  /** The claim, or the dotted path, that tells one subject from all others; a token without it gives no session. @default 'sub' */
  readonly subject?: string
  /** Whether people or programs hold the tokens; a function of the claims where both do, called once for each token. @default 'human' */
  readonly actorType?: ActorType | ((claims: JwtClaims) => ActorType)
  /** How far the issuer's clock may be from this one, in seconds, 0 to 300. @default 5 */
  readonly clockToleranceSeconds?: number
  /** The `typ` that the head of a token must have, such as `at+jwt` (RFC 9068, section 4). @default anything */
  readonly tokenType?: string
  /** The provider of identities. @default 'jwt' */
  readonly provider?: string
}

/**
 * Signatures that are taken: those whose key to verify with is public. With HMAC, every verifier could sign, and with
 * `none` anyone could.
 */
export const ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
]

const MAX_TOLERANCE_SECONDS = 300

const isOptionText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** A list with something in it, of which all pass. */
const isListOf = (value: unknown, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isOne)

/** Whether keys at an address are protected from being replaced on the way. */
export function isSecureUrl(value: unknown): boolean {
  const url = isOptionText(value) ? URL.parse(value) : null
  if (!url) return false
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname))
  )
}

const SAFE_URL = 'that begins with https:// (http:// on this machine alone)'

const isTolerance = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value <= MAX_TOLERANCE_SECONDS

type Rule = readonly [isRight: (value: unknown, options: JwtOptions) => boolean, instead: string]

/** The check of each option, and what to write instead. */
const RULES: Readonly<Record<keyof JwtOptions, Rule>> = {
  issuer: [
    (value, { jwksUrl }) => (jwksUrl === undefined ? isSecureUrl(value) : isOptionText(value)),
    `write the iss of your tokens: an address ${SAFE_URL}, or any text where jwksUrl says where the keys are`,
  ],
  audience: [
    (value) => isOptionText(value) || isListOf(value, isOptionText),
    'write the aud of your tokens, such as "https://cms.example.org", or a list of them',
  ],
  jwksUrl: [(value) => value === undefined || isSecureUrl(value), `write an address ${SAFE_URL}`],
  algorithms: [
    (value) => value === undefined || isListOf(value, (one) => ALGORITHMS.includes(one as string)),
    `write a list of: ${ALGORITHMS.join(', ')}`,
  ],
  roles: [
    (value) => value === undefined || isOptionText(value) || typeof value === 'function',
    'write the path of a claim, such as "realm_access.roles", or a function of the claims',
  ],
  subject: [(value) => value === undefined || isOptionText(value), 'write the path of a claim, such as "sub"'],
  actorType: [
    (value) => value === undefined || value === 'human' || value === 'service' || typeof value === 'function',
    'write "human", "service", or a function of the claims',
  ],
  clockToleranceSeconds: [
    (value) => value === undefined || isTolerance(value),
    `write a number of seconds from 0 to ${MAX_TOLERANCE_SECONDS}`,
  ],
  tokenType: [(value) => value === undefined || isOptionText(value), 'write the typ of your tokens, such as "at+jwt"'],
  provider: [(value) => value === undefined || isOptionText(value), 'write a name, such as "jwt"'],
}

/**
 * Checks options before anything is served.
 *
 * @throws {StartupError} with every fault, and what to write instead
 */
export function checkJwtOptions(options: JwtOptions): void {
  const given: Readonly<Record<string, unknown>> = { ...options }
  const wrong = Object.entries(RULES).flatMap(([name, [isRight, instead]]) =>
    isRight(given[name], options) ? [] : [`  ${name}: ${instead}`],
  )
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(RULES, name))
  const advice = `there is no such option; write one of: ${Object.keys(RULES).join(', ')}`
  const faults = [...wrong, ...unknown.map((name) => `  ${name}: ${advice}`)]
  if (faults.length > 0) throw new StartupError(`The options of jwt() cannot be used:\n${faults.join('\n')}`)
}
