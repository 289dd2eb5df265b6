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

/** Methods that a route can have; HEAD and OPTIONS come from the others. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The input of a route. */
export interface RouteRequest<Query = unknown, Body = unknown> {
  /** The access of the caller. */
  readonly access: Access
  /** Parameters of the path, decoded. */
  readonly path: Readonly<Record<string, string>>
  readonly query: Query
  readonly headers: RequestHeaderValues
  readonly body: Body
  /** As it came in, for what passes it on. */
  readonly request: HttpRequest
}

/** The body that a client sends. */
export interface BodyContract<Body = unknown> {
  readonly description: string
  readonly mediaTypes: readonly string[]
  readonly schema: JsonSchema
  /** @default true */
  readonly isRequired?: boolean
  /** The most bytes that it has. @default `limits.bodyBytes` of the config */
  readonly limit?: number
  /** @param limit in bytes @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR */
  read(request: HttpRequest, limit: number): Promise<Body>
}

/** What stands at an open place of a path. `run` looks it up, and answers 404 to what names nothing. */
export interface PathParameter {
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: string | number
}

/** The open places of a path, by name. */
export type PathParameters = Readonly<Record<string, PathParameter>>

/** What a route takes and gives where the last part of its path is a certain one. */
export interface ActionContract {
  readonly description?: string
  readonly input?: JsonSchema
  readonly output?: JsonSchema
  /** The status of its answer when it has been carried out. @default any of 200 to 299 */
  readonly status?: number
}

/** Headers that answers may carry, each with what it says. */
export const HEADER_DESCRIPTIONS = {
  'Cache-Control': 'Which caches may store the answer, and for how long.',
  'Content-Range': 'How long the file is.',
  'Content-Type': 'The media type of the body.',
  'Daybook-Dry-Run': '`true` on the answer to a dry run: nothing is stored.',
  'Daybook-First-Seq':
    'The number of the first change of this write in the journal; `Daybook-Seq` is that of the last one.',
  'Daybook-Seq': 'The number of this change in the journal.',
  ETag: 'The strong entity tag of this answer (RFC 9110, section 8.8.3).',
  'Idempotency-Replayed': 'Present when the answer was given before.',
  Location: 'Where the new entry is read.',
  'Retry-After': 'Seconds after which to try again.',
  Vary: 'Which headers of a request choose the answer.',
  'WWW-Authenticate': 'How to send a credential.',
  'X-Accel-Buffering': '`no`: a proxy passes on what comes, as it comes.',
} as const

/** Headers of pages and their files, which are no part of the API and of its document. */
export const PAGE_HEADERS = {
  'Content-Encoding': 'How the file is compressed.',
  'Content-Security-Policy': 'What the page may load and run (CSP level 3).',
  'Referrer-Policy': 'Which addresses the page tells others.',
} as const

/** A header that a route answers with, beside those of every answer. */
export type HeaderName = keyof typeof HEADER_DESCRIPTIONS | keyof typeof PAGE_HEADERS

/** One way in which a route answers. */
export interface ResponseContract {
  readonly status: number
  readonly description: string
  /** @default application/json where there is a schema */
  readonly mediaType?: string
  readonly schema?: JsonSchema
  /** The schema of the response to `deleted=true`, see `query/journal-query.ts`. */
  readonly deletedSchema?: JsonSchema
  /** The name of the schema in the OpenAPI document, where generators are to make a type of it: `postsList`. */
  readonly name?: string
  readonly headers: readonly HeaderName[]
  /** Headers that no other route has, each with what it says. */
  readonly extraHeaders?: Readonly<Record<string, string>>
}

/** A route: what it takes, answers and refuses. The router, the docs and the tests read it. */
export interface RouteContract<P extends Parameters, Body> {
  readonly method: Method
  /**
   * `:name` stands for one segment, `*` at the end for all that follow; `run` finds both by these names. `:collection` and
   * `:key` are those of `resource`.
   */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string | undefined
  /** The name of the plugin that it is of; `null`: it is of the config itself; absent: of Daybook. */
  readonly plugin?: string | null
  /**
   * `session`: without one it is 401, unless the config has a rule of its own for the action. `provider`: the auth adapter
   * answers, and sees to it.
   */
  readonly protection: 'public' | 'session' | 'provider'
  /** The collection or the global that it is about. */
  readonly resource?: CollectionModel | GlobalModel
  /** The action of a write. */
  readonly action?: Exclude<Action, 'read'>
  /** It changes no content, although its method is not GET: no rule of a write is asked. */
  readonly changesNothing?: true
  /** `run` reads the body as it comes in: the request takes no place of those that are pending. */
  readonly streamsBody?: true
  /** Answered at once, however many requests wait: it tells how the process is. */
  readonly isProbe?: true
  /** Answers everyone the same: no credential is looked at. */
  readonly ignoresCaller?: true
  /** Of the path, by name. */
  readonly pathParameters?: PathParameters
  /** Last parts of the path that are documented each on its own, by name. */
  readonly actions?: Readonly<Record<string, ActionContract>>
  /** Of the query string; absent: it is not looked at. */
  readonly parameters?: P
  /** Whether `run` checks the query with what the caller may see, so that one answer names all faults. @default false */
  readonly checksQuery?: true
  /** Headers of the request that it heeds. */
  readonly requestHeaders: readonly RequestHeaderKey[]
  readonly body?: BodyContract<Body>
  /** Absent: the auth adapter decides. */
  readonly responses?: readonly ResponseContract[]
  readonly errors: readonly ErrorCode[]
  /**
   * Whether it may answer an entry as its working copy has it, without being asked to: what is asked for by `draft=true` is told by that
   * parameter, so that generated types of other answers stay as exact as they are. @default false
   */
  readonly showsDrafts?: boolean
  /** Makes ahead what the first answer would wait for. A service does so before it listens; a slow one goes on after that. */
  prepare?(): Promise<void>
  /** Checks that run before the body is read. */
  admit?(request: HttpRequest, path: Readonly<Record<string, string>>, access: Access): Promise<void>
  run(request: RouteRequest<Query<QueryOf<P>>, Body>): Promise<HttpResponse>
  read?: undefined
}

