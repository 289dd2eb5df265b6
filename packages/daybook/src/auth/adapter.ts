import type { Log } from '../log.ts'
import type { AccountManager } from './account-manager.ts'
import type { AuthRecords } from './records.ts'

/** The type of an actor: a person who signed in, or a program with a token. */
export type ActorType = 'human' | 'service'

/** The normalized identity that every adapter gives, whatever its provider. */
export interface Identity {
  /** The adapter's provider identifier, such as `service-token`. */
  readonly provider: string
  /** The stable id of the actor, unique within the provider: at most 512 characters. Documents name it (`createdBy`). */
  readonly subject: string
  readonly sessionId: string
  readonly actorType: ActorType
  /** ISO 8601 in UTC; `null` when the credential does not expire. */
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

/** The parts of a request that an adapter may look at. */
export interface AuthContext {
  /** All headers as they were sent; with `Authorization`, without `Cookie`: a client that sends both means the former. */
  readonly headers: Headers
  /** The client's IP address; `null` where it is unknown. Only behind proxies that the config trusts is it taken from a header. */
  readonly address: string | null
  /** Scheme, host and port under which the client reached the service, such as `https://cms.example.org`. */
  readonly origin: string
}

/** The input and the answer of an action, for the OpenAPI document. */
export interface AuthAction {
  readonly description?: string
  readonly input?: Readonly<Record<string, unknown>>
  readonly output?: Readonly<Record<string, unknown>>
  /** The status of its answer when it has been carried out; `output` is left out of one without content. @default any of 200 to 299 */
  readonly status?: number
}

/** The capabilities of an adapter. */
export interface AuthCapabilities {
  readonly provider: string
  readonly providerRoutes: { readonly enabled: boolean; readonly basePath?: string }
  /** The name of the cookie that holds a session, for the OpenAPI document. @default 'session' */
  readonly sessionCookie?: string
  readonly actions?: Readonly<Record<string, AuthAction>>
  readonly supportsAnonymous?: boolean
  readonly supportsOrganizations?: boolean
  readonly supportsImpersonation?: boolean
  readonly supportsServiceAccounts?: boolean
}

/**
 * Where sessions come from. One object with these members replaces the default adapter.
 *
 * - The adapter is not asked about a request that has neither `Authorization` nor `Cookie`, nor about one with the service token or a
 *   bearer token that begins with `daybook_`, as named tokens do.
 * - `getPrincipal` and `getIdentity` are asked about each other request, with the same context object. Both answer `null`
 *   without a valid credential, and both a value with one.
 * - An adapter with `load` is loaded before its first answer; one with `hasCredential` is asked nothing more about requests
 *   that have none of its kind.
 * - A {@link DaybookError} that an operation throws is answered as it is. Whatever else goes wrong (an error, an answer of
 *   another shape, two seconds without an answer) is 503 `SERVICE_UNAVAILABLE`: in doubt, access is refused.
 *
 * `authAdapterConformance` of `daybook/testing` checks what of this an adapter keeps.
 *
 * @example
 * ```ts
 * const adapter: AuthAdapter = {
 *   getCapabilities: () => ({ provider: 'intranet', providerRoutes: { enabled: false } }),
 *   getPrincipal: async ({ headers }) => lookUp(headers.get('authorization')),
 *   getIdentity: async ({ headers }) => identityOf(headers.get('authorization')),
 * }
 * ```
 */
export interface AuthAdapter {
  getCapabilities(): AuthCapabilities
  getPrincipal(context: AuthContext): Promise<Principal | null>
  getIdentity(context: AuthContext): Promise<Identity | null>
  /**
   * Runs a named action such as `login`; the response is the answer. Absent: every action answers 501 `NOT_IMPLEMENTED`.
   *
   * @param input the JSON object of the body, or what a form holds, as it came
   * @returns `null` for an action that it does not know: 404 `NOT_FOUND`
   * @throws UNAUTHORIZED when the action needs a session and there is none, VALIDATION_ERROR for a wrong input
   */
  invoke?(action: string, input: Readonly<Record<string, unknown>>, context: AuthContext): Promise<Response | null>
  /**
   * The names of actors by their subjects, as people call them: no addresses, as every session may ask for them. Subjects that it does
   * not know are left out. Absent: nobody has a name.
   *
   * @param subjects at most 100, each once
   */
  getNames?(subjects: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * The caller that somebody is now, without a credential: previews and schedules ask it for the rights of whoever made them. `null`: the
   * subject is unknown, was removed, or may not sign in. Absent: such work goes on with the rights that its maker had.
   */
  getCaller?(subject: string): Promise<Caller | null>
  /**
   * Whether a request has a credential of the adapter's kind, without looking it up. When it has none, nothing is loaded
   * and the adapter is not asked: the request has no session. Absent: every request with `Authorization` or `Cookie` may have one.
   */
  hasCredential?(context: AuthContext): boolean
  /**
   * Loads what the answers need, such as code: once, before the first of them, and again only after it has failed. The two
   * seconds of an answer begin when it has loaded; loading itself may take thirty.
   */
  load?(): Promise<void>
  /**
   * Calls `listener` when sessions or roles may have ended or changed, on any node: live events of readers with a session are checked at
   * once, and end where the session has. Called while there are such readers, perhaps before `load`. Absent: they are checked with each
   * heartbeat.
   *
   * @returns a function that stops the calls
   */
  onSessionChange?(listener: () => void): () => void
  /** Answers the provider's own routes below `providerRoutes.basePath`, whatever their method. */
  handleRequest?(request: Request, context: AuthContext): Promise<Response>
  /** Lets go of what it holds; called once, when the service ends. */
  close?(): Promise<void>
}

/** The parts of the service that an adapter may use. */
export interface AuthHost {
  /** Where the adapter keeps things: in the service's own database, for all nodes. */
  readonly records: AuthRecords
  readonly log: Log
  /** The start of the names of cookies that keeps services on one host apart, where the config names none. */
  readonly cookiePrefix?: string | undefined
}

/** An adapter that needs the service's database, as a config names it: `betterAuth()` of `daybook/better-auth`. */
export interface AuthSource {
  /** @throws {StartupError} when it cannot be used, with what to do about it */
  open(host: AuthHost): AuthAdapter
  /**
   * True if anyone can register an account, unless the config accepts that all accounts write. Such a service stays on its machine while
   * a collection or global has no rule for writing. @default false
   */
  readonly registersAnyone?: boolean
  /** Options that need a secret and have none, by path, each with how to get the secret. Such a service stays on its machine, too. @default none */
  readonly missingSecrets?: Readonly<Record<string, string>>
  /** Manages its accounts from the command line, beside any service. Absent: it has none. */
  manage?(host: AuthHost): Promise<AccountManager>
}

/** The actor that a request or an in-process call acts for. */
export interface Caller {
  readonly principal: Principal | null
  readonly identity: Identity | null
  /** The scopes of the credential, such as `posts:update`: elsewhere its holder is anonymous. Absent: everything. */
  readonly scopes?: readonly string[]
}

/** A caller without a session. */
export const ANONYMOUS: Caller = Object.freeze({ principal: null, identity: null })

/** The caller that a program is which has one name and no end. */
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

/** The service itself: seeding, imports and other work that no person asked for. */
export const SYSTEM: Caller = createServiceCaller('daybook', 'system')

/** A program with the service token. */
export const SERVICE: Caller = createServiceCaller('service-token', 'service')

/** The caller's identity, or `null` without a session. */
export function getIdentity(caller: Caller): Identity | null {
  return caller.identity
}

/** Whether the caller has a session. */
export function isAuthenticated(caller: Caller): boolean {
  return caller.principal !== null
}

/** Whether the caller is a person with a session. */
export function isHumanUser(caller: Caller): boolean {
  return caller.principal !== null && caller.identity?.actorType === 'human'
}

/** The caller's subject, or `null` without a session. */
export function getSubject(caller: Caller): string | null {
  return caller.identity?.subject ?? null
}

/**
 * A rule that admits sessions with one of these roles.
 *
 * @example
 * ```ts
 * defineCollection({ fields, access: { update: hasRole('editor'), delete: hasRole('admin', 'service') } })
 * ```
 */
export function hasRole(...roles: readonly [string, ...string[]]): (caller: Caller) => boolean {
  return (caller) => isAuthenticated(caller) && roles.some((role) => caller.identity?.roles.includes(role) === true)
}
