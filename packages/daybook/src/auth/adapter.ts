import type { Log } from '../log.ts'
import type { AccountManager } from './account-manager.ts'
import type { AuthRecords } from './records.ts'

/** The type of an actor: a person with a session, or a program with a token. */
export type ActorType = 'human' | 'service'

/** The normalized identity of an actor, the same for every adapter and provider. */
export interface Identity {
  /** The adapter's provider identifier, such as `service-token`. */
  readonly provider: string
  /** The stable id of the actor, unique within the provider, at most 512 characters. Documents store it in `createdBy`. */
  readonly subject: string
  readonly sessionId: string
  readonly actorType: ActorType
  /** ISO 8601 in UTC; `null` if the credential does not expire. */
  readonly expiresAt: string | null
  readonly claims: Readonly<Record<string, unknown>>
  readonly roles: readonly string[]
}

const TEXT = { type: 'string' } as const

/** The JSON Schema of an {@link Identity}. */
export const IDENTITY_SCHEMA: { readonly [keyword: string]: unknown } = {
  type: 'object',
  properties: {
    provider: TEXT,
    subject: TEXT,
    sessionId: TEXT,
    actorType: { enum: ['human', 'service'] },
    expiresAt: { type: ['string', 'null'] },
    claims: { type: 'object' },
    roles: { type: 'array', items: TEXT },
  },
  required: ['provider', 'subject', 'sessionId', 'actorType', 'expiresAt', 'claims', 'roles'],
}

/** The adapter's own description of the actor; opaque to Daybook. */
export type Principal = Readonly<Record<string, unknown>>

/** The parts of a request that an adapter receives. */
export interface AuthContext {
  /** All request headers. With `Authorization`, `Cookie` is left out, because the former takes precedence. */
  readonly headers: Headers
  /** The client's IP address, or `null` if it is unknown. It comes from a header only behind trusted proxies. */
  readonly address: string | null
  /** Scheme, host and port that the client used, such as `https://cms.example.org`. */
  readonly origin: string
}

/** The input and the response of an action, for the OpenAPI document. */
export interface AuthAction {
  readonly description?: string
  readonly input?: Readonly<Record<string, unknown>>
  readonly output?: Readonly<Record<string, unknown>>
  /** The status of a successful response, which has `output` unless it has no content. @default any of 200 to 299 */
  readonly status?: number
}

/** The capabilities of an adapter. */
export interface AuthCapabilities {
  readonly provider: string
  readonly providerRoutes: { readonly enabled: boolean; readonly basePath?: string }
  /** The name of the session cookie, for the OpenAPI document. @default 'session' */
  readonly sessionCookie?: string
  readonly actions?: Readonly<Record<string, AuthAction>>
  readonly supportsAnonymous?: boolean
  readonly supportsOrganizations?: boolean
  readonly supportsImpersonation?: boolean
  readonly supportsServiceAccounts?: boolean
}

/**
 * The source of sessions. One object with these members replaces the default adapter.
 *
 * - The adapter is not called for a request without `Authorization` and `Cookie`, nor for one with the service token or a bearer token that
 *   begins with `daybook_`, as named tokens do.
 * - For every other request, `getPrincipal` and `getIdentity` are called with the same context object. Without a valid credential, both
 *   return `null`; with one, neither does.
 * - An adapter with `load` is loaded before its first other call. One with `hasCredential` gets no further calls for requests without a
 *   credential of its kind.
 * - A {@link DaybookError} that an operation throws is sent as the response. Any other failure (an error, an invalid result, a timeout after
 *   two seconds) is 503 `SERVICE_UNAVAILABLE`: in doubt, access is denied.
 *
 * Check an adapter with `authAdapterConformance` of `daybook/testing`.
 *
 * @example
 * ```ts
 * const adapter: AuthAdapter = {
 *   getCapabilities: () => ({ provider: 'intranet', providerRoutes: { enabled: false } }),
 *   getPrincipal: async ({ headers }) => lookUp(headers.get('authorization')),
 *   getIdentity: async ({ headers }) => readIdentity(headers.get('authorization')),
 * }
 * ```
 */