/** The input of a route whose response has a tag. */
export interface ReadRequest<Query = unknown> extends RouteRequest<Query, unknown> {
  /** A revision whose response is available: its content need not be read along with the tag. */
  readonly knownRevision?: number | undefined
}

/** A route whose response has a tag that depends on what is stored: it is cached, and its content is read only if nobody has it. */
export interface ReadContract<P extends Parameters> extends Omit<RouteContract<P, undefined>, 'run' | 'read' | 'body'> {
  readonly body?: undefined
  read(request: ReadRequest<Query<QueryOf<P>>>): Promise<LazyResponse<string | Uint8Array>>
}

/** A route whose response has a tag. */
export type ReadRoute = ReadContract<Parameters>
/** A route that answers each request. */
export type RunRoute = RouteContract<Parameters, unknown>
/** A route whose parameters and body are its own business. */
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

/** Errors of any route; an auth adapter may limit the rate of requests. */
const ANY_ERRORS: readonly ErrorCode[] = ['VALIDATION_ERROR', 'RATE_LIMITED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
/** Errors of a read. */
export const READ_ERRORS: readonly ErrorCode[] = [
  ...ANY_ERRORS,
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'PRECONDITION_FAILED',
]
/** Errors of a write. */
export const WRITE_ERRORS: readonly ErrorCode[] = [
  ...READ_ERRORS,
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INSUFFICIENT_STORAGE',
]
/** Errors of a route that is about no document. */
export const COMMON_ERRORS: readonly ErrorCode[] = ANY_ERRORS

const READ_HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary']
const WRITE_HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary', 'Daybook-Seq', 'Daybook-Dry-Run']

/** How a document or a list is answered that a client may have already. */
export const describeReadResponses = (
  description: string,
  schema: JsonSchema,
  name?: string,
): readonly ResponseContract[] => [
  { status: 200, description, schema, headers: READ_HEADERS, ...(name === undefined ? {} : { name }) },
  { status: 304, description: 'What the client has is still right.', headers: READ_HEADERS },
]

/** How a write is answered that gives back what it stored. */
export const describeWriteResponse = (
  status: 200 | 201,
  description: string,
  schema: JsonSchema,
  headers: readonly HeaderName[] = [],
): ResponseContract => ({ status, description, schema, headers: [...WRITE_HEADERS, ...headers] })

/** The headers that an error of this code may carry. */
export const getErrorHeaders = (code: ErrorCode): readonly HeaderName[] => [
  'Cache-Control',
  ...(Object.keys(ERROR_HEADERS[code] ?? {}) as HeaderName[]),
]

/** Headers of every answer, and those of a connection, of CORS or for a CDN. */
const UNDECLARED_HEADERS =
  /^(?:surrogate-key|cache-tag|content-encoding|x-request-id|x-content-type-options|content-type|access-control-[a-z-]+|vary)$/i

/** The headers that a route may answer a status with; `undefined`: it does not answer so. */
function headersOf({ responses: answers = [], errors }: Route, status: number): readonly string[] | undefined {
  const answer = answers.find((one) => one.status === status)
  if (answer) return [...answer.headers, ...Object.keys(answer.extraHeaders ?? {})]
  const codes = errors.filter((code) => ERRORS[code].status === status)
  return codes.length === 0 ? undefined : codes.flatMap(getErrorHeaders)
}

/** The part of an answer that its route does not declare; nothing for routes that the auth adapter answers. */
export function findUndeclared(route: Route, { status, headers = {} }: HttpResponse): readonly string[] {
  if (!route.responses) return []
  const declared = headersOf(route, status)
  if (!declared) return [`status ${status}`]
  const known = new Set(declared.map((name) => name.toLowerCase()))
  return Object.keys(headers)
    .filter((name) => !UNDECLARED_HEADERS.test(name) && !known.has(name.toLowerCase()))
    .map((name) => `header ${name} of ${status}`)
}
