import { LRUCache } from 'lru-cache'
import { ANONYMOUS, type AuthContext, type Caller, isAuthenticated } from '../auth/adapter.ts'
import type { AuthGuard } from '../auth/guard.ts'
import type { CorsConfig } from '../config/config.ts'
import { Access } from '../content/access/access.ts'
import { DaybookError, ERRORS, validationErrorAt } from '../errors.ts'
import { type Log, logRequest } from '../log.ts'
import type { Model } from '../model/model.ts'
import { Faults, parseQueryString, Query, readParameters } from '../query/parameters.ts'
import { redactTarget } from '../redaction.ts'
import { type AddressHint, makeAddressHint } from './address-hint.ts'
import { ReadResponder, type ResponseCache } from './cache.ts'
import { Compression } from './compression.ts'
import { findUndeclared, type Route } from './contract.ts'
import { buildCorsHeaders, buildPreflightHeaders, requireSameOrigin } from './cors.ts'
import { OVERLOADED, type QueueLimits, RequestQueue } from './overload.ts'
import { explainRejection, requireProtection, requireSessionOrRule } from './protection.ts'
import {
  type HttpRequest,
  type RequestHandler,
  type RequestHeaders,
  type SendResponse,
  toAuthContext,
} from './request.ts'
import { parseRequestHeaders } from './request-headers.ts'
import {
  buildErrorResponse,
  type CachePolicy,
  type FinishedResponse,
  finishResponse,
  type HttpResponse,
  NO_STORE_HEADERS,
} from './response.ts'
import { listAllowedMethods, parseRequestPath, type RouteMatch, Router } from './router.ts'

export interface AppOptions {
  readonly model: Model
  readonly routes: readonly Route[]
  readonly auth: AuthGuard
  /** The number of proxies that are trusted to name the client's address. */
  readonly trustProxy: number
  readonly log: Log
  readonly cors: CorsConfig | undefined
  /** The default limit of a body, in bytes. */
  readonly bodyLimit: number
  readonly queueLimits: QueueLimits
  readonly readPolicy: CachePolicy
  /** `undefined`: no response is cached. */
  readonly responseCache: ResponseCache | undefined
  /** The redirect target for browsers at `/`, unless a route has that path; `undefined`: no redirect. */
  readonly startPage: string | undefined
  /** True if an undeclared response, or a write that evaluated no access rule, is an error. */
  readonly isStrict: boolean
  /** Called for every response if metrics are collected: with the path pattern of the route, if there is one, and milliseconds. */
  readonly observe: ((method: string, route: string | undefined, status: number, ms: number) => void) | undefined
}

/** The options with everything that is built from them. */
interface App extends AppOptions {
  readonly router: Router
  readonly reads: ReadResponder
  readonly compression: Compression
  /** Recent parsed query strings by route. Code may cache derived values on a query. */
  readonly queries: LRUCache<string, Query>
  /** The parsed empty query string of each route. */
  readonly emptyQueries: ReadonlyMap<Route, Query>
  readonly queue: RequestQueue
  readonly methods: readonly string[]
  readonly hint: AddressHint
}

const NO_QUERY = new Query({}, new Faults())
/** The maximum number of cached query strings. */
const MAX_QUERIES = 500
/** The maximum length of a cached query string, in characters. */
const MAX_CACHED_QUERY = 512

const MAX_LOGGED_TARGET = 512

/**
 * Builds the handler of all requests from the routes.
 *
 * @throws {StartupError} if a route does not declare its protection
 */
