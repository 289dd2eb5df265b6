import { DaybookError, StartupError } from '../errors.ts'
import { withTimeout } from '../with-timeout.ts'
import {
  ANONYMOUS,
  type AuthAction,
  type AuthAdapter,
  type AuthCapabilities,
  type AuthContext,
  type Caller,
  getIdentity,
  getSubject,
  type Identity,
  isAuthenticated,
  type Principal,
  SERVICE,
  SYSTEM,
} from './adapter.ts'
import { API_TOKEN_PROVIDER, type ApiTokens, readApiToken } from './api-tokens.ts'
import { createServiceTokenCheck } from './service-token.ts'

/** The default timeout of a call of the adapter, in milliseconds. The client gets its response within two seconds. */
const DEFAULT_CALL_TIMEOUT_MS = 1800
/** The timeout for loading the adapter, in milliseconds: longer than any machine needs. */
const LOAD_TIMEOUT_MS = 30_000

/** The actions of an adapter that has `invoke` but lists none. */
const DEFAULT_ACTIONS: Readonly<Record<string, AuthAction>> = { login: {}, register: {}, logout: {} }

/** The display name of an actor. */
export interface ActorName {
  readonly subject: string
  readonly name: string
}

/** Identifies callers by the service token, named tokens and an adapter, whose failures and invalid results it turns into 503. */
export class AuthGuard {
  readonly capabilities: AuthCapabilities
  readonly #adapter: AuthAdapter
  readonly #serviceCaller: (headers: Headers) => Caller | null
  readonly #hasServiceToken: boolean
  readonly #tokens: ApiTokens
  readonly #timeoutMs: number
  /** The running or completed load of the adapter. */
  #loading: Promise<void> | undefined

  /**
   * @param serviceToken accepted besides the credentials of the adapter
   * @param timeoutMs the timeout of a call of the adapter, in milliseconds
   * @throws {StartupError} if the token is too short, or the adapter has invalid capabilities
   */
  constructor(
    adapter: AuthAdapter,
    serviceToken: string | undefined,
    tokens: ApiTokens,
    timeoutMs: number = DEFAULT_CALL_TIMEOUT_MS,
  ) {
    this.#adapter = adapter
    this.#tokens = tokens
    this.#timeoutMs = timeoutMs
    this.#serviceCaller = createServiceTokenCheck(serviceToken)
    this.#hasServiceToken = serviceToken !== undefined
    this.capabilities = requireCapabilities(adapter.getCapabilities())
  }

