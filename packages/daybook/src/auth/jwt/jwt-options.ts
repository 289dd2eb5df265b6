import { StartupError } from '../../errors.ts'
import { formatIssueMessage } from '../../issues.ts'
import { unknownKey } from '../../nearest.ts'
import type { ActorType } from '../adapter.ts'

/** The claims of a verified token (RFC 7519, section 4). */
export type JwtClaims = Readonly<Record<string, unknown>>

/** Options of `jwt()`. */
export interface JwtOptions {
  /**
   * The issuer, exactly as in the `iss` claim of the tokens (RFC 7519, section 4.1.1), with or without a slash at the end, such as
   * `https://login.example.org/`. It must begin with `https://`, or with `http://` on this machine.
   */
  readonly issuer: string | undefined
  /** The audience in the `aud` claim of the tokens (RFC 7519, section 4.1.3). If there are several, one must match. */
  readonly audience: string | readonly string[] | undefined
  /**
   * The URL of the issuer's keys, a JWK Set (RFC 7517, section 5). With it, the issuer may be any text.
   *
   * @default the URL in the issuer's `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0, section 4)
   */
  readonly jwksUrl?: string
  /**
   * The accepted signature algorithms (RFC 7518, section 3.1), of `RS256`, `RS384`, `RS512`, `PS256`, `PS384`, `PS512`, `ES256`, `ES384`,
   * `ES512`, `EdDSA` and `Ed25519`; never `none`, never HMAC. @default all of these
   */
  readonly algorithms?: readonly string[]
  /**
   * The claim or dotted path with the roles, such as `realm_access.roles`: a list of texts, or one text separated by spaces. Or a function of
   * the claims, called once for each token. @default no roles
   */
  readonly roles?: string | ((claims: JwtClaims) => readonly string[])
  /** The claim or dotted path with the unique subject. A token without it gives no session. @default 'sub' */
  readonly subject?: string
  /** The type of the actors, or a function of the claims, called once for each token. @default 'human' */
  readonly actorType?: ActorType | ((claims: JwtClaims) => ActorType)
  /** The tolerated difference to the issuer's clock, in seconds, 0 to 300. @default 5 */
  readonly clockToleranceSeconds?: number
  /** The required `typ` in the header of a token, such as `at+jwt` (RFC 9068, section 4). @default any */
  readonly tokenType?: string
  /** The provider of identities. @default 'jwt' */
  readonly provider?: string
}

/**
 * The accepted signature algorithms, with public keys to verify. With HMAC, every verifier could sign, and with `none` anyone could.
 */
export const ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
]

const MAX_TOLERANCE_SECONDS = 300

const isOptionText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Returns true for a non-empty list of valid items. */
const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isItem)

/** Returns true for a URL from which keys cannot be replaced on the way. */
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

type Rule = readonly [isValid: (value: unknown, options: JwtOptions) => boolean, advice: string]

/** The check of each option, with advice. */
const RULES: Readonly<Record<keyof JwtOptions, Rule>> = {
  issuer: [
    (value, { jwksUrl }) => (jwksUrl === undefined ? isSecureUrl(value) : isOptionText(value)),
    `must be the iss of your tokens: a URL ${SAFE_URL}, or any text if jwksUrl says where the keys are`,
  ],
  audience: [
    (value) => isOptionText(value) || isListOf(value, isOptionText),
    'must be the aud of your tokens, such as "https://cms.example.org", or a list of them',
  ],
  jwksUrl: [(value) => value === undefined || isSecureUrl(value), `must be a URL ${SAFE_URL}`],
  algorithms: [
    (value) => value === undefined || isListOf(value, (item) => ALGORITHMS.includes(item as string)),
    `must be a list of these: ${ALGORITHMS.join(', ')}`,
  ],
  roles: [
    (value) => value === undefined || isOptionText(value) || typeof value === 'function',
    'must be the path of a claim, such as "realm_access.roles", or a function of the claims',
  ],
  subject: [(value) => value === undefined || isOptionText(value), 'must be the path of a claim, such as "sub"'],
  actorType: [
    (value) => value === undefined || value === 'human' || value === 'service' || typeof value === 'function',
    'must be "human", "service", or a function of the claims',
  ],
  clockToleranceSeconds: [
    (value) => value === undefined || isTolerance(value),
    `must be a number of seconds from 0 to ${MAX_TOLERANCE_SECONDS}`,
  ],
  tokenType: [
    (value) => value === undefined || isOptionText(value),
    'must be the typ of your tokens, such as "at+jwt"',
  ],
  provider: [(value) => value === undefined || isOptionText(value), 'must be a name, such as "jwt"'],
}

/**
 * Checks options at start.
 *
 * @throws {StartupError} with every fault and advice
 */
export function checkJwtOptions(options: JwtOptions): void {
  const values: Readonly<Record<string, unknown>> = { ...options }
  const invalid = Object.entries(RULES).flatMap(([name, [isValid, advice]]) =>
    isValid(values[name], options) ? [] : [formatIssueMessage(name, advice)],
  )
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(RULES, name))
  const faults = [
    ...invalid,
    ...unknown.map((name) => formatIssueMessage(name, unknownKey('an option', name, Object.keys(RULES)))),
  ]
  if (faults.length > 0) throw new StartupError(`The options of jwt() cannot be used:\n  ${faults.join('\n  ')}`)
}
