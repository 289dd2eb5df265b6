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

/** How long an adapter may take to answer: a client is told within two seconds. */
const DEFAULT_AUTH_ANSWER_MS = 1800
/** How long an adapter may take to load, in milliseconds: longer than any machine needs, as only what never comes is given up. */
const ADAPTER_LOAD_MS = 30_000

/** What an adapter with actions that says nothing about them is taken to have. */
const DEFAULT_ACTIONS: Readonly<Record<string, AuthAction>> = { login: {}, register: {}, logout: {} }

/** What an actor is called. */
export interface ActorName {
  readonly subject: string
  readonly name: string
}

/** An adapter that cannot do harm by failing, with the service token and the named tokens beside it. */
export class AuthGuard {
  readonly capabilities: AuthCapabilities
  readonly #adapter: AuthAdapter
  readonly #serviceCaller: (headers: Headers) => Caller | null
  readonly #hasServiceToken: boolean
  readonly #tokens: ApiTokens
  readonly #answerMs: number
  /** The one load of the adapter, under way or done. */
  #loading: Promise<void> | undefined

  /**
   * @param serviceToken accepted beside whatever the adapter accepts
   * @param answerMs how long the adapter may take to answer, in milliseconds
   * @throws {TypeError} when the token is too short; {StartupError} when the adapter does not say what it can do
   */
  constructor(
    adapter: AuthAdapter,
    serviceToken: string | undefined,
    tokens: ApiTokens,
    answerMs: number = DEFAULT_AUTH_ANSWER_MS,
  ) {
    this.#adapter = adapter
    this.#tokens = tokens
    this.#answerMs = answerMs
    this.#serviceCaller = createServiceTokenCheck(serviceToken)
    this.#hasServiceToken = serviceToken !== undefined
    this.capabilities = requireCapabilities(adapter.getCapabilities())
  }

