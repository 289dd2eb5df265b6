import { RegExpRouter } from 'hono/router/reg-exp-router'
import { ANONYMOUS, type AuthContext, type Caller, isAuthenticated } from '../auth/adapter.ts'
import type { AuthGuard } from '../auth/guard.ts'
import type { CorsConfig } from '../config/config.ts'
import type { Attempts } from '../content/attempts.ts'
import { type Engine, near } from '../content/engine.ts'
import { DaybookError, ERRORS, invalidAt } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Model } from '../model/model.ts'
import { readParams } from '../query/params.ts'
import { makeAddressHint } from './address-hint.ts'
import { Admission, OVERLOADED } from './admission.ts'
import { readBody, readJson } from './body.ts'
import { contextOf } from './client.ts'
import { readIdempotencyKey, readMinSeq, readTagCondition } from './conditional.ts'
import { corsHeaders, preflightHeaders } from './cors.ts'
import { readInput } from './input.ts'
import { demandOwnOrigin } from './origin.ts'
import { aboutCredential } from './refused-credential.ts'
import type { Handle, HttpRequest } from './request.ts'
import { errorReply, type FinishedReply, finishReply, type Reply } from './respond.ts'
import { demandProtection, isOpenByRule, type Route } from './routes.ts'

/** What the HTTP layer needs to know. */
export interface AppOptions {
  readonly engine: Engine
  readonly routes: readonly Route[]
  readonly auth: AuthGuard
  readonly attempts: Attempts
  /** How many proxies are trusted to say who sent a request. */
  readonly trustProxy: number
  readonly log: Log
  readonly cors: CorsConfig | undefined
  /** In bytes. */
  readonly bodyLimit: number
  readonly publicCacheControl: string
  readonly isReady: () => Promise<boolean>
  /** How many requests may wait or be worked on. */
  readonly pendingRequests: number
  /** Told of every answer, where somebody counts: the pattern of its route, if it has one, and milliseconds. */
  readonly observe: ((method: string, route: string | undefined, status: number, ms: number) => void) | undefined
}

const REQUEST_ID = /^[\w.-]{8,64}$/
/** The longest target that is written to the log, in characters. */
const MAX_LOGGED_TARGET = 512

/**
 * Builds the handler from the route table, once; a request then walks a straight line.
 *
 * @throws {StartupError} when nobody says who may use a route
 */
export function createApp(options: AppOptions): Handle {
  demandProtection(options.routes)
  const admission = new Admission(options.pendingRequests)
  const addresses = addressesOf(options.routes, options.engine.model)
  const router = new RegExpRouter<Address>()
  for (const address of addresses) router.add(address.route.method, address.pattern, address)
  const methods = new RegExpRouter<readonly string[]>()
  for (const [pattern, same] of Map.groupBy(addresses, (address) => address.pattern)) {
    methods.add('ALL', pattern, allowedMethods(same))
  }
  const hint = makeAddressHint(publicPatterns(addresses, options.engine.model))
  const allMethods = [...new Set(allowedMethods(addresses))]
  const dispatch = (request: HttpRequest, scope: RequestScope): Promise<Reply> | Reply => {
    // RFC 9110, section 9.3.7: OPTIONS may ask about the whole service.
    if (request.target === '*') return refuseMethod(options, allMethods, request, scope)
    const path = pathOf(request.target)
    // RFC 9110, section 9.3.2: HEAD is GET without the content.
    const [[found], parameters] = router.match(request.method === 'HEAD' ? 'GET' : request.method, path)
    if (found) {
      const { route } = found[0]
      scope.route = route
      const work = (): Promise<Reply> => answer(options, admission, route, request, pathParameters(found, parameters))
      return route.isProbe ? work() : admission.run(work, () => !request.isAborted)
    }
    const [[allowed]] = methods.match('ALL', path)
    if (!allowed) throw nothingAt(hint(path))
    return refuseMethod(options, allowed[0], request, scope)
  }
  return async (request) => {
    const scope = openScope(request, options.cors)
    try {
      return finish(await dispatch(request, scope), request, scope, options)
    } catch (error) {
      if (isFailure(error)) report(options, scope, error)
      const told = error instanceof DaybookError ? aboutCredential(error, request.headers) : error
      return finish(errorReply(told, scope.requestId), request, scope, options)
    }
  }
}

