import { STATUS_CODES } from 'node:http'
import { ERRORS, type ErrorCode } from '../../errors.ts'
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
import { type Components, pascal } from './components.ts'
import type { Printer } from './printer.ts'
import { object, print, type Text, type Texts } from './text.ts'

/** The member of a media type with the schema of the response to `locale=all`. */
const ALL_LOCALES_MEMBER = 'x-daybook-all-locales'
/** The member of a media type with the schema of the response to `deleted=true`. */
const DELETED_MEMBER = 'x-daybook-deleted'

const REQUIRED: Text = '[{"sessionCookie":[]},{"bearerAuth":[]}]'
const OPTIONAL: Text = '[{},{"sessionCookie":[]},{"bearerAuth":[]}]'

/**
 * The operation of a route.
 *
 * @param path with the names of its open places
 */
export function operationText(route: Route, path: string, printer: Printer, common: CommonTexts): Text {
  const { body, answers, operationId, resource } = route
  const own = common.get(`${operationId} ${resource?.kind}`, () => commonText(route, path, printer))
  const responses = answers?.map((answer, index) => responseOf(answer, own.answers[index], route, printer))
  const members = [
    `"operationId":"${named(own.operationId, route)}"`,
    own.summary,
    `"tags":["${tagOf(route)}"]`,
    `"parameters":[${own.parameters}${queryParameters(route, printer, own.parameters === '')}]`,
    ...(body ? [`"requestBody":${bodyText(body, printer.body(route, body.schema))}`] : []),
    `"responses":{${[...(responses ?? [UNKNOWN_ANSWER]), own.errors].join(',')}}`,
    `"security":${securityOf(route, printer)}`,
  ]
  return `{${members.join(',')}}`
}

/** The texts that all routes of one operation have in common, whatever collection or global they are about. */
interface CommonText {
  /** With a place for the key. */
  readonly operationId: string
  readonly summary: Text
  /** Of the path and the headers. */
  readonly parameters: Text
  readonly answers: readonly CommonAnswer[]
  readonly errors: Text
}

interface CommonAnswer {
  readonly text: Text
  /** Whether its content is the document, which the text lacks. */
  readonly isOpen: boolean
}

/** By operation. */
export type CommonTexts = Texts<CommonText>

const commonText = (route: Route, path: string, printer: Printer): CommonText => ({
  operationId: operationPattern(route),
  summary: [
    ['summary', route.summary],
    ['description', route.description],
  ]
    .flatMap(([name, text]) => (text === undefined ? [] : [`"${name}":${print(text)}`]))
    .join(),
  parameters: [...pathParameters(route, path, printer.components), ...conditions(route)].join(','),
  answers: (route.answers ?? []).map((answer) => commonAnswer(answer, route, printer)),
  errors: errorsOf(route.errors),
})

/** What an adapter answers is its own business. */
const UNKNOWN_ANSWER: Text = '"default":{"description":"What the auth adapter answers."}'

/** The operation of one action of a route. */
export function actionText(route: Route, name: string, action: ActionContract, printer: Printer): Text {
  const { input = { type: 'object' }, output, description, status = '2XX' } = action
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
    ['requestBody', bodyText(body, print(printer.own(`${id}Input`, input)))],
    ['responses', `{"${status}":${done},${UNKNOWN_ANSWER},${errorsOf(route.errors)}}`],
    ['security', OPTIONAL],
  ])
}

/** Where the key of a collection or global stands in the names of its operations. */
const KEY = '{}'

/** The name of a route's operation. */
export const operationIdOf = (route: Route): string => named(operationPattern(route), route)

const named = (pattern: string, { resource }: Route): string =>
  resource ? pattern.replace(KEY, pascal(resource.key)) : pattern

/**
 * The names of operations, for generators of clients: `listPosts`, `createPostsEntry`, `patchPostsMany`. No two kinds begin and
 * end alike, so that no two operations have one name.
 */