export function createApp(options: AppOptions): RequestHandler {
  requireProtection(options.routes)
  const { model, readPolicy: policy, responseCache: cache } = options
  const compression = new Compression()
  const app: App = {
    ...options,
    router: new Router(options.routes),
    reads: new ReadResponder({ policy, cache, compression, hasReadRules: model.hasReadRules }),
    compression,
    queries: new LRUCache({ max: MAX_QUERIES }),
    emptyQueries: new Map(options.routes.map((route) => [route, parseQuery(route, '')])),
    queue: new RequestQueue(options.queueLimits),
    methods: listAllowedMethods(options.routes.map(({ method }) => method)),
    hint: makeAddressHint(listPublicPaths(options.routes)),
  }
  return (request, respond) => {
    const scope = new RequestScope(request, app.cors)
    try {
      const cached = respondFromCache(app, request, scope)
      if (cached) respond(cached)
      else respondInTurn(app, request, scope, respond)
    } catch {
      respond(buildLastResortResponse(scope))
    }
  }
}

function respondInTurn(app: App, request: HttpRequest, scope: RequestScope, respond: SendResponse): void {
  const result = app.router.match(request)
  const match = result && 'route' in result ? result : undefined
  scope.route = match?.route
  const run = (): Promise<void> =>
    respondWithoutCache(app, request, scope, match).then(respond, () => respond(buildLastResortResponse(scope)))
  if (!match || match.route.isProbe) void run()
  else app.queue.enter({ run, reject: () => respond(respondOverloaded(app, request, scope)) })
}

/** Returns the cached response if it is current. That costs no more than a 503, so the request does not enter the queue. */
function respondFromCache(app: App, request: HttpRequest, scope: RequestScope): FinishedResponse | undefined {
  const cached = app.reads.respondFromCache(request)
  if (!cached) return undefined
  scope.route = cached.route
  return completeResponse(app, cached.response, request, scope)
}

function respondOverloaded(app: App, request: HttpRequest, scope: RequestScope): FinishedResponse {
  const response = requireDeclared(app, buildErrorResponse(OVERLOADED, scope.requestId), scope)
  const headers = { ...response.headers, 'Retry-After': String(app.queue.retryAfter) }
  return completeResponse(app, { ...response, headers }, request, scope)
}

/** The last-resort response, such as when the log throws. */
const buildLastResortResponse = ({ requestId, headers }: RequestScope): FinishedResponse =>
  finishResponse(buildErrorResponse(undefined, requestId), headers)

async function respondWithoutCache(
  app: App,
  request: HttpRequest,
  scope: RequestScope,
  match: RouteMatch | undefined,
): Promise<FinishedResponse> {
  try {
    // The client has disconnected while the request waited.
    if (request.isAborted) return respondOverloaded(app, request, scope)
    const routeResponse = match ? await runRoute(app, match, request) : respondWithoutRoute(app, request, scope)
    const response = requireDeclared(app, routeResponse, scope)
    return completeResponse(app, await app.compression.negotiate(response, request.headers), request, scope)
  } catch (error) {
    if (isFailure(error)) reportError(app, scope, error)
    const explained = error instanceof DaybookError ? explainRejection(error, request.headers) : error
    const declared = requireDeclared(app, buildErrorResponse(explained, scope.requestId), scope)
    return completeResponse(app, await app.compression.negotiate(declared, request.headers), request, scope)
  }
}

/** @throws VALIDATION_ERROR for a malformed path, NOT_FOUND unless a browser requests `/` */
function respondWithoutRoute(app: App, request: HttpRequest, scope: RequestScope): HttpResponse {
  // RFC 9110, section 9.3.7: `OPTIONS *` is about the whole service.
  if (request.target === '*') return respondToMethod(app, app.methods, request, scope)
  const path = parseRequestPath(request.target)
  if (path === undefined)
    throw validationErrorAt('path', 'encoding', 'The path contains an escape sequence that is not UTF-8.')
  const methods = app.router.match(request)
  if (methods && !('route' in methods)) return respondToMethod(app, methods, request, scope)
  const { startPage } = app
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (startPage === undefined || path !== '/' || !isRead || !acceptsHtml(request.headers)) {
    throw makeNotFoundError(app.hint(path))
  }
  return { status: 302, headers: { Location: startPage, Vary: 'Accept', ...NO_STORE_HEADERS } }
}

