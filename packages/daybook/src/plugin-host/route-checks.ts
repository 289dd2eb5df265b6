import type { ConfigFault } from '../config/check-config.ts'
import { checkParts, checkValue, type PartCheck } from '../config/check-plugins.ts'
import { describeContributor } from '../config/plugin.ts'
import { type FaultReport, isRecord, type JsonSchema } from '../fields/field.ts'
import type { Route } from '../http/contract.ts'
import { getOperationId } from '../http/openapi/operation.ts'
import { getRouteAddress } from '../http/router.ts'
import { findSchemaFault } from '../model/validator.ts'

const METHODS: readonly unknown[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const WITHOUT_BODY: readonly unknown[] = ['GET', 'DELETE']
const OPERATION_ID = /^[A-Za-z][A-Za-z0-9]*$/
const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/
const PATH_NAME = /^[a-z][a-zA-Z0-9_]*$/
/** A segment without escapes, which is matched literally (RFC 3986, section 3.3). */
const LITERAL = /^[\w.~!$&'()+,;=@-]+$/
const MEDIA_TYPE = /^(?:\*|[\w!#$&^.+-]+)\/(?:\*|[\w!#$&^.+-]+)$/
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
/** The types that query parameters can be parsed as. */
const QUERY_TYPES: readonly unknown[] = ['string', 'integer', 'number', 'boolean', 'array']

const isSentence = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

const checkSchema: PartCheck = (schema, path, report) => {
  const fault = isRecord(schema) ? findSchemaFault(schema as JsonSchema) : 'it is not an object'
  if (fault) report.add(path, `must be a JSON Schema (2020-12): ${fault}`)
}

/** Creates a check of an object whose keys have a pattern. */
const byName =
  (name: RegExp, advice: string, check: PartCheck): PartCheck =>
  (value, path, report) => {
    if (!isRecord(value)) return void report.add(path, 'must be an object with names as keys')
    for (const [key, member] of Object.entries(value)) {
      if (name.test(key)) check(member, `${path}.${key}`, report)
      else report.add(`${path}.${key}`, advice)
    }
  }

const checkDescription = checkValue(isSentence, 'must say what it is, in a sentence')

const checkQuerySchema: PartCheck = (schema, path, report) => {
  checkSchema(schema, path, report)
  const isReadable = isRecord(schema) && QUERY_TYPES.includes(schema.type)
  if (!isReadable) report.add(`${path}.type`, `must be one of: ${QUERY_TYPES.join(', ')}`)
}

const checkMediaTypes = checkValue(
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((type) => typeof type === 'string' && MEDIA_TYPE.test(type)),
  "must be a list of media types, such as ['image/png', 'text/*']",
)

const checkJsonBody = checkParts({ description: checkDescription, schema: checkSchema }, ['schema'])
const checkStreamBody = checkParts(
  {
    description: checkDescription,
    mediaTypes: checkMediaTypes,
    stream: checkValue((value) => value === true, 'must be true'),
  },
  ['mediaTypes'],
)

const checkBody: PartCheck = (value, path, report) => {
  const isStream = isRecord(value) && value.stream !== undefined
  return isStream ? checkStreamBody(value, path, report) : checkJsonBody(value, path, report)
}

const checkResponse = checkParts(
  {
    description: checkDescription,
    schema: checkSchema,
    mediaType: checkValue(
      (value) => typeof value === 'string' && MEDIA_TYPE.test(value),
      'must be a media type, such as "text/html"',
    ),
    headers: byName(HEADER_NAME, 'is not a valid name of a header', checkDescription),
  },
  ['description'],
)

const checkResponses: PartCheck = (value, path, report) => {
  const isEmpty = !isRecord(value) || Object.keys(value).length === 0
  if (isEmpty)
    return void report.add(path, "must have at least one response, such as { 200: { description: 'Done.' } }")
  byName(/^[2-5]\d\d$/, 'is not a status from 200 to 599', checkResponse)(value, path, report)
}

const checkPath: PartCheck = (value, path, report) => {
  const add = (message: string): void => report.add(path, message)
  if (typeof value !== 'string' || !value.startsWith('/'))
    return add('must be a path that begins with /, such as "/feed.xml"')
  if (value === '/') return
  const segments = value.slice(1).split('/')
  const names = segments.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1))
  if (segments.slice(0, -1).includes('')) add('must not contain doubled slashes, because paths match exactly')
  if (value.endsWith('/') && names.length > 0) add('must not end with a slash, because it has placeholders')
  if (segments.slice(0, -1).includes('*')) add('must contain * only at the end')
  if (new Set(names).size !== names.length) add('must give each placeholder a name of its own')
  if (segments.at(-1) === '*' && names.includes('path'))
    add('must not contain :path with *, which has this name in the OpenAPI document. Rename :path')
  const invalidSegment = segments.find((segment) => !isSegment(segment))
  if (invalidSegment !== undefined)
    add(`contains "${invalidSegment}", which is not allowed in a path. Use letters, digits, :name, or * at the end`)
}

function isSegment(segment: string): boolean {
  if (segment === '' || segment === '*') return true
  if (segment.startsWith(':')) return PATH_NAME.test(segment.slice(1))
  return LITERAL.test(segment) && segment !== '.' && segment !== '..'
}

const ROUTE_CHECKS: Readonly<Record<string, PartCheck>> = {
  method: checkValue((value) => METHODS.includes(value), `must be one of: ${METHODS.join(', ')}`),
  path: checkPath,
  operationId: checkValue(
    (value) => typeof value === 'string' && OPERATION_ID.test(value),
    'must be letters and digits, such as getFeed',
  ),
  summary: checkValue(isSentence, 'must say what the route does, in a sentence'),
  description: checkValue(isSentence, 'must be a non-empty string'),
  protection: checkValue((value) => value === 'public' || value === 'session', 'must be "public" or "session"'),
  pathParameters: byName(
    PATH_NAME,
    'is not a valid name. Use that of a placeholder of the path',
    checkParts({ description: checkDescription, schema: checkSchema }, ['description', 'schema']),
  ),
  parameters: byName(
    PARAMETER_NAME,
    'is not a valid name. Use letters, digits, _ and -',
    checkParts(
      {
        description: checkDescription,
        schema: checkQuerySchema,
        isRequired: checkValue((value) => typeof value === 'boolean', 'must be true or false'),
      },
      ['description', 'schema'],
    ),
  ),
  anyQuery: checkValue((value) => typeof value === 'boolean', 'must be true or false'),
  body: checkBody,
  responses: checkResponses,
  run: checkValue((value) => typeof value === 'function', 'must be a function that returns a Response'),
}

export const ROUTE_PARTS: readonly string[] = Object.keys(ROUTE_CHECKS)

const checkRouteParts = checkParts(ROUTE_CHECKS, ['method', 'path', 'summary', 'protection', 'responses', 'run'])

export function findRouteFaults(route: unknown, path: string): readonly ConfigFault[] {
  const faults: ConfigFault[] = []
  const report: FaultReport = { add: (at, message) => void faults.push({ path: at, message }) }
  checkRouteParts(route, path, report)
  if (isRecord(route)) checkDependentParts(route, path, report)
  return faults
}

/** Checks the parts that depend on each other. */
function checkDependentParts(route: Readonly<Record<string, unknown>>, path: string, report: FaultReport): void {
  const { method, body, pathParameters, anyQuery, parameters } = route
  if (anyQuery === true && parameters !== undefined)
    report.add(`${path}.parameters`, 'is not allowed with anyQuery. Leave it out')
  if (body !== undefined && WITHOUT_BODY.includes(method))
    report.add(`${path}.body`, `is not allowed, because a ${method} request has no body. Leave it out`)
  const segments = typeof route.path === 'string' ? route.path.split('/') : []
  for (const name of Object.keys(isRecord(pathParameters) ? pathParameters : {})) {
    if (!segments.includes(`:${name}`))
      report.add(`${path}.pathParameters.${name}`, `does not belong to the path, which has no :${name}`)
  }
}

/** A route of a plugin or of the config, with its path in the config. */
export interface PlacedRoute {
  readonly route: Route
  /** Such as `plugins.shop.routes.0`. */
  readonly place: string
}

/** Returns the faults of routes that match the requests of another route, or have its operationId. */
export function findRouteClashes(builtIn: readonly Route[], placed: readonly PlacedRoute[]): readonly ConfigFault[] {
  return placed.flatMap((route, index) => {
    const before = placed.slice(0, index)
    return [...findAddressClashes(builtIn, before, route), ...findNameClashes(builtIn, before, route)]
  })
}

function findAddressClashes(
  builtIn: readonly Route[],
  before: readonly PlacedRoute[],
  { route, place }: PlacedRoute,
): readonly ConfigFault[] {
  const shadowed = builtIn.find((other) => shadows(getSegments(route), getSegments(other)))
  const same = before.find(
    ({ route: other }) =>
      other.method === route.method && getRouteAddress(other).address === getRouteAddress(route).address,
  )
  const path = `${place}.path`
  if (shadowed) {
    const message = `is "${route.path}", which is already used by ${describeRoute(shadowed)} of Daybook. Choose a path that no route of Daybook has`
    return [{ path, message }]
  }
  if (!same) return []
  const message = `is "${route.path}", which is already used by ${describeRoute(same.route)} of ${describeOwner(same.route)} (${same.place}). Change one of the paths`
  return [{ path, message }]
}

function findNameClashes(
  builtIn: readonly Route[],
  before: readonly PlacedRoute[],
  { route, place }: PlacedRoute,
): readonly ConfigFault[] {
  const candidates = [...builtIn, ...before.map((placed) => placed.route)]
  const other = candidates.find((candidate) => getOperationId(candidate) === route.operationId)
  if (!other) return []
  const message = `is "${route.operationId}", which is already used by ${describeRoute(other)} of ${describeOwner(other)}. Choose another one`
  return [{ path: `${place}.operationId`, message }]
}

function describeOwner({ plugin }: Route): string {
  if (plugin === undefined) return 'Daybook'
  return describeContributor(plugin === null ? {} : { name: plugin })
}

function describeRoute({ method, path, resource }: Route): string {
  return `${method} ${resource ? path.replace(/:(?:collection|key)\b/, resource.key) : path}`
}

const getSegments = (route: Route): readonly string[] => getRouteAddress(route).address.split('/')

/** Returns the specificity of a segment. The router prefers routes with a higher one. */
function getSpecificity(segment: string | undefined): number {
  if (segment === '**') return 0
  return segment?.startsWith(':') ? 1 : 2
}

/** True if an address matches paths of another one, and is at least as specific. */
function shadows(address: readonly string[], other: readonly string[]): boolean {
  if (!overlaps(address, other)) return false
  const length = Math.max(address.length, other.length)
  for (let at = 0; at < length; at += 1) {
    const difference = getSpecificity(address[at]) - getSpecificity(other[at])
    if (difference !== 0) return difference > 0
  }
  return true
}

/** True if some path matches both addresses. */
function overlaps([a, ...aRest]: readonly string[], [b, ...bRest]: readonly string[]): boolean {
  if (a === '**' || b === '**') return true
  if (a === undefined || b === undefined) return a === b
  const isOpen = getSpecificity(a) === 1 || getSpecificity(b) === 1
  return (isOpen || a === b) && overlaps(aRest, bRest)
}
