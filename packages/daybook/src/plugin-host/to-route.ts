import { Readable } from 'node:stream'
import { bounded, TimeLimitError } from '../bounded.ts'
import { type Contributor, describeContributor } from '../config/plugin.ts'
import { Content } from '../content/content.ts'
import type { Engine } from '../content/engine.ts'
import { matchesTag, readTags } from '../content/etags.ts'
import { refuseHostile } from '../content/writes/json.ts'
import { DaybookError, ERRORS, type ErrorCode, invalid } from '../errors.ts'
import { jsonBody } from '../http/body.ts'
import { contextOf } from '../http/client-address.ts'
import type { AnswerContract, BodyContract, Route, RouteRequest, RunRoute } from '../http/contract.ts'
import type { HttpRequest } from '../http/request.ts'
import { fromResponse, type Reply } from '../http/respond.ts'
import type { Log } from '../log.ts'
import { type Validator, Validators } from '../model/validator.ts'
import type { Parameters } from '../query/parameters.ts'
import { pluginLog } from './plugin-log.ts'
import { queryParameter, scalarIn } from './query-parameter.ts'
import type { PluginJsonBody, PluginRequest, PluginRoute, PluginStreamBody, QueryValue } from './route.ts'
import { systemContent } from './system-content.ts'

/** The parts of the service that the routes of plugins need. */
export interface PluginRouteParts {
  readonly engine: Engine
  readonly log: Log
  /** How long a route may take to answer, in milliseconds. */
  readonly limitMs: number
  /** How many proxies are trusted to tell the client's address. */
  readonly trustProxy: number
}

/** A route of a plugin, or of the config, as the service runs it. It has been checked. */
export function toRoute(contributor: Contributor, route: PluginRoute, parts: PluginRouteParts): Route {
  const { method, path, summary, description, protection, parameters = {}, body } = route
  const validators = new Validators({ hasMetaSchema: true })
  const answers = Object.entries(route.answers).map(
    ([status, answer]): AnswerContract => ({
      status: Number(status),
      description: answer.description,
      headers: ['Cache-Control'],
      ...(answer.schema ? { schema: answer.schema } : {}),
      ...(answer.mediaType === undefined ? {} : { mediaType: answer.mediaType }),
      ...(answer.headers ? { ownHeaders: answer.headers } : {}),
    }),
  )
  const statuses = new Set(answers.map(({ status }) => status))
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
    conditions: [],
    ...(body ? { body: toBody(body, validators) } : {}),
    ...(isStream(body) ? { streamsBody: true } : {}),
    answers,
    errors: ERROR_CODES.filter((code) => !statuses.has(ERRORS[code].status) && mayThrow(statuses, code)),
    run: toRun(contributor, route, parts, pathChecks(route, validators)),
  })
}

const toParameters = (given: NonNullable<PluginRoute['parameters']>, validators: Validators): Parameters =>
  Object.fromEntries(
    Object.entries(given).map(([name, one]) => [name, queryParameter(one, validators.make(one.schema))]),
  )

/** Only what answers parts can be asked for one that is not there. */
const mayThrow = (statuses: ReadonlySet<number>, code: ErrorCode): boolean =>
  code !== 'RANGE_NOT_SATISFIABLE' || statuses.has(206)

const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[]

/** Such as `sitemapGetSitemapXml`. */
function defaultOperationId(plugin: string | undefined, { method, path }: PluginRoute): string {
  const words = `${plugin ?? ''}-${method.toLowerCase()}-${path.replace(/\*$/, 'rest')}`.split(/[^A-Za-z0-9]+/)
  const [first = '', ...rest] = words.filter((word) => word !== '')
  return [first, ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}

const isStream = (body: PluginRoute['body']): body is PluginStreamBody => body !== undefined && 'stream' in body

function toBody(body: PluginJsonBody | PluginStreamBody, validators: Validators): BodyContract {
  const { description = 'What the route takes.' } = body
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
      if (issues.length > 0) throw invalid(issues)
      return value
    },
  }
}