/** Browsers accept HTML by name, programs accept anything or JSON (RFC 9110, section 12.5.1). */
const acceptsHtml = (headers: RequestHeaders): boolean =>
  /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.get('accept') ?? '')

/** @param hint a sentence of advice */
const makeNotFoundError = (hint: string | undefined): DaybookError =>
  new DaybookError('NOT_FOUND', hint && `${ERRORS.NOT_FOUND.message} ${hint}`)

/** Returns the paths that are public whatever the access rules of the config. Hints contain no others. */
function listPublicPaths(routes: readonly Route[]): readonly string[] {
  return routes
    .filter(({ method, protection, resource }) => method === 'GET' && protection === 'public' && !resource?.access.read)
    .filter(({ path }) => !path.endsWith('*'))
    .map(({ path, resource }) => (resource ? path.replace(/:(?:collection|key)\b/, resource.key) : path))
}

/** True for an error that is logged. */
const isFailure = (error: unknown): boolean => !(error instanceof DaybookError) || error.status >= 500

async function runRoute(app: App, { route, path }: RouteMatch, request: HttpRequest): Promise<HttpResponse> {
  const { headers, target } = request
  const caller = isAnonymous(route, headers) ? ANONYMOUS : await identify(app, route, request)
  const access = new Access(app.model, caller)
  if (route.protection === 'session' && !access.isAuthenticated) await requireSessionOrRule(app.model, route, caller)
  const headerValues = parseRequestHeaders(route.requestHeaders, headers)
  const query = readQuery(app, route, getQueryString(target))
  if (!route.checksQuery) query.throwFaults()
  if (route.admit) await route.admit(request, path, access)
  const { body: contract } = route
  const limit = contract?.limit ?? app.bodyLimit
  const body = contract && (await app.queue.waitOutside(() => contract.read(request, limit)))
  const routeRequest = { access, path, query, headers: headerValues, body, request }
  if (route.read) return app.reads.respond(route, routeRequest)
  const response = await (route.streamsBody
    ? app.queue.waitOutside(() => route.run(routeRequest))
    : route.run(routeRequest))
  if (app.isStrict) requireAuthorized(route, access, response)
  return response
}

/** @throws {Error} if a route has executed a write without evaluating a rule for writes; a replayed response executes nothing */
function requireAuthorized({ operationId, resource, action }: Route, access: Access, response: HttpResponse): void {
  const isDone = response.status < 400 && response.headers?.['Idempotency-Replayed'] === undefined
  if (!isDone || !resource || !action || access.hasAuthorized(resource)) return
  throw new Error(`${operationId} evaluated no access rule for writes of ${resource.kind}s.${resource.key}`)
}

/** @throws VALIDATION_ERROR */
function readQuery({ queries, emptyQueries }: App, route: Route, search: string): Query {
  const empty = search === '' && emptyQueries.get(route)
  if (empty) return empty
  const key = `${route.operationId} ${route.resource?.key} ${search}`
  const cachedQuery = queries.get(key)
  if (cachedQuery) return cachedQuery
  const query = parseQuery(route, search)
  if (search.length <= MAX_CACHED_QUERY) queries.set(key, query)
  return query
}

const parseQuery = ({ parameters }: Route, search: string): Query =>
  parameters ? readParameters(parameters, parseQueryString(search)) : NO_QUERY

function getQueryString(target: string): string {
  const start = target.indexOf('?')
  return start === -1 ? '' : target.slice(start + 1)
}

/** True if a request has no credential, or its route ignores credentials. */
const isAnonymous = ({ protection, ignoresCaller }: Route, headers: RequestHeaders): boolean =>
  protection !== 'provider' && (ignoresCaller === true || !(headers.has('authorization') || headers.has('cookie')))

/**
 * Identifies the caller of a request. On routes of the auth provider, callers are anonymous: the provider checks the credential.
 *
 * @throws FORBIDDEN for a write that a page of another origin sends with the browser's cookies
 */
