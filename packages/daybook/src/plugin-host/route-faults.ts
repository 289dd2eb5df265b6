import type { ConfigFault } from '../config/check.ts'
import { checkParts, checkValue, type PartCheck } from '../config/check-plugins.ts'
import type { FaultReport, JsonSchema } from '../fields/field.ts'
import { isRecord } from '../fields/field.ts'
import { schemaFault } from '../model/schema-fault.ts'

const METHODS: readonly unknown[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const WITHOUT_BODY: readonly unknown[] = ['GET', 'DELETE']
const OPERATION_ID = /^[A-Za-z][A-Za-z0-9]*$/
const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/
const PATH_NAME = /^[a-z][a-zA-Z0-9_]*$/
/** A segment without escapes, which is matched literally (RFC 3986, section 3.3). */
const LITERAL = /^[\w.~!$&'()+,;=@-]+$/
const MEDIA_TYPE = /^(?:\*|[\w!#$&^.+-]+)\/(?:\*|[\w!#$&^.+-]+)$/
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
/** The types of query parameters, as which texts can be parsed. */
const QUERY_TYPES: readonly unknown[] = ['string', 'integer', 'number', 'boolean', 'array']

const isSentence = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

const checkSchema: PartCheck = (schema, path, report) => {
  const broken = isRecord(schema) ? schemaFault(schema as JsonSchema) : 'it is no object'
  if (broken) report.add(path, `write a JSON Schema (2020-12): ${broken}`)
}

/** Creates a check of an object whose keys have a pattern. */
const byName =
  (name: RegExp, advice: string, check: PartCheck): PartCheck =>
  (value, path, report) => {
    if (!isRecord(value)) return void report.add(path, 'write an object, by name')
    for (const [key, member] of Object.entries(value)) {
      if (name.test(key)) check(member, `${path}.${key}`, report)
      else report.add(`${path}.${key}`, advice)
    }
  }

const checkDescription = checkValue(isSentence, 'write what it is, in a sentence')

const checkQuerySchema: PartCheck = (schema, path, report) => {
  checkSchema(schema, path, report)
  const isReadable = isRecord(schema) && QUERY_TYPES.includes(schema.type)
  if (!isReadable) report.add(`${path}.type`, `write one of: ${QUERY_TYPES.join(', ')}`)
}

const checkMediaTypes = checkValue(
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && MEDIA_TYPE.test(one)),
  "write media types, such as ['image/png', 'text/*']",
)

const checkJsonBody = checkParts({ description: checkDescription, schema: checkSchema }, ['schema'])
const checkStreamBody = checkParts(
  {
    description: checkDescription,
    mediaTypes: checkMediaTypes,
    stream: checkValue((value) => value === true, 'write true'),
  },
  ['mediaTypes'],
)

const checkBody: PartCheck = (value, path, report) => {
  const isStream = isRecord(value) && value.stream !== undefined
  return isStream ? checkStreamBody(value, path, report) : checkJsonBody(value, path, report)
}

const checkAnswer = checkParts(
  {
    description: checkDescription,
    schema: checkSchema,
    mediaType: checkValue(
      (value) => typeof value === 'string' && MEDIA_TYPE.test(value),
      "write one, such as 'text/html'",
    ),
    headers: byName(HEADER_NAME, 'write the name of a header', checkDescription),
  },
  ['description'],
)

const checkAnswers: PartCheck = (value, path, report) => {
  const isEmpty = !isRecord(value) || Object.keys(value).length === 0
  if (isEmpty) return void report.add(path, "write at least one answer: { 200: { description: 'Done.' } }")
  byName(/^[2-5]\d\d$/, 'write a status from 200 to 599', checkAnswer)(value, path, report)
}

const checkPath: PartCheck = (value, path, report) => {
  const add = (message: string): void => report.add(path, message)
  if (typeof value !== 'string' || !value.startsWith('/'))
    return add("write a path that begins with /, such as '/feed.xml'")
  if (value === '/') return
  const segments = value.slice(1).split('/')
  const names = segments.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1))
  if (segments.slice(0, -1).includes('')) add('leave out doubled slashes: paths match exactly')
  if (value.endsWith('/') && names.length > 0) add('leave out the slash at the end: a path with open places has none')
  if (segments.slice(0, -1).includes('*')) add('write * at the end alone')
  if (new Set(names).size !== names.length) add('give each open place a name of its own')
  if (segments.at(-1) === '*' && names.includes('path')) add('rename :path, which * is called in the OpenAPI document')
  const wrong = segments.find((segment) => !isSegment(segment))
  if (wrong !== undefined) add(`"${wrong}" is no part of a path: write letters, digits, :name, or * at the end`)
}

function isSegment(segment: string): boolean {
  if (segment === '' || segment === '*') return true
  if (segment.startsWith(':')) return PATH_NAME.test(segment.slice(1))
  return LITERAL.test(segment) && segment !== '.' && segment !== '..'
}

const ROUTE_CHECKS: Readonly<Record<string, PartCheck>> = {
  method: checkValue((value) => METHODS.includes(value), `write one of: ${METHODS.join(', ')}`),
  path: checkPath,
  operationId: checkValue(
    (value) => typeof value === 'string' && OPERATION_ID.test(value),
    'write letters and digits, such as getFeed',
  ),
  summary: checkValue(isSentence, 'write what the route does, in a sentence'),
  description: checkValue(isSentence, 'write a text'),
  protection: checkValue((value) => value === 'public' || value === 'session', "write 'public' or 'session'"),
  pathParameters: byName(
    PATH_NAME,
    'write the name of an open place of the path',
    checkParts({ description: checkDescription, schema: checkSchema }, ['description', 'schema']),
  ),
  parameters: byName(
    PARAMETER_NAME,
    'write letters, digits, _ and -',
    checkParts(
      {
        description: checkDescription,
        schema: checkQuerySchema,
        isRequired: checkValue((value) => typeof value === 'boolean', 'write true or false'),
      },
      ['description', 'schema'],
    ),
  ),
  anyQuery: checkValue((value) => typeof value === 'boolean', 'write true or false'),
  body: checkBody,
  answers: checkAnswers,
  run: checkValue((value) => typeof value === 'function', 'write a function that answers a Response'),
}

/** The names of the parts of a route. */
export const ROUTE_PARTS: readonly string[] = Object.keys(ROUTE_CHECKS)

const checkRouteParts = checkParts(ROUTE_CHECKS, ['method', 'path', 'summary', 'protection', 'answers', 'run'])

/** Returns the faults of a route of a plugin or of the config. */
export function routeFaults(route: unknown, path: string): readonly ConfigFault[] {
  const faults: ConfigFault[] = []
  const report: FaultReport = { add: (at, message) => void faults.push({ path: at, message }) }
  checkRouteParts(route, path, report)
  if (isRecord(route)) checkTogether(route, path, report)
  return faults
}

/** Checks the parts that depend on each other. */
function checkTogether(route: Readonly<Record<string, unknown>>, path: string, report: FaultReport): void {
  const { method, body, pathParameters, anyQuery, parameters } = route
  if (anyQuery === true && parameters !== undefined) report.add(`${path}.parameters`, 'leave them out beside anyQuery')
  if (body !== undefined && WITHOUT_BODY.includes(method)) report.add(`${path}.body`, `a ${method} request has none`)
  const segments = typeof route.path === 'string' ? route.path.split('/') : []
  for (const name of Object.keys(isRecord(pathParameters) ? pathParameters : {})) {
    if (!segments.includes(`:${name}`)) report.add(`${path}.pathParameters.${name}`, `the path has no :${name}`)
  }
}
