import { Readable } from 'node:stream'
import { type Contributor, describeContributor } from '../config/plugin.ts'
import { ServiceContent } from '../content/caller-content.ts'
import type { ContentContext } from '../content/context.ts'
import { refuseHostile } from '../content/documents/plain-json.ts'
import { matchesTag, parseTags } from '../content/reads/index.ts'
import { DaybookError, ERRORS, type ErrorCode, validationError } from '../errors.ts'
import type { JsonSchema } from '../fields/field.ts'
import { jsonBody } from '../http/body.ts'
import type { BodyContract, ResponseContract, Route, RouteRequest, RunRoute } from '../http/contract.ts'
import { type HttpRequest, toAuthContext } from '../http/request.ts'
import { fromWebResponse, type HttpResponse } from '../http/response.ts'
import type { Log } from '../log.ts'
import { type Validator, Validators } from '../model/validator.ts'
import type { Faults, Parameter, Parameters, RawParameter } from '../query/parameters.ts'
import { TimeoutError, withTimeout } from '../with-timeout.ts'
import { createContributorContext } from './contributor-context.ts'
import type {
  PluginJsonBody,
  PluginParameter,
  PluginRequest,
  PluginRoute,
  PluginStreamBody,
  QueryValue,
} from './route.ts'

export interface PluginRouteParts {
  readonly context: ContentContext
  readonly log: Log
  readonly limitMs: number
  /** The number of proxies that are trusted to name the client's address. */
  readonly trustProxy: number
}

/** Converts a checked route of a plugin, or of the config, to a route of the service. */
export function toRoute(contributor: Contributor, route: PluginRoute, parts: PluginRouteParts): Route {
  const { method, path, summary, description, protection, parameters = {}, body } = route
  const validators = new Validators({ hasMetaSchema: true })
  const responses = Object.entries(route.responses).map(
    ([status, response]): ResponseContract => ({
      status: Number(status),
      description: response.description,
      headers: ['Cache-Control'],
      ...(response.schema ? { schema: response.schema } : {}),
      ...(response.mediaType === undefined ? {} : { mediaType: response.mediaType }),
      ...(response.headers ? { extraHeaders: response.headers } : {}),
    }),
  )
  const statuses = new Set(responses.map(({ status }) => status))
  return Object.freeze({
    method,
    path,
    operationId: route.operationId ?? defaultOperationId(contributor.name, route),
    summary,
    description,
    plugin: contributor.name ?? null,
    protection,
    ...(route.pathParameters ? { pathParameters: route.pathParameters } : {}),
    ...(route.anyQuery ? {} : { parameters: toParameters(parameters, validators) }),
    requestHeaders: [],
    ...(body ? { body: toBody(body, validators) } : {}),
    ...(isStream(body) ? { streamsBody: true } : {}),
    responses,
    errors: ERROR_CODES.filter((code) => !statuses.has(ERRORS[code].status) && mayThrow(statuses, code)),
    run: toRun(contributor, route, parts, pathChecks(route, validators)),
  })
}

const toParameters = (parameters: NonNullable<PluginRoute['parameters']>, validators: Validators): Parameters =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [
      name,
      toParameter(parameter, validators.make(parameter.schema)),
    ]),
  )

/** Creates a parameter that reads texts as the type of its schema, and validates them. */
function toParameter(
  { description, schema, isRequired = false }: PluginParameter,
  validate: Validator,
): Parameter<QueryValue> {
  const isList = schema.type === 'array'
  return {
    description,
    schema,
    style: isList ? 'list' : 'single',
    isRequired,
    parse: ([raw], faults) => {
      if (!raw) return undefined
      const value = isList ? raw.values.flatMap((item) => item.split(',')) : parseSingle(raw, schema, faults)
      if (value === undefined) return undefined
      const [issue] = validate(value)
      if (!issue) return value
      faults.addIssue({ ...issue, path: raw.name })
      return undefined
    },
  }
}