/** @param hint what to write instead, in a sentence */
const nothingAt = (hint: string | undefined): DaybookError =>
  new DaybookError('NOT_FOUND', hint && `${ERRORS.NOT_FOUND.message} ${hint}`)

/** Addresses that may be read without a session, whatever the config's rules say: hints name no others. */
function publicPatterns(addresses: readonly Address[], { collections, globals }: Model): readonly string[] {
  const isPublic = ({ route: { method, protection }, fixed }: Address): boolean => {
    const document = collections.get(fixed.collection ?? '') ?? globals.get(fixed.key ?? '')
    return method === 'GET' && protection === 'public' && document?.access.read === undefined
  }
  return addresses
    .filter(isPublic)
    .map(({ pattern, route }) => pattern.replace(':entry', /:\w+$/.exec(route.path)?.[0] ?? ''))
}

/** Whether somebody should look into an error. Refusals for overload are told by the metrics; they are too many for the log. */
function isFailure(error: unknown): boolean {
  return !(error instanceof DaybookError) || (error.status >= 500 && error !== OVERLOADED)
}

/** The parameters of an address, decoded. */
function pathParameters(
  [{ route, fixed }, places]: readonly [Address, Readonly<Record<string, number | string>>],
  values: readonly string[] | undefined,
): Record<string, string> {
  const name = route.resource ? 'entry' : 'action'
  const value = values?.[Number(places[name])] ?? ''
  return { ...fixed, [name]: value.includes('%') ? decodeURIComponent(value) : value }
}

/** A route at one of its addresses. */
interface Address {
  readonly route: Route
  /** Hono's pattern syntax; the one free segment is called `entry`. */
  readonly pattern: string
  /** Parameters that this address settles. */
  readonly fixed: Readonly<Record<string, string>>
}

/** Routes of collections and globals have one address for each: what the config does not name has no address. */
function addressesOf(routes: readonly Route[], { collections, globals }: Model): readonly Address[] {
  return routes.flatMap((route): Address[] => {
    const pattern = route.path.replace(/:(?:slug|id)\b/, ':entry')
    if (!route.resource) return [{ route, pattern, fixed: {} }]
    const [name, keys] =
      route.resource === 'collection'
        ? (['collection', collections.keys()] as const)
        : (['key', globals.keys()] as const)
    return [...keys].map((key) => ({ route, pattern: pattern.replace(`:${name}`, key), fixed: { [name]: key } }))
  })
}