  /**
   * The caller of a request; {@link ANONYMOUS} without a valid credential.
   *
   * @throws SERVICE_UNAVAILABLE when the adapter fails
   */
  async resolveCaller(context: AuthContext): Promise<Caller> {
    const service = this.#serviceCaller(context.headers)
    if (service) return service
    const token = readApiToken(context.headers)
    if (token !== undefined)
      return callAdapter(this.#answerMs, async () => unlessExpired((await this.#tokens.findCaller(token)) ?? ANONYMOUS))
    if (!hasCredential(this.#adapter, context)) return ANONYMOUS
    return this.#ask(async (adapter) => {
      // Each for itself: where one throws before it has a promise, that of the other must not be left alone.
      const principal = (async () => adapter.getPrincipal(context))()
      const identity = (async () => adapter.getIdentity(context))()
      return requireCaller(...(await Promise.all([principal, identity])))
    })
  }

  /**
   * The caller that a stored one is now, with present roles and scopes.
   *
   * @returns `null` when the person or program may not sign in any more
   * @throws SERVICE_UNAVAILABLE when the adapter fails
   */
  async findCurrentCaller(stored: Caller): Promise<Caller | null> {
    const { identity } = stored
    if (!identity) return null
    const { provider, subject } = identity
    if (provider === getIdentity(SERVICE)?.provider && subject === getSubject(SERVICE))
      return this.#hasServiceToken ? SERVICE : null
    if (provider === API_TOKEN_PROVIDER) return callAdapter(this.#answerMs, () => this.#tokens.findCallerById(subject))
    const { getCaller } = this.#adapter
    // Callers inside the process have no account; what an adapter cannot look up keeps the rights that it had.
    if (provider === getIdentity(SYSTEM)?.provider || !getCaller) return stored
    const found: unknown = await this.#ask((adapter) => getCaller.call(adapter, subject))
    if (found === null) return null
    const { principal = null, identity: present = null } = isObjectAnswer(found) ? found : {}
    const caller = requireCaller(principal, present)
    return isAuthenticated(caller) ? caller : null
  }

  /**
   * The actions that the adapter carries out: those that it names, the usual ones where it names none, and none where it has no
   * `invoke`.
   */
  get actions(): Readonly<Record<string, object>> {
    if (!this.#adapter.invoke) return {}
    const { actions = DEFAULT_ACTIONS } = this.capabilities
    return Object.fromEntries(
      Object.entries(actions).map(([name, { description, input }]) => [name, { description, input }]),
    )
  }

  /**
   * A session as its owner is told it, as JSON text.
   *
   * @throws SERVICE_UNAVAILABLE when the adapter gave what JSON cannot tell
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
   * The names of actors, in the order of the subjects: accounts as their adapter calls them, tokens as they were named. Those without a name
   * are left out.
   *
   * @throws SERVICE_UNAVAILABLE when the adapter fails
   */
  async findNames(subjects: readonly string[]): Promise<readonly ActorName[]> {
    const { getNames } = this.#adapter
    const asked = [...new Set(subjects)]
    const [ofAdapter, ofTokens] = await Promise.all([
      getNames && asked.length > 0 ? this.#ask((adapter) => getNames.call(adapter, asked)) : new Map(),
      callAdapter(this.#answerMs, () => this.#tokens.findNames(asked)),
    ])
    if (!(ofAdapter instanceof Map)) throw failed(new TypeError('getNames gave no Map.'))
    return asked.flatMap((subject) => {
      const name: unknown = ofTokens.get(subject) ?? ofAdapter.get(subject)
      return isIdentityText(name) ? [{ subject, name }] : []
    })
  }

  /**
   * Runs an action of the adapter.
   *
   * @throws NOT_IMPLEMENTED when it has no actions, NOT_FOUND when it does not know this one, SERVICE_UNAVAILABLE when it
   * fails, and what it throws on purpose
   */
  async invoke(action: string, input: Readonly<Record<string, unknown>>, context: AuthContext): Promise<Response> {
    const { invoke } = this.#adapter
    if (!invoke) throw new DaybookError('NOT_IMPLEMENTED', 'The auth adapter has no actions.')
    const response = await this.#ask((adapter) => invoke.call(adapter, action, input, context))
    if (response === null) throw new DaybookError('NOT_FOUND', `There is no action "${action}".`)
    return requireResponse(response)
  }

  /**
   * Calls `listener` when sessions or tokens may have ended or changed, on any node; the returned function stops that. An adapter without
   * `onSessionChange` reports nothing.
   *
   * @throws SERVICE_UNAVAILABLE when the adapter fails
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
      if (typeof stop !== 'function') throw new TypeError('onSessionChange gave no function.')
      return () => {
        try {
          stop()
        } catch {
          // The reader has gone: a further call of the listener does no harm.
        }
      }
    } catch (error) {
      throw toFailure(error)
    }
  }

  /**
   * Passes a request on to the provider's own routes.
   *
   * @throws NOT_FOUND when the adapter has none, SERVICE_UNAVAILABLE when it fails
   */
  async handleProviderRequest(request: Request, context: AuthContext): Promise<Response> {
    const { handleRequest } = this.#adapter
    if (!handleRequest) throw new DaybookError('NOT_FOUND')
    return requireResponse(await this.#ask((adapter) => handleRequest.call(adapter, request, context)))
  }

  async close(): Promise<void> {
    await this.#tokens.close()
    await this.#adapter.close?.()
  }

  /** Asks the adapter; the clock of its answer runs once it is loaded. */
  async #ask<T>(question: (adapter: AuthAdapter) => Promise<T>): Promise<T> {
    await this.#load()
    return callAdapter(this.#answerMs, () => question(this.#adapter))
  }

  /** Loads the adapter once. Requests that come meanwhile wait for the same load; after a failed one, the next request tries again. */
  #load(): Promise<void> {
    this.#loading ??= callAdapter(ADAPTER_LOAD_MS, async () => this.#adapter.load?.()).catch((error) => {
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }
}

/** A path without patterns, such as `/api/auth`. */
const BASE_PATH_FORMAT = /^(?:\/[\w.~-]+)+$/

function requireCapabilities(given: unknown): AuthCapabilities {
  const { provider, providerRoutes } = isObjectAnswer(given) ? given : {}
  const { enabled, basePath } = isObjectAnswer(providerRoutes) ? providerRoutes : {}
  const isPath = typeof basePath === 'string' && BASE_PATH_FORMAT.test(basePath)
  if (isIdentityText(provider) && (enabled === false || (enabled === true && isPath))) return given as AuthCapabilities
  throw new StartupError(
    "auth.getCapabilities: give { provider: 'a-name', providerRoutes: { enabled: false } }; enabled routes need a basePath, such as '/api/auth'",
  )
}

const failed = (cause: unknown): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', 'Sessions cannot be checked right now; retry as Retry-After says.', {}, cause)

/** Whatever an adapter throws by accident is a failure of the service. */
const toFailure = (error: unknown): DaybookError => (error instanceof DaybookError ? error : failed(error))

/** @throws SERVICE_UNAVAILABLE when the adapter fails */
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

function requireResponse(answer: unknown): Response {
  const isResponse = answer instanceof Response
  // Response.error() has status 0, and what was read by others cannot be sent.
  if (isResponse && answer.status > 0 && !answer.bodyUsed && !answer.body?.locked) return answer
  throw failed(new TypeError(`The auth adapter answered ${isResponse ? 'a Response that is used up' : 'no Response'}.`))
}

/** The caller that an adapter names, checked: trusting it unchecked could admit strangers. */
function requireCaller(principal: unknown, identity: unknown): Caller {
  if (principal === null && identity === null) return ANONYMOUS
  if (!isObjectAnswer(principal)) throw failed(new TypeError('getPrincipal gave neither an object nor null.'))
  if (!isIdentity(identity)) throw failed(new TypeError('getIdentity gave neither an identity nor null.'))
  return unlessExpired({ principal, identity })
}

function unlessExpired(caller: Caller): Caller {
  const expiresAt = caller.identity?.expiresAt ?? null
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? ANONYMOUS : caller
}

const isObjectAnswer = (value: unknown): value is Principal =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The longest subject, in characters: documents name it, and an index holds it whole. */
const MAX_SUBJECT_LENGTH = 512

const isIdentityText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isTime = (value: unknown): boolean => isIdentityText(value) && !Number.isNaN(Date.parse(value))

function isIdentity(value: unknown): value is Identity {
  if (!isObjectAnswer(value)) return false
  const { provider, subject, sessionId, actorType, expiresAt, claims, roles } = value
  return (
    [provider, subject, sessionId].every(isIdentityText) &&
    String(subject).length <= MAX_SUBJECT_LENGTH &&
    (actorType === 'human' || actorType === 'service') &&
    (expiresAt === null || isTime(expiresAt)) &&
    isObjectAnswer(claims) &&
    Array.isArray(roles) &&
    // Spread, as every() passes over holes.
    [...roles].every(isIdentityText)
  )
}