function parseSingle({ name, values }: RawParameter, { type }: JsonSchema, faults: Faults): QueryValue | undefined {
  const [text = ''] = values
  if (values.length > 1) {
    faults.add(name, 'repeated', 'must not be repeated')
    return undefined
  }
  return parseScalar(text, type)
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** Parses text of a path or query as a JSON Schema type. Invalid text stays text, so that validation reports it. */
function parseScalar(text: string, type: unknown): string | number | boolean {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if ((type === 'integer' || type === 'number') && NUMBER.test(text)) return Number(text)
  return text
}

/** Only a route that serves ranges can reject a range. */
const mayThrow = (statuses: ReadonlySet<number>, code: ErrorCode): boolean =>
  code !== 'RANGE_NOT_SATISFIABLE' || statuses.has(206)

const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[]

/** Returns an id such as `sitemapGetSitemapXml`. */
function defaultOperationId(plugin: string | undefined, { method, path }: PluginRoute): string {
  const words = `${plugin ?? ''}-${method.toLowerCase()}-${path.replace(/\*$/, 'rest')}`.split(/[^A-Za-z0-9]+/)
  const [first = '', ...rest] = words.filter((word) => word !== '')
  return [first, ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}

const isStream = (body: PluginRoute['body']): body is PluginStreamBody => body !== undefined && 'stream' in body

function toBody(body: PluginJsonBody | PluginStreamBody, validators: Validators): BodyContract {
  const { description = 'The body of the request.' } = body
  if (isStream(body)) {
    const { mediaTypes } = body
    return { description, mediaTypes, schema: {}, read: async (request) => requireMediaType(request, mediaTypes) }
  }
  const json = jsonBody(description, body.schema)
  const validate = validators.make(body.schema)
  return {
    ...json,
    read: async (request, limit) => {
      const value = await json.read(request, limit)
      refuseHostile(value)
      const issues = validate(value)
      if (issues.length > 0) throw validationError(issues)
      return value
    },
  }
}

function requireMediaType({ headers }: HttpRequest, accepted: readonly string[]): undefined {
  const [mediaType = ''] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const [type, subtype] = mediaType.trim().split('/')
  const isAccepted = accepted.some((range) => {
    const [rangeType, rangeSubtype] = range.toLowerCase().split('/')
    return (rangeType === '*' || rangeType === type) && (rangeSubtype === '*' || rangeSubtype === subtype)
  })
  if (isAccepted) return undefined
  throw new DaybookError('UNSUPPORTED_MEDIA_TYPE', `Send a body of one of these types: ${accepted.join(', ')}.`)
}

type PathChecks = readonly (readonly [name: string, type: unknown, validate: Validator])[]

const pathChecks = ({ pathParameters = {} }: PluginRoute, validators: Validators): PathChecks =>
  Object.entries(pathParameters).map(([name, { schema }]) => [name, schema.type, validators.make(schema)])

/** @throws NOT_FOUND for a path whose values do not match their schemas */
function requirePath(path: RouteRequest['path'], checks: PathChecks): void {
  for (const [name, type, validate] of checks) {
    if (validate(parseScalar(path[name] ?? '', type)).length > 0) throw new DaybookError('NOT_FOUND')
  }
}

function toRun(
  contributor: Contributor,
  route: PluginRoute,
  parts: PluginRouteParts,
  checks: PathChecks,
): RunRoute['run'] {
  const { context, limitMs, trustProxy } = parts
  const content = new ServiceContent(context)
  const contributorContext = createContributorContext(contributor, context, parts.log)
  const streams = isStream(route.body)
  return async ({ access: { caller }, path, query, body, request }) => {
    requirePath(path, checks)
    const aborter = new AbortController()
    const release = request.onAbort(() => aborter.abort(new Error('The client has gone.')))
    const { headers, origin } = toAuthContext(request, trustProxy)
    const pluginRequest: PluginRequest = {
      method: request.method,
      url: new URL(request.target, origin),
      headers,
      caller,
      path,
      query: query.values as Readonly<Record<string, QueryValue>>,
      body,
      stream: streams ? (Readable.toWeb(request.toStream()) as ReadableStream<Uint8Array>) : null,
      signal: aborter.signal,
      content: content.as(caller),
      ...contributorContext,
      isCurrent: (tag) => isCurrent(headers.get('if-none-match'), tag),
    }
    let isLate = false
    const run = async (): Promise<unknown> => {
      const response: unknown = await route.run(pluginRequest)
      if (isLate && isUnused(response)) await response.body?.cancel()
      return response
    }
    try {
      // A streamed body takes as long as its client needs.
      const response = streams
        ? await run()
        : await withTimeout(limitMs, run, () => {
            isLate = true
            aborter.abort(new Error('It took too long.'))
          })
      return toHttpResponse(response)
    } catch (error) {
      throw toFailure(error, contributor, route)
    } finally {
      release()
    }
  }
}

/** A malformed condition is ignored. */
function isCurrent(ifNoneMatch: string | null, tag: string): boolean {
  const tags = parseTags(ifNoneMatch)
  return tags !== undefined && matchesTag(tags, tag)
}

/** True for a response whose body can be sent, and may hold a file open until then. */
const isUnused = (response: unknown): response is Response =>
  response instanceof Response && !response.bodyUsed && !response.body?.locked

/** @throws {TypeError} for a value that cannot be sent */
function toHttpResponse(response: unknown): HttpResponse {
  // Response.error() has status 0.
  if (isUnused(response) && response.status > 0) return fromWebResponse(response)
  const isResponse = response instanceof Response
  throw new TypeError(isResponse ? 'run returned a Response whose body was already read' : 'run must return a Response')
}

/** Returns a `DaybookError` as it is. The details of any other error appear only in the log. */
function toFailure(error: unknown, contributor: Contributor, { method, path }: PluginRoute): DaybookError {
  if (error instanceof DaybookError) return error
  const code = error instanceof TimeoutError ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR'
  const cause = new Error(
    `${method} ${path} of ${describeContributor(contributor)} failed: ${getErrorMessage(error)}`,
    { cause: error },
  )
  return new DaybookError(code, undefined, {}, cause)
}

/** Returns the message of an error, or of any other thrown value. */
export const getErrorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