function allowedMethods(addresses: readonly Address[]): readonly string[] {
  return [...addresses.flatMap(({ route: { method } }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS']
}

/** What belongs to one request from its first to its last step. */
interface RequestScope {
  readonly requestId: string
  /** Headers that every answer to it carries. */
  readonly headers: Readonly<Record<string, string>>
  readonly startedAt: number
  /** Once it is known. */
  route: Route | undefined
}

function openScope(request: HttpRequest, cors: CorsConfig | undefined): RequestScope {
  const given = request.headers.get('x-request-id')
  const requestId = given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID()
  const common = { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' }
  const headers = cors ? { ...common, ...corsHeaders(cors, request.headers.get('origin')) } : common
  return { requestId, headers, startedAt: performance.now(), route: undefined }
}

/** The path as routes match it: escapes are checked, and decoded once. */
function pathOf(target: string): string {
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  if (!path.includes('%')) return path
  try {
    if (decodeURIComponent(path).includes('\0')) throw new Error('NUL')
    // Escaped percent signs and slashes stay escaped: parameters are decoded when they are taken out.
    return decodeURI(path.replaceAll('%25', '%2525'))
  } catch {
    throw invalidAt('path', 'encoding', 'holds an escape that is not UTF-8')
  }
}

async function answer(
  options: AppOptions,
  admission: Admission,
  route: Route,
  request: HttpRequest,
  path: Record<string, string>,
): Promise<Reply> {
  const { headers } = request
  let known: AuthContext | undefined
  const context = (): AuthContext => {
    known ??= contextOf(request, options.trustProxy)
    return known
  }
  const caller = await identify(options, route, request, context)
  if (route.protection === 'session' && !isAuthenticated(caller)) await demandRule(options.engine, route, path, caller)
  // What readers without a session see may come from a copy of the database.
  const isPublicRead = route.method === 'GET' && !isAuthenticated(caller)
  return await route.run({
    engine: isPublicRead ? near(options.engine, readMinSeq(headers)) : options.engine,
    caller,
    path,
    ifMatch: readTagCondition(headers, 'If-Match'),
    ifNoneMatch: readTagCondition(headers, 'If-None-Match'),
    idempotencyKey: route.method === 'POST' ? readIdempotencyKey(headers) : undefined,
    query: readParams(searchOf(request.target)),
    body: () => admission.outside(() => readJson(request, options.bodyLimit)),
    auth: options.auth,
    context,
    attempt: () => options.attempts.take(context().address),
    input: () => admission.outside(() => readInput(request, options.bodyLimit)),
    forward: () => admission.outside(() => forwarded(request, context(), options.bodyLimit)),
    publicCacheControl: options.publicCacheControl,
    isReady: options.isReady,
  })
}

function searchOf(target: string): string {
  const start = target.indexOf('?')
  return start === -1 ? '' : target.slice(start + 1)
}

/**
 * Who a request acts for. Where the auth provider answers, it finds out by itself.
 *
 * @throws FORBIDDEN for a change that a page of another origin makes with the browser's cookies
 */
async function identify(
  { auth, cors }: AppOptions,
  { protection }: Route,
  { headers, method }: HttpRequest,
  context: () => AuthContext,
): Promise<Caller> {
  const isChange = method !== 'GET' && method !== 'HEAD'
  if (protection === 'provider') {
    // Signing in sets cookies, so that it is no business of other pages even before there are any.
    if (isChange && !headers.has('authorization')) demandOwnOrigin(context(), cors)
    return ANONYMOUS
  }
  if (!headers.has('authorization') && !headers.has('cookie')) return ANONYMOUS
  const caller = await auth.resolve(context())
  if (isChange && isAuthenticated(caller) && !headers.has('authorization')) demandOwnOrigin(context(), cors)
  return caller
}

/** A request as the auth provider takes it: under the address that the client sees, and no larger than any other. */
async function forwarded(request: HttpRequest, { headers, origin }: AuthContext, limit: number): Promise<Request> {
  const { method, target } = request
  const head = { method, headers }
  if (method === 'GET' || method === 'HEAD') return new Request(origin + target, head)
  return new Request(origin + target, { ...head, body: await readBody(request, limit) })
}

/** A session route needs one, unless the config has a rule of its own for what it does. */
async function demandRule(engine: Engine, route: Route, path: Record<string, string>, caller: Caller): Promise<void> {
  if (!(await isOpenByRule(route, { engine, path, caller }))) throw new DaybookError('UNAUTHORIZED')
}

/** Answers OPTIONS, and refuses methods that an address does not have. */
function refuseMethod(
  { cors }: AppOptions,
  methods: readonly string[],
  { method, headers }: HttpRequest,
  { requestId }: RequestScope,
): Reply {
  const allow = { Allow: methods.join(', ') }
  if (method !== 'OPTIONS') {
    const reply = errorReply(new DaybookError('METHOD_NOT_ALLOWED'), requestId)
    return { ...reply, headers: { ...reply.headers, ...allow } }
  }
  return { status: 204, headers: { ...allow, ...preflightHeaders(cors, headers.get('origin')), Vary: 'Origin' } }
}

function report({ log }: AppOptions, { requestId }: RequestScope, error: unknown): void {
  const cause = error instanceof DaybookError ? (error.cause ?? error) : error
  log.error({ requestId, err: cause }, 'request failed')
}

function finish(
  reply: Reply,
  { method, target }: HttpRequest,
  scope: RequestScope,
  { log, observe }: AppOptions,
): FinishedReply {
  observe?.(method, scope.route?.path, reply.status, performance.now() - scope.startedAt)
  if (log.requests) {
    const ms = Math.round((performance.now() - scope.startedAt) * 100) / 100
    const shown = target.slice(0, MAX_LOGGED_TARGET)
    log.info({ requestId: scope.requestId, method, url: shown, status: reply.status, ms }, 'request')
  }
  return finishReply(reply, scope.headers)
}