export interface AuthAdapter {
  getCapabilities(): AuthCapabilities
  getPrincipal(context: AuthContext): Promise<Principal | null>
  getIdentity(context: AuthContext): Promise<Identity | null>
  /**
   * Runs a named action such as `login`, and returns its response. Without it, every action is 501 `NOT_IMPLEMENTED`.
   *
   * @param input the JSON object of the body, or the fields of a form
   * @returns `null` for an unknown action: 404 `NOT_FOUND`
   * @throws UNAUTHORIZED if the action needs a session and there is none, VALIDATION_ERROR for invalid input
   */
  invoke?(action: string, input: Readonly<Record<string, unknown>>, context: AuthContext): Promise<Response | null>
  /**
   * Returns the display names of actors by subject, without unknown subjects. Every session may read them, so they must not be addresses.
   * Without it, actors have no names.
   *
   * @param subjects at most 100, without duplicates
   */
  getNames?(subjects: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Returns the current caller for a subject, without a credential, so that previews and schedules have the present rights of their author.
   * `null` if the subject is unknown, was removed, or may not sign in. Without it, such work keeps the rights that its author had.
   */
  getCaller?(subject: string): Promise<Caller | null>
  /**
   * Returns true if a request has a credential of the adapter's kind, without looking it up. Otherwise the request has no session, and the
   * adapter is neither loaded nor called. Without it, every request with `Authorization` or `Cookie` may have a credential.
   */
  hasCredential?(context: AuthContext): boolean
  /**
   * Loads code or data before the first other call: once, or again after a failure. It has a timeout of thirty seconds. The two seconds of
   * other calls begin after it.
   */
  load?(): Promise<void>
  /**
   * Calls `listener` when sessions or roles may have ended or changed, on any node, so that live events end with their session. It is called
   * while there are subscribers with a session, perhaps before `load`. Without it, sessions are checked with each heartbeat.
   *
   * @returns a function that stops the calls
   */
  onSessionChange?(listener: () => void): () => void
  /**
   * Accepts a secret with which the action `setup` creates the first administrator, once, while there is no account on any node. It replaces
   * an earlier secret. `daybook start` and `daybook dev` call it in a terminal, and print a link to the Studio with the secret. Without it,
   * they print none.
   *
   * @returns true if the secret is accepted; false if there are accounts
   */
  openSetup?(secret: string): Promise<boolean>
  /** Handles the provider's own routes below `providerRoutes.basePath`, with every method. */
  handleRequest?(request: Request, context: AuthContext): Promise<Response>
  /** Releases resources; called once, when the service ends. */
  close?(): Promise<void>
}

/** The parts of the service that an adapter may use. */
export interface AuthHost {
  /** The records of the adapter in the service's database, shared by all nodes. */
  readonly records: AuthRecords
  readonly log: Log
  /** The default prefix of cookie names, which separates services on one host. */
  readonly cookiePrefix?: string | undefined
}

/** An adapter that needs the service's database, such as `betterAuth()` of `daybook/better-auth`. */
export interface AuthSource {
  /** @throws {StartupError} if it cannot be used, with advice */
  open(host: AuthHost): AuthAdapter
  /**
   * True if anyone can register an account, unless the config accepts that all accounts write. Such a service listens only on its own machine
   * while a collection or global has no rule for writing. @default false
   */
  readonly registersAnyone?: boolean
  /** Options without the secret that they need, by path, with advice. Such a service listens only on its own machine, too. @default none */
  readonly missingSecrets?: Readonly<Record<string, string>>
  /** Opens the account management for the command line, without a service. Without it, there are no accounts. */
  manage?(host: AuthHost): Promise<AccountManager>
}

/** The actor that a request or an in-process call acts for. */
export interface Caller {
  readonly principal: Principal | null
  readonly identity: Identity | null
  /** The scopes of the credential, such as `posts:update`. Outside of them, the caller is anonymous. @default no limit */
  readonly scopes?: readonly string[]
}

/** A caller without a session. */
export const ANONYMOUS: Caller = Object.freeze({ principal: null, identity: null })

/** Creates the caller of a program whose credential does not expire. */
export function createServiceCaller(provider: string, name: string): Caller {
  return Object.freeze({
    principal: Object.freeze({ id: name }),
    identity: Object.freeze({
      provider,
      subject: name,
      sessionId: name,
      actorType: 'service',
      expiresAt: null,
      claims: Object.freeze({}),
      roles: Object.freeze(['service']),
    }),
  })
}

/** The service itself, for seeding, imports and other work without a caller. */
export const SYSTEM: Caller = createServiceCaller('daybook', 'system')

/** A program with the service token. */
export const SERVICE: Caller = createServiceCaller('service-token', 'service')

/** Returns the caller's identity, or `null` without a session. */
export function getIdentity(caller: Caller): Identity | null {
  return caller.identity
}

/** Returns true if the caller has a session. */
export function isAuthenticated(caller: Caller): boolean {
  return caller.principal !== null
}

/** Returns true if the caller is a person with a session. */
export function isHumanUser(caller: Caller): boolean {
  return caller.principal !== null && caller.identity?.actorType === 'human'
}

/** Returns the caller's subject, or `null` without a session. */
export function getSubject(caller: Caller): string | null {
  return caller.identity?.subject ?? null
}

/**
 * Creates a rule that admits sessions with one of these roles.
 *
 * @example
 * ```ts
 * defineCollection({ fields, access: { update: hasRole('editor'), delete: hasRole('admin', 'service') } })
 * ```
 */
export function hasRole(...roles: readonly [string, ...string[]]): (caller: Caller) => boolean {
  return (caller) => isAuthenticated(caller) && roles.some((role) => caller.identity?.roles.includes(role) === true)
}
