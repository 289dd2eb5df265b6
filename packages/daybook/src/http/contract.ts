import type { Access } from '../content/access/access.ts'
import type { Action } from '../content/access/rules.ts'
import type { LazyResponse } from '../content/reads/index.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import type { JsonSchema } from '../fields/field.ts'
import type { CollectionModel, GlobalModel } from '../model/model.ts'
import type { NO_PARAMETERS, Parameters, Query, QueryOf } from '../query/parameters.ts'
import type { HttpRequest } from './request.ts'
import type { RequestHeaderKey, RequestHeaderValues } from './request-headers.ts'
import { ERROR_HEADERS, type HttpResponse } from './response.ts'

/** The methods of routes; the service adds HEAD and OPTIONS. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface RouteRequest<Query = unknown, Body = unknown> {
  readonly access: Access
  readonly path: Readonly<Record<string, string>>
  readonly query: Query
  readonly headers: RequestHeaderValues
  readonly body: Body
  readonly request: HttpRequest
}

export interface BodyContract<Body = unknown> {
  readonly description: string
  readonly mediaTypes: readonly string[]
  readonly schema: JsonSchema
  /** @default true */
  readonly isRequired?: boolean
  /** The maximum size, in bytes. @default `limits.bodyBytes` of the config */
  readonly limit?: number
  /** @param limit in bytes @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR */
  read(request: HttpRequest, limit: number): Promise<Body>
}

/** The declaration of a path parameter. `run` responds with 404 to values that identify nothing. */
export interface PathParameter {
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: string | number
}

export type PathParameters = Readonly<Record<string, PathParameter>>

/** The declaration of an auth action: the route for one value of the last path segment. */
export interface ActionContract {
  readonly description?: string
  readonly input?: JsonSchema
  readonly output?: JsonSchema
  /** The status of a success. @default any of 200 to 299 */
  readonly status?: number
}

export const HEADER_DESCRIPTIONS = {
  'Cache-Control': 'The caches that may store the response, and for how long.',
  'Content-Range': 'The length of the file.',
  'Content-Type': 'The media type of the body.',
  'Daybook-Dry-Run': '`true` on the response to a dry run: nothing is stored.',
  'Daybook-First-Seq': 'The sequence number of the first change of this write; `Daybook-Seq` is that of the last one.',
  'Daybook-Seq': 'The sequence number of this change in the journal.',
  ETag: 'The strong entity tag of this response (RFC 9110, section 8.8.3).',
  'Idempotency-Replayed': 'Present if an earlier response is replayed.',
  Location: 'The URL of the new entry.',
  'Retry-After': 'Seconds after which the client may retry.',
  Vary: 'The request headers on which the response depends.',
  'WWW-Authenticate': 'The scheme for credentials.',
  'X-Accel-Buffering': '`no`: proxies must not buffer the stream.',
} as const

/** Descriptions of headers of pages and their files, which are not part of the API. */
export const PAGE_HEADERS = {
  'Content-Encoding': 'The compression of the file.',
  'Content-Security-Policy': 'The scripts and resources that the page may use (CSP level 3).',
  'Referrer-Policy': 'The referrer that the page sends to other origins.',
} as const

/** A response header of a route, besides those of every response. */
export type HeaderName = keyof typeof HEADER_DESCRIPTIONS | keyof typeof PAGE_HEADERS

export interface ResponseContract {
  readonly status: number
  readonly description: string
  /** @default application/json if there is a schema */
  readonly mediaType?: string
  readonly schema?: JsonSchema
  /** The schema of the response to `deleted=true`, see `query/journal-query.ts`. */
  readonly deletedSchema?: JsonSchema
  /** The name of the schema in the OpenAPI document, so that client generators create a type: `postsList`. */
  readonly name?: string
  readonly headers: readonly HeaderName[]
  /** Descriptions of headers that only this route has. */
  readonly extraHeaders?: Readonly<Record<string, string>>
}

/** The declaration of a route: its request, responses and errors, for the router, the docs and the tests. */
export interface RouteContract<P extends Parameters, Body> {
  readonly method: Method
  /**
   * `:name` stands for one segment, `*` at the end for the rest; `run` gets both by these names. `:collection` and
   * `:key` stand for the key of `resource`.
   */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string | undefined
  /** The name of the plugin that contributes the route; `null` for the config itself, absent for Daybook. */
  readonly plugin?: string | null
  /**
   * `session`: requests without a session get 401, unless the config has an access rule for the action. `provider`: the auth
   * adapter responds, and checks access.
   */
  readonly protection: 'public' | 'session' | 'provider'
  readonly resource?: CollectionModel | GlobalModel
  /** The action of a write. */
  readonly action?: Exclude<Action, 'read'>
  /** The route changes no content, although its method is not GET, so it needs no rule for writes. */
  readonly changesNothing?: true
  /** `run` reads the body as a stream, so the request does not count as pending. */
  readonly streamsBody?: true
  /** A probe of the process: the request skips the queue. */
  readonly isProbe?: true
  /** The response is the same for all callers, so credentials are ignored. */
  readonly ignoresCaller?: true
  readonly pathParameters?: PathParameters
  /** The values of the last path segment that have their own documentation. */
  readonly actions?: Readonly<Record<string, ActionContract>>
  /** The parameters of the query string; absent: it is ignored. */
  readonly parameters?: P
  /** True if `run` reports the faults of the query together with those that depend on access. @default false */
  readonly checksQuery?: true
  readonly requestHeaders: readonly RequestHeaderKey[]
  readonly body?: BodyContract<Body>
  /** Absent if the auth adapter responds. */
  readonly responses?: readonly ResponseContract[]
  readonly errors: readonly ErrorCode[]
  /**
   * True if a response may contain the draft of an entry without `draft=true`, so that its schema includes drafts. The schemas of other
   * responses stay exact. @default false
   */
  readonly showsDrafts?: boolean
  /** Prepares the first response. A service calls it before it listens; a slow preparation continues after that. */
  prepare?(): Promise<void>
  /** Checks a request before its body is read. */
  admit?(request: HttpRequest, path: Readonly<Record<string, string>>, access: Access): Promise<void>
  run(request: RouteRequest<Query<QueryOf<P>>, Body>): Promise<HttpResponse>
  read?: undefined
}