  /**
   * Returns the caller of a request, {@link ANONYMOUS} without a valid credential.
   *
   * @throws SERVICE_UNAVAILABLE when the adapter fails
   */
  async resolveCaller(context: AuthContext): Promise<Caller> {
    const service = this.#serviceCaller(context.headers)
    if (service) return service
    const token = readApiToken(context.headers)
    if (token !== undefined)
      return callAdapter(this.#timeoutMs, async () =>
        unlessExpired((await this.#tokens.findCaller(token)) ?? ANONYMOUS),
      )
    if (!hasCredential(this.#adapter, context)) return ANONYMOUS
    return this.#call(async (adapter) => {
      // Wrapped separately: if one throws before it returns a promise, the other promise must still be awaited.
      const principal = (async () => adapter.getPrincipal(context))()
      const identity = (async () => adapter.getIdentity(context))()
      return requireCaller(...(await Promise.all([principal, identity])))
    })
  }

  /**
   * Returns a stored caller with its current roles and scopes, or `null` if it may no longer sign in.
   *
   * @throws SERVICE_UNAVAILABLE if the adapter fails
   */
  async findCurrentCaller(stored: Caller): Promise<Caller | null> {
    const { identity } = stored
    if (!identity) return null
    const { provider, subject } = identity
    if (provider === getIdentity(SERVICE)?.provider && subject === getSubject(SERVICE))
      return this.#hasServiceToken ? SERVICE : null
    if (provider === API_TOKEN_PROVIDER) return callAdapter(this.#timeoutMs, () => this.#tokens.findCallerById(subject))
    const { getCaller } = this.#adapter
    // In-process callers have no account. Without `getCaller`, a caller keeps its stored rights.
    if (provider === getIdentity(SYSTEM)?.provider || !getCaller) return stored
    const result: unknown = await this.#call((adapter) => getCaller.call(adapter, subject))
    if (result === null) return null
    const { principal = null, identity: currentIdentity = null } = isObject(result) ? result : {}
    const caller = requireCaller(principal, currentIdentity)
    return isAuthenticated(caller) ? caller : null
  }

  /**
   * The actions of the adapter: those that it lists, by default the usual ones, and none without `invoke`.
   */
  get actions(): Readonly<Record<string, object>> {
    if (!this.#adapter.invoke) return {}
    const { actions = DEFAULT_ACTIONS } = this.capabilities
    return Object.fromEntries(
      Object.entries(actions).map(([name, { description, input }]) => [name, { description, input }]),
    )
  }

  /**
   * Serializes a session as JSON for its owner.
   *
   * @throws SERVICE_UNAVAILABLE if the adapter's values cannot be serialized
   */
  serializeSession(caller: Caller): string {
    const { principal, identity } = caller
    try {
      return JSON.stringify({ authenticated: isAuthenticated(caller), principal, identity })
    } catch (error) {
      throw failed(error)
    }
  }

  /**
   * Returns the names of accounts and tokens in the order of the subjects, without those that have no name.
   *
   * @throws SERVICE_UNAVAILABLE if the adapter fails
   */
  async findNames(subjects: readonly string[]): Promise<readonly ActorName[]> {
    const { getNames } = this.#adapter
    const unique = [...new Set(subjects)]
    const [accountNames, tokenNames] = await Promise.all([
      getNames && unique.length > 0 ? this.#call((adapter) => getNames.call(adapter, unique)) : new Map(),
      callAdapter(this.#timeoutMs, () => this.#tokens.findNames(unique)),
    ])
    if (!(accountNames instanceof Map)) throw failed(new TypeError('getNames did not return a Map.'))
    return unique.flatMap((subject) => {
      const name: unknown = tokenNames.get(subject) ?? accountNames.get(subject)
      return isIdentityText(name) ? [{ subject, name }] : []
    })
  }

  /**
   * Runs an action of the adapter.
   *
   * @throws NOT_IMPLEMENTED if it has no actions, NOT_FOUND if the action is unknown, SERVICE_UNAVAILABLE if it fails, and any
   * {@link DaybookError} that it throws
   */
  async invoke(action: string, input: Readonly<Record<string, unknown>>, context: AuthContext): Promise<Response> {
    const { invoke } = this.#adapter
    if (!invoke) throw new DaybookError('NOT_IMPLEMENTED', 'The auth adapter has no actions.')
    const response = await this.#call((adapter) => invoke.call(adapter, action, input, context))
    if (response === null) throw new DaybookError('NOT_FOUND', `The action "${action}" does not exist.`)
    return requireResponse(response)
  }

  /**
   * Accepts a secret for the creation of the first administrator, if the adapter creates accounts, and there is none.
   *
   * @returns true if the secret is accepted
   * @throws SERVICE_UNAVAILABLE if the adapter fails
   */
  async openSetup(secret: string): Promise<boolean> {
    const { openSetup } = this.#adapter
    return openSetup !== undefined && this.#call((adapter) => openSetup.call(adapter, secret))
  }

  /**
   * Calls `listener` when sessions or tokens may have ended or changed, on any node. An adapter without `onSessionChange` reports nothing.
   *
   * @returns a function that stops the calls
   * @throws SERVICE_UNAVAILABLE if the adapter fails
   */
  onSessionChange(listener: () => void): () => void {
    const stopAdapter = this.#listenToAdapter(listener)
    const stopTokens = this.#tokens.onSessionChange(listener)
    return () => {
      stopTokens()
      stopAdapter()
    }
  }

  #listenToAdapter(listener: () => void): () => void {
    const { onSessionChange } = this.#adapter
    if (!onSessionChange) return () => {}
    try {
      const stop: unknown = onSessionChange.call(this.#adapter, listener)
      if (typeof stop !== 'function') throw new TypeError('onSessionChange did not return a function.')
      return () => {
        try {
          stop()
        } catch {
          // Further calls of the listener do no harm.
        }
      }
    } catch (error) {
      throw toFailure(error)
    }
  }

  /**
   * Passes a request to the provider's own routes.
   *
   * @throws NOT_FOUND if the adapter has none, SERVICE_UNAVAILABLE if it fails
   */
  async handleProviderRequest(request: Request, context: AuthContext): Promise<Response> {
    const { handleRequest } = this.#adapter
    if (!handleRequest) throw new DaybookError('NOT_FOUND')
    return requireResponse(await this.#call((adapter) => handleRequest.call(adapter, request, context)))
  }

  async close(): Promise<void> {
    await this.#tokens.close()
    await this.#adapter.close?.()
  }

  /** Loads the adapter, and then calls it with its timeout. */
  async #call<T>(operation: (adapter: AuthAdapter) => Promise<T>): Promise<T> {
    await this.#load()
    return callAdapter(this.#timeoutMs, () => operation(this.#adapter))
  }

  /** Loads the adapter once. Concurrent requests share the load; after a failure, the next request tries again. */
  #load(): Promise<void> {
    this.#loading ??= callAdapter(LOAD_TIMEOUT_MS, async () => this.#adapter.load?.()).catch((error) => {
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }
}

/** A path without patterns, such as `/api/auth`. */
const BASE_PATH_FORMAT = /^(?:\/[\w.~-]+)+$/

function requireCapabilities(value: unknown): AuthCapabilities {
  const { provider, providerRoutes } = isObject(value) ? value : {}
  const { enabled, basePath } = isObject(providerRoutes) ? providerRoutes : {}
  const isPath = typeof basePath === 'string' && BASE_PATH_FORMAT.test(basePath)
  if (isIdentityText(provider) && (enabled === false || (enabled === true && isPath))) return value as AuthCapabilities
  throw new StartupError(
    "auth.getCapabilities: return { provider: 'a-name', providerRoutes: { enabled: false } }; enabled routes need a basePath, such as '/api/auth'",
  )
}

const failed = (cause: unknown): DaybookError =>
  new DaybookError(
    'SERVICE_UNAVAILABLE',
    'Sessions cannot be checked right now. Retry after the seconds in Retry-After.',
    {},
    cause,
  )

/** Keeps a {@link DaybookError}, and turns any other error into 503. */
const toFailure = (error: unknown): DaybookError => (error instanceof DaybookError ? error : failed(error))

/** @throws SERVICE_UNAVAILABLE if the adapter fails */
function hasCredential(adapter: AuthAdapter, context: AuthContext): boolean {
  try {
    return adapter.hasCredential?.(context) ?? true
  } catch (error) {
    throw toFailure(error)
  }
}

/**
 * Waits for an adapter for at most `limit` milliseconds.
 *
 * @throws SERVICE_UNAVAILABLE if the adapter takes longer or fails
 */
async function callAdapter<T>(limit: number, work: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(limit, work)
  } catch (error) {
    throw toFailure(error)
  }
}

function requireResponse(value: unknown): Response {
  const isResponse = value instanceof Response
  // Response.error() has status 0, and a body that was already read cannot be sent.
  if (isResponse && value.status > 0 && !value.bodyUsed && !value.body?.locked) return value
  throw failed(
    new TypeError(
      `The auth adapter returned ${isResponse ? 'a Response whose body was already read' : 'no Response'}.`,
    ),
  )
}

/** Validates principal and identity of an adapter: trusting them unchecked could admit strangers. */
function requireCaller(principal: unknown, identity: unknown): Caller {
  if (principal === null && identity === null) return ANONYMOUS
  if (!isObject(principal)) throw failed(new TypeError('getPrincipal returned neither an object nor null.'))
  if (!isIdentity(identity)) throw failed(new TypeError('getIdentity returned neither an identity nor null.'))
  return unlessExpired({ principal, identity })
}

function unlessExpired(caller: Caller): Caller {
  const expiresAt = caller.identity?.expiresAt ?? null
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? ANONYMOUS : caller
}

const isObject = (value: unknown): value is Principal =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The maximum length of a subject, in characters. Documents store it, and indexes contain it as a whole. */
const MAX_SUBJECT_LENGTH = 512

const isIdentityText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isTime = (value: unknown): boolean => isIdentityText(value) && !Number.isNaN(Date.parse(value))

function isIdentity(value: unknown): value is Identity {
  if (!isObject(value)) return false
  const { provider, subject, sessionId, actorType, expiresAt, claims, roles } = value
  return (
    [provider, subject, sessionId].every(isIdentityText) &&
    String(subject).length <= MAX_SUBJECT_LENGTH &&
    (actorType === 'human' || actorType === 'service') &&
    (expiresAt === null || isTime(expiresAt)) &&
    isObject(claims) &&
    Array.isArray(roles) &&
    // Spread, because every() skips holes.
    [...roles].every(isIdentityText)
  )
}