function operationPattern({ operationId, resource }: Route): string {
  if (!resource) return operationId
  return operationId
    .replace(/Entries$/, KEY)
    .replace(/(Entry|Many|Global)$/, `${KEY}$1`)
    .replace(/References$/, `$&To${KEY}`)
}

/** The tag of routes that the config itself has. */
export const CONFIG_TAG = 'custom'

function tagOf({ path, resource, plugin }: Route): string {
  if (plugin !== undefined) return plugin ?? CONFIG_TAG
  if (resource?.kind === 'collection') return resource.key
  if (resource) return 'globals'
  return path.includes('/auth') ? 'auth' : 'cms'
}

function securityOf(route: Route, { reader }: Printer): Text {
  if (route.isProbe) return '[]'
  return reader.sessionRoutes.has(route) ? REQUIRED : OPTIONAL
}

/** Parameters in the order of the address; routes may call the same place by different names. */
function pathParameters(
  { pathParameters = {}, path: own, resource }: Route,
  path: string,
  components: Components,
): readonly Text[] {
  const open = [...own.matchAll(/:(\w+)|\*/g)].filter(
    ([, name]) => !resource || (name !== 'collection' && name !== 'key'),
  )
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ''], index) => {
    const ownName = open[index]?.[1] ?? '*'
    const declared = pathParameters[ownName] ?? { schema: { type: 'string', minLength: 1 } }
    const text = print({ name, in: 'path', required: true, ...declared })
    return resource ? components.sharedPathParameter(ownName, text) : text
  })
}

function queryParameters({ parameters = {}, resource }: Route, printer: Printer, isFirst: boolean): Text {
  let text = ''
  for (const name in parameters) {
    const ref = printer.parameter(name, parameters[name] as Parameter, resource)
    if (ref !== undefined) text += isFirst && text === '' ? ref : `,${ref}`
  }
  return text
}

const conditions = (route: Route): readonly Text[] =>
  route.conditions.map((one) => `{"$ref":"#/components/parameters/${CONDITIONS[one].name}"}`)

function bodyText({ description, mediaTypes, isRequired = true }: BodyContract, schema: Text): Text {
  const content = object(mediaTypes.map((type) => [type, `{"schema":${schema}}`]))
  return `{"description":${print(description)},"required":${isRequired},"content":${content}}`
}

function responseOf(answer: AnswerContract, own: CommonAnswer | undefined, route: Route, printer: Printer): Text {
  if (!own?.isOpen) return own?.text ?? ''
  const variants = [
    [ALL_LOCALES_MEMBER, printer.allLocales(route, answer)],
    [DELETED_MEMBER, printer.deleted(answer)],
  ].filter((member): member is [string, Text] => member[1] !== undefined)
  return `${own.text},${contentText(answer, printer.answer(route, answer), variants)}}`
}

/** An answer of a route, as far as it says the same of all documents; what lacks nothing stands in the components. */
function commonAnswer(answer: AnswerContract, route: Route, printer: Printer): CommonAnswer {
  const { status, description, headers, ownHeaders, name = String(STATUS_CODES[status]).replaceAll(' ', '') } = answer
  const head = `{"description":${print(description)},"headers":${headersOf(headers, ownHeaders)}`
  const isOpen = printer.isOfDocument(route, answer)
  if (isOpen) return { text: `"${status}":${head}`, isOpen }
  const text = answer.schema ? `${head},${contentText(answer, printer.answer(route, answer))}}` : `${head}}`
  const response = route.resource ? printer.components.sharedResponse(pascal(name), text) : text
  return { text: `"${status}":${response}`, isOpen }
}

/**
 * The content of a response.
 *
 * @param variants members with the schemas of the responses to `locale=all` and to `deleted=true`: as parts of the schema, they would make
 * each localized value a text or a map, and each list one of two kinds, for all clients
 */
function contentText(
  { mediaType = 'application/json' }: AnswerContract,
  schema: Text,
  variants: readonly (readonly [string, Text])[] = [],
): Text {
  return `"content":{"${mediaType}":${object([['schema', schema], ...variants])}}`
}

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
