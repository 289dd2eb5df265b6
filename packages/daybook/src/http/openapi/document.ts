import { DaybookError, ERRORS, type ErrorCode, invalidAt } from '../../errors.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { Model } from '../../model/model.ts'
import { daybookVersion } from '../../version.ts'
import { HEADERS, type Route } from '../contract.ts'
import type { ApiReader } from './api-reader.ts'
import { actionText, CONFIG_TAG, type CommonTexts, errorResponse, operationText } from './operation.ts'
import { Printer } from './printer.ts'
import { object, print, type Text, Texts } from './text.ts'

/** What a document is made of. */
export interface OpenApiParts {
  readonly model: Model
  readonly routes: readonly Route[]
  /** The name of the cookie that holds a session. */
  readonly sessionCookie: string
}

const ABOUT = `Made from the routes and the content model of this service, for the reader who asks: with a session it holds
what that session may see besides. Every GET operation answers HEAD, too.`

/**
 * Makes the OpenAPI 3.1 document of a service, as far as one reader may know it, as JSON text. It stops after each path and
 * each schema, so that something else can be done.
 */
export function* openApiText(
  { model, sessionCookie }: Omit<OpenApiParts, 'routes'>,
  reader: ApiReader,
): Generator<undefined, Text> {
  const printer = new Printer(model, reader)
  const { components } = printer
  components.schema('Error', () => print(ERROR))
  const paths: Member[] = []
  for (const members of pathsOf(reader.routes, printer)) {
    paths.push(...members)
    yield
  }
  yield* components.printSchemas()
  return object([
    ['openapi', '"3.1.0"'],
    ['info', print({ title: 'Daybook', version: daybookVersion(), description: ABOUT.replaceAll('\n', ' ') })],
    ['servers', '[{"url":"/"}]'],
    ['tags', print(tagsOf(reader))],
    ['paths', object(paths)],
    [
      'components',
      object([
        ['schemas', components.schemas],
        ['parameters', components.parameters],
        ['headers', print(RESPONSE_HEADERS)],
        [
          'responses',
          object([
            ...components.responses,
            ...ERROR_CODES.map((code) => [code, errorResponse(code, exampleError(code))] as const),
          ]),
        ],
        ['securitySchemes', print(securitySchemes(sessionCookie))],
      ]),
    ],
  ])
}

const securitySchemes = (sessionCookie: string): object => ({
  sessionCookie: { type: 'apiKey', in: 'cookie', name: sessionCookie },
  bearerAuth: { type: 'http', scheme: 'bearer' },
})

type Member = readonly [key: string, value: Text]

/** An address with a slash at the end leads to the same without it, and is no operation of its own. */
const isDescribed = ({ path }: Route): boolean => path === '/' || !path.endsWith('/')

/** The routes by address. The last one names an open place that others call otherwise. */
function* pathsOf(routes: readonly Route[], printer: Printer): Generator<readonly Member[], void> {
  const addresses = new Addresses()
  const common: CommonTexts = new Texts()
  const byShape = Map.groupBy(routes.filter(isDescribed), (route) => addresses.shapeOf(route))
  for (const own of byShape.values()) {
    const path = addresses.of(own.at(-1) as Route)
    const operations = own.map(
      (route): Member => [route.method.toLowerCase(), operationText(route, path, printer, common)],
    )
    yield [...own.flatMap((route) => actionPaths(route, printer)), [path, object(operations)]]
  }
}

const actionPaths = (route: Route, printer: Printer): readonly Member[] =>
  Object.entries(route.actions ?? {}).map(([name, action]) => [
    route.path.replace(/:\w+$/, encodeURIComponent(name)),
    object([[route.method.toLowerCase(), actionText(route, name, action, printer)]]),
  ])

/** Addresses of routes in the form of OpenAPI: the paths of few routes, with the keys of many collections. */
class Addresses {
  readonly #paths = new Texts()
  readonly #shapes = new Texts()

  of(route: Route): string {
    return withKey(
      route,
      this.#paths.get(route.path, () => route.path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')),
    )
  }