export interface ReadRequest<Query = unknown> extends RouteRequest<Query, unknown> {
  /** The revision of a response that the client or the cache has: reading its tag need not read the content. */
  readonly knownRevision?: number | undefined
}

/** A route whose response has an entity tag. The response is cached, and its content is read only if neither the cache nor the client has it. */
export interface ReadContract<P extends Parameters> extends Omit<RouteContract<P, undefined>, 'run' | 'read' | 'body'> {
  readonly body?: undefined
  read(request: ReadRequest<Query<QueryOf<P>>>): Promise<LazyResponse<string | Uint8Array>>
}

export type ReadRoute = ReadContract<Parameters>
export type RunRoute = RouteContract<Parameters, unknown>
/** Any route; the types of its parameters and body are erased. */
export type Route = RunRoute | ReadRoute

/** Declares a route; `run` is typed by its parameters and its body. */
export function defineRoute<const P extends Parameters = typeof NO_PARAMETERS, Body = undefined>(
  route: RouteContract<P, Body>,
): Route {
  return Object.freeze(route)
}

/** Declares a route whose response has a tag; `read` is typed by its parameters. */
export function defineReadRoute<const P extends Parameters>(route: ReadContract<P>): Route {
  return Object.freeze(route)
}

/** Errors of any route. An auth adapter may limit the rate of requests. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
]
export const READ_ERRORS: readonly ErrorCode[] = [
  ...COMMON_ERRORS,
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'PRECONDITION_FAILED',
]
export const WRITE_ERRORS: readonly ErrorCode[] = [
  ...READ_ERRORS,
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INSUFFICIENT_STORAGE',
]

const READ_HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary']
const WRITE_HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary', 'Daybook-Seq', 'Daybook-Dry-Run']

/** Describes the responses to a conditional read of a document or a list. */
export const describeReadResponses = (
  description: string,
  schema: JsonSchema,
  name?: string,
): readonly ResponseContract[] => [
  { status: 200, description, schema, headers: READ_HEADERS, ...(name === undefined ? {} : { name }) },
  { status: 304, description: 'Not modified.', headers: READ_HEADERS },
]

/** Describes the response to a write that returns the stored document. */
export const describeWriteResponse = (
  status: 200 | 201,
  description: string,
  schema: JsonSchema,
  headers: readonly HeaderName[] = [],
): ResponseContract => ({ status, description, schema, headers: [...WRITE_HEADERS, ...headers] })

export const getErrorHeaders = (code: ErrorCode): readonly HeaderName[] => [
  'Cache-Control',
  ...(Object.keys(ERROR_HEADERS[code] ?? {}) as HeaderName[]),
]

/** Headers that routes do not declare: those of every response, of connections, of CORS and for CDNs. */
const UNDECLARED_HEADERS =
  /^(?:surrogate-key|cache-tag|content-encoding|x-request-id|x-content-type-options|content-type|access-control-[a-z-]+|vary)$/i

/** Returns the declared headers of a status; `undefined` if the status is not declared. */
function getDeclaredHeaders({ responses = [], errors }: Route, status: number): readonly string[] | undefined {
  const response = responses.find((item) => item.status === status)
  if (response) return [...response.headers, ...Object.keys(response.extraHeaders ?? {})]
  const codes = errors.filter((code) => ERRORS[code].status === status)
  return codes.length === 0 ? undefined : codes.flatMap(getErrorHeaders)
}

/** Lists the status and headers that a route does not declare. Routes of the auth adapter may return anything. */
export function findUndeclared(route: Route, { status, headers = {} }: HttpResponse): readonly string[] {
  if (!route.responses) return []
  const declaredHeaders = getDeclaredHeaders(route, status)
  if (!declaredHeaders) return [`status ${status}`]
  const declaredNames = new Set(declaredHeaders.map((name) => name.toLowerCase()))
  return Object.keys(headers)
    .filter((name) => !UNDECLARED_HEADERS.test(name) && !declaredNames.has(name.toLowerCase()))
    .map((name) => `header ${name} of ${status}`)
}