function requireMediaType({ headers }: HttpRequest, taken: readonly string[]): undefined {
  const [given = ''] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const [type, subtype] = given.trim().split('/')
  const fits = taken.some((one) => {
    const [ownType, ownSubtype] = one.toLowerCase().split('/')
    return (ownType === '*' || ownType === type) && (ownSubtype === '*' || ownSubtype === subtype)
  })
  if (fits) return undefined
  throw new DaybookError('UNSUPPORTED_MEDIA_TYPE', `Send a body of one of these types: ${taken.join(', ')}.`)
}

type PathChecks = readonly (readonly [name: string, type: unknown, validate: Validator])[]

const pathChecks = ({ pathParameters = {} }: PluginRoute, validators: Validators): PathChecks =>
  Object.entries(pathParameters).map(([name, { schema }]) => [name, schema.type, validators.make(schema)])

/** What a path names that its schema refuses is not there. */
function requirePath(path: RouteRequest['path'], checks: PathChecks): void {
  for (const [name, type, validate] of checks) {
    if (validate(scalarIn(path[name] ?? '', type)).length > 0) throw new DaybookError('NOT_FOUND')
  }
}

function toRun(
  contributor: Contributor,
  route: PluginRoute,
  parts: PluginRouteParts,
  checks: PathChecks,
): RunRoute['run'] {
  const { engine, limitMs, trustProxy } = parts
  const content = new Content(engine)
  const log = pluginLog(parts.log, contributor)
  const asSystem = systemContent(contributor, engine)
  const options = contributor.options ?? Object.freeze({})
  const streams = isStream(route.body)
  return async ({ access: { caller }, path, query, body, request }) => {
    requirePath(path, checks)
    const ending = new AbortController()
    const release = request.onAbort(() => ending.abort(new Error('The client has gone.')))
    const { headers, origin } = contextOf(request, trustProxy)
    const asked: PluginRequest = {
      method: request.method,
      url: new URL(request.target, origin),
      headers,
      caller,
      path,
      query: query.values as Readonly<Record<string, QueryValue>>,
      body,
      stream: streams ? (Readable.toWeb(request.toStream()) as ReadableStream<Uint8Array>) : null,
      signal: ending.signal,
      content: content.as(caller),
      asSystem,
      options,
      log,
      isCurrent: (tag) => isCurrent(headers.get('if-none-match'), tag),
    }
    let isLate = false
    const answer = async (): Promise<unknown> => {
      const answered: unknown = await route.run(asked)
      if (isLate) await letGo(answered)
      return answered
    }
    try {
      // A body takes as long as it takes to come in, and its client may go on waiting after that.
      const answered = streams
        ? await answer()
        : await bounded(limitMs, answer, () => {
            isLate = true
            ending.abort(new Error('It took too long.'))
          })
      return toReply(answered)
    } catch (error) {
      throw toFailure(error, contributor, route)
    } finally {
      release()
    }
  }
}

/** A condition that is malformed counts for nothing. */
function isCurrent(known: string | null, tag: string): boolean {
  const tags = readTags(known)
  return tags !== undefined && matchesTag(tags, tag)
}

/** @throws {TypeError} when it is no answer that can be sent */
function toReply(answer: unknown): Reply {
  const isResponse = answer instanceof Response
  // Response.error() has status 0, and what was read by others cannot be sent.
  if (isResponse && answer.status > 0 && !answer.bodyUsed && !answer.body?.locked) return fromResponse(answer)
  throw new TypeError(isResponse ? 'run answered a Response that is used up' : 'run must answer a Response')
}

/** An answer that nobody waits for any more may hold a file. */
async function letGo(answer: unknown): Promise<void> {
  if (answer instanceof Response && !answer.bodyUsed && !answer.body?.locked) await answer.body?.cancel()
}

/** What a route throws on purpose is answered; of anything else the log alone is told. */
function toFailure(error: unknown, contributor: Contributor, { method, path }: PluginRoute): DaybookError {
  if (error instanceof DaybookError) return error
  const code = error instanceof TimeLimitError ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR'
  const cause = new Error(`${method} ${path} of ${describeContributor(contributor)} failed: ${messageOf(error)}`, {
    cause: error,
  })
  return new DaybookError(code, undefined, {}, cause)
}

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