  /** The same for routes whose open places are called differently. */
  shapeOf(route: Route): string {
    const key = route.resource ? KEY_PLACES[route.resource.kind] : ''
    const place = (open: string): string => (open === `:${key}` ? `{${key}}` : '{}')
    return withKey(
      route,
      this.#shapes.get(`${route.path} ${key}`, () => route.path.replace(/:\w+|\*$/g, place)),
    )
  }
}

const KEY_PLACES = { collection: 'collection', global: 'key' } as const

const withKey = ({ resource }: Route, address: string): string =>
  resource ? address.replace(`{${KEY_PLACES[resource.kind]}}`, resource.key) : address

function tagsOf({ documents, routes }: ApiReader): readonly object[] {
  const collections = [...documents.keys()].filter(({ kind }) => kind === 'collection')
  return [
    ...collections.map(({ key, description }) => ({
      name: key,
      ...(description === undefined ? {} : { description }),
    })),
    { name: 'globals', description: 'Documents of which there is one each.' },
    { name: 'auth', description: 'The session, and signing in and out.' },
    { name: 'cms', description: 'The service itself.' },
    ...contributedTags(routes, new Set(collections.map(({ key }) => key))),
  ]
}

/** A tag for each plugin with routes, and one for the config's own; one that a collection has already stands once. */
function contributedTags(routes: readonly Route[], taken: ReadonlySet<string>): readonly object[] {
  const plugins = new Set(routes.flatMap(({ plugin }) => plugin ?? []))
  const tags = [...plugins].map((name) => ({ name, description: `Routes of the plugin ${name}.` }))
  const hasOwn = !plugins.has(CONFIG_TAG) && routes.some(({ plugin }) => plugin === null)
  const all = hasOwn ? [{ name: CONFIG_TAG, description: 'Routes of this service alone.' }, ...tags] : tags
  return all.filter(({ name }) => !taken.has(name) && !SERVICE_TAGS.includes(name))
}

const SERVICE_TAGS: readonly string[] = ['globals', 'auth', 'cms']

const REQUEST_ID: JsonSchema = { type: 'string', pattern: '^[\\w.-]{8,64}$' }

const ISSUE: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'JSON Pointer (RFC 6901) into the body, or the name of the parameter.' },
    code: { type: 'string', description: 'The rule that the value violates.' },
    params: { type: 'object', description: 'The values that the message mentions.' },
    message: { type: 'string' },
  },
  required: ['path', 'code', 'message'],
}

const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[]

const ERROR: JsonSchema = {
  type: 'object',
  properties: {
    code: { type: 'string', enum: ERROR_CODES },
    message: { type: 'string' },
    details: { type: 'object', properties: { issues: { type: 'array', items: ISSUE, maxItems: 100 } } },
    requestId: REQUEST_ID,
  },
  required: ['code', 'message', 'details', 'requestId'],
  additionalProperties: false,
}

const EXAMPLE_ID = '3f6f1b0e-6c1d-4d0c-9a39-0c5d8a2b7e41'

function exampleError(code: ErrorCode): object {
  const error =
    code === 'VALIDATION_ERROR'
      ? invalidAt('limit', 'type', 'must be a whole number, 0 or more', { types: ['integer'] })
      : new DaybookError(code)
  return { code, message: error.message, details: error.details, requestId: EXAMPLE_ID }
}

/** What the values of headers look like that are no free texts. */
const HEADER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  'Daybook-First-Seq': { type: 'integer', minimum: 1 },
  'Daybook-Seq': { type: 'integer', minimum: 1 },
  ETag: { type: 'string', pattern: '^"[^"]+"$' },
  'Idempotency-Replayed': { const: 'true' },
  'Retry-After': { type: 'integer', minimum: 0 },
  'X-Request-Id': REQUEST_ID,
}

const RESPONSE_HEADERS: object = Object.fromEntries(
  Object.entries({ ...HEADERS, 'X-Request-Id': 'The name of the request, for reports.' }).map(([name, description]) => [
    name,
    { description, schema: HEADER_SCHEMAS[name] ?? { type: 'string' } },
  ]),
)
