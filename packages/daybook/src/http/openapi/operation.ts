import { ERRORS, type ErrorCode } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import type { Parameter } from '../../query/parameters.ts'
import { CONDITIONS } from '../conditions.ts'
import {
  type ActionContract,
  type AnswerContract,
  type BodyContract,
  type HeaderName,
  headersOfError,
  type Route,
} from '../contract.ts'
import { pascal } from './components.ts'
import type { Printer } from './printer.ts'
import { object, print, type Text } from './text.ts'

const REQUIRED: Text = '[{"sessionCookie":[]},{"bearerAuth":[]}]'
const OPTIONAL: Text = '[{},{"sessionCookie":[]},{"bearerAuth":[]}]'

/**
 * The operation of a route.
 *
 * @param path with the names of its open places
 */
export function operationText(route: Route, path: string, printer: Printer): Text {
  const { body, answers } = route
  const common = (what: string, make: () => Text): Text => ofKind(route, printer, what, make)
  const parameters = [
    common('parameters', () => [...pathParameters(route, path), ...conditions(route)].join(',')),
    ...queryParameters(route, printer),
  ].filter((text) => text !== '')
  const responses = [
    answers ? answers.map((answer) => responseOf(answer, route, printer)).join(',') : UNKNOWN_ANSWER,
    common('errors', () => errorsOf(route.errors)),
  ]
  const members = [
    `"operationId":"${operationIdOf(route)}"`,
    common('summary', () => `"summary":${print(route.summary)}`),
    ...(route.description === undefined ? [] : [`"description":${print(route.description)}`]),
    `"tags":["${tagOf(route)}"]`,
    `"parameters":[${parameters.join(',')}]`,
    ...(body ? [`"requestBody":${requestBody(body, print(printer.body(route, body.schema)))}`] : []),
    `"responses":{${responses.join(',')}}`,
    `"security":${securityOf(route, printer)}`,
  ]
  return `{${members.join(',')}}`
}

/** A text that all routes of one operation have in common, whatever collection or global they are about. */
const ofKind = ({ operationId, resource }: Route, { texts }: Printer, what: string, make: () => Text): Text =>
  texts.get(`${what} ${operationId} ${resource?.kind}`, make)

/** What an adapter answers is its own business. */
const UNKNOWN_ANSWER: Text = '"default":{"description":"What the auth adapter answers."}'

/** The operation of one action of a route. */
export function actionText(route: Route, name: string, action: ActionContract, printer: Printer): Text {
  const { input = { type: 'object' }, output, description } = action
  const id = `auth${pascal(name)}`
  const content = output && { 'application/json': { schema: printer.own(`${id}Output`, output) } }
  const isRequired = Array.isArray(input.required) && input.required.length > 0
  const body = { ...(route.body as BodyContract), isRequired }
  const done = print({ description: 'What the auth adapter answers when it has done it.', content })
  return object([
    ['operationId', print(id)],
    ['summary', print(description ?? `Runs the action ${name} of the auth adapter.`)],
    ['tags', print([tagOf(route)])],
    ['parameters', `[${conditions(route).join(',')}]`],
    ['requestBody', requestBody(body, print(printer.own(`${id}Input`, input)))],
    ['responses', `{"2XX":${done},${UNKNOWN_ANSWER},${errorsOf(route.errors)}}`],
    ['security', OPTIONAL],
  ])
}

/**
 * The name of an operation, for generators of clients: `listPosts`, `createPostsEntry`, `getSiteGlobal`. No two kinds begin and
 * end alike, so that no two operations have one name.
 */
export function operationIdOf({ operationId, resource }: Route): string {
  if (!resource) return operationId
  const key = pascal(resource.key)
  return operationId
    .replace(/Entries$/, key)
    .replace(/(Entry|Global)$/, `${key}$1`)
    .replace(/References$/, `$&To${key}`)
}

function tagOf({ path, resource, plugin }: Route): string {
  if (plugin !== undefined) return plugin
  if (resource?.kind === 'collection') return resource.key
  if (resource) return 'globals'
  return path.includes('/auth') ? 'auth' : 'cms'
}

function securityOf(route: Route, { reader }: Printer): Text {
  if (route.isProbe) return '[]'
  return route.protection === 'session' && !reader.openRoutes.has(route) ? REQUIRED : OPTIONAL
}

/** Parameters in the order of the address; routes may call the same place by different names. */
function pathParameters({ pathParameters = {}, path: own, resource }: Route, path: string): readonly Text[] {
  const open = [...own.matchAll(/:(\w+)|\*/g)].filter(
    ([, name]) => !resource || (name !== 'collection' && name !== 'key'),
  )
  const declared = open.map(([, name = '*']) => pathParameters[name])
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name], index) =>
    print({
      name,
      in: 'path',
      required: true,
      ...(declared[index] ?? { schema: { type: 'string', minLength: 1 } }),
    }),
  )
}

/** Whether some value fits: there are parameters that a config gives no use. */
const isUsable = ({ schema }: Parameter): boolean => !isRecord(schema.not) || Object.keys(schema.not).length > 0

function queryParameters({ parameters = {} }: Route, { components }: Printer): readonly Text[] {
  const usable = Object.entries(parameters).filter(([, parameter]) => isUsable(parameter))
  return usable.map(([name, parameter]) => components.parameter(name, parameter))
}

const conditions = (route: Route): readonly Text[] =>
  route.conditions.map((one) => `{"$ref":"#/components/parameters/${CONDITIONS[one].name}"}`)

function requestBody({ description, mediaTypes, isRequired = true }: BodyContract, schema: Text): Text {
  const content = object(mediaTypes.map((type) => [type, `{"schema":${schema}}`]))
  return `{"description":${print(description)},"required":${isRequired},"content":${content}}`
}

function responseOf(answer: AnswerContract, route: Route, printer: Printer): Text {
  const { status, schema, mediaType = 'application/json' } = answer
  const head = ofKind(route, printer, `answer ${status}`, () => headOf(answer))
  const content = schema ? `,"content":{"${mediaType}":{"schema":${printer.answer(route, schema)}}}` : ''
  return `"${status}":{${head}${content}}`
}

const headOf = ({ description, headers, ownHeaders }: AnswerContract): Text =>
  `"description":${print(description)},"headers":${headersOf(headers, ownHeaders)}`

/** The media type is no header of OpenAPI; the name of the request comes with every answer. */
function headersOf(names: readonly HeaderName[], own: Readonly<Record<string, string>> = {}): Text {
  const known = names.filter((name) => name !== 'Content-Type')
  const free = Object.entries(own).filter(([name]) => name.toLowerCase() !== 'content-type')
  return object([
    ...[...known, 'X-Request-Id'].map((name) => [name, `{"$ref":"#/components/headers/${name}"}`] as const),
    ...free.map(([name, description]) => [name, print({ description, schema: { type: 'string' } })] as const),
  ])
}

/** Each status that an error may have belongs to one code. */
const errorsOf = (codes: readonly ErrorCode[]): Text =>
  [...new Set(codes)].map((code) => `"${ERRORS[code].status}":{"$ref":"#/components/responses/${code}"}`).join(',')

/** The response of an error, for others to refer to. */
export function errorResponse(code: ErrorCode, example: object): Text {
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { const: code } } }],
  }
  return object([
    ['description', print(ERRORS[code].message)],
    ['headers', headersOf(headersOfError(code))],
    ['content', print({ 'application/json': { schema, example } })],
  ])
}