async function identify({ auth, cors, trustProxy }: App, { protection }: Route, request: HttpRequest): Promise<Caller> {
  const { headers, method } = request
  const isChange = method !== 'GET' && method !== 'HEAD'
  const isBearer = headers.has('authorization')
  const getContext = (): AuthContext => toAuthContext(request, trustProxy)
  if (protection === 'provider') {
    // A sign-in sets cookies, so pages of other origins must not send one even if the browser has no cookies yet.
    if (isChange && !isBearer) requireSameOrigin(getContext(), cors)
    return ANONYMOUS
  }
  const authContext = getContext()
  const caller = await auth.resolveCaller(authContext)
  if (isChange && isAuthenticated(caller) && !isBearer) requireSameOrigin(authContext, cors)
  return caller
}

/** Responds to OPTIONS, and with 405 to methods that the path does not support. */
function respondToMethod(
  { cors }: App,
  methods: readonly string[],
  { method, headers }: HttpRequest,
  { requestId }: RequestScope,
): HttpResponse {
  const allow = { Allow: methods.join(', ') }
  if (method !== 'OPTIONS') {
    const response = buildErrorResponse(new DaybookError('METHOD_NOT_ALLOWED'), requestId)
    return { ...response, headers: { ...response.headers, ...allow } }
  }
  return { status: 204, headers: { ...allow, ...buildPreflightHeaders(cors, headers.get('origin')), Vary: 'Origin' } }
}

function reportError({ log }: App, { requestId }: RequestScope, error: unknown): void {
  const cause = error instanceof DaybookError ? (error.cause ?? error) : error
  log.error({ requestId, err: cause }, 'request failed')
}

function completeResponse(
  app: App,
  response: HttpResponse,
  { method, target }: HttpRequest,
  scope: RequestScope,
): FinishedResponse {
  const { log, observe } = app
  observe?.(method, scope.route?.path, response.status, performance.now() - scope.startedAt)
  if (log.requests) {
    const ms = Math.round((performance.now() - scope.startedAt) * 100) / 100
    const url = redactTarget(target.slice(0, MAX_LOGGED_TARGET), scope.route)
    logRequest(log, { requestId: scope.requestId, method, url, status: response.status, ms })
  }
  return finishResponse(response, scope.headers)
}

/** Replaces a response that its route does not declare with an error, if the service is strict. */
function requireDeclared(app: App, response: HttpResponse, scope: RequestScope): HttpResponse {
  const { route, requestId } = scope
  const faults = app.isStrict && route ? findUndeclared(route, response) : []
  if (!route || faults.length === 0) return response
  reportError(app, scope, new Error(`${route.operationId} does not declare ${faults.join(', ')}`))
  return buildErrorResponse(undefined, requestId)
}

const REQUEST_ID = /^[\w.-]{8,64}$/

/** The state of a request. It is small, since many requests may wait: parts of the response are built on demand. */
class RequestScope {
  /** The time of arrival, from `performance.now()`. */
  readonly startedAt: number = performance.now()
  /** `undefined` before the router has run, and if no route matches. */
  route: Route | undefined
  readonly #request: HttpRequest
  readonly #cors: CorsConfig | undefined
  #requestId: string | undefined

  constructor(request: HttpRequest, cors: CorsConfig | undefined) {
    this.#request = request
    this.#cors = cors
  }

  get requestId(): string {
    this.#requestId ??= readClientRequestId(this.#request) ?? crypto.randomUUID()
    return this.#requestId
  }

  get headers(): Readonly<Record<string, string>> {
    const common = { 'X-Request-Id': this.requestId, 'X-Content-Type-Options': 'nosniff' }
    return this.#cors ? { ...common, ...buildCorsHeaders(this.#cors, this.#request.headers.get('origin')) } : common
  }
}

/** Returns the id that the client sent, if it is valid. */
function readClientRequestId({ headers }: HttpRequest): string | undefined {
  const id = headers.get('x-request-id')
  return id !== null && REQUEST_ID.test(id) ? id : undefined
}
