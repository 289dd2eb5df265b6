import { setImmediate as turn } from 'node:timers/promises'
import { ANONYMOUS } from '../../auth/adapter.ts'
import { Access } from '../../content/access/access.ts'
import { DaybookError, ERRORS, type ErrorCode, validationErrorAt } from '../../errors.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { Model } from '../../model/model.ts'
import { getDaybookVersion } from '../../version.ts'
import { HEADER_DESCRIPTIONS, type Route } from '../contract.ts'
import { type TaggedText, TextCache } from '../text-cache.ts'
import { CONFIG_TAG, describeErrorResponse, Operations } from './operation.ts'
import { getCacheKeyWithoutRules, resolveApiWithoutRules, resolveVisibleApi, type VisibleApi } from './visible-api.ts'

interface OpenApiParts {
  readonly model: Model
  readonly routes: readonly Route[]
  /** The name of the cookie that holds a session. */
  readonly sessionCookie: string
}

/** The OpenAPI documents of a service, one for each kind of caller. Each is built at its first request. */
export class OpenApi {
  readonly #parts: OpenApiParts
  readonly #texts = new TextCache()

  constructor(parts: OpenApiParts) {
    this.#parts = parts
  }

  /** Returns the document for a caller. It contains nothing that the caller may not know. */
  async for(access: Access): Promise<TaggedText> {
    const { model, routes, sessionCookie } = this.#parts
    const ruledApi = hasRules(model) ? await resolveVisibleApi(model, routes, access) : undefined
    return this.#texts.get(ruledApi?.cacheKey ?? getCacheKeyWithoutRules(model, access), async () => {
      const visibleApi = ruledApi ?? resolveApiWithoutRules(model, routes, access)
      return JSON.stringify(await buildDocument(model, visibleApi, sessionCookie))
    })
  }

  /** Builds the document for callers without a session. */
  async prepare(): Promise<void> {
    await this.for(new Access(this.#parts.model, ANONYMOUS))
  }
}

function hasRules({ collections, globals }: Model): boolean {
  return [...collections.values(), ...globals.values()].some(
    ({ access, fields, authorRule }) =>
      typeof authorRule === 'function' ||
      Object.values(access).some((rule) => rule !== undefined) ||
      fields.some((field) => field.access.read !== undefined || field.access.write !== undefined),
  )
}

const ABOUT =
  'Generated from the routes and the content model of this service, for the present caller: with a session, it also contains ' +
  'everything that the session may see. Every GET operation also supports HEAD.'

/**
 * Builds the OpenAPI 3.1 document of a service for one caller. Other requests may run after each path and schema, since a large
 * model takes long.
 *
 * @param sessionCookie the name of the cookie that holds a session
 */
async function buildDocument(model: Model, visibleApi: VisibleApi, sessionCookie: string): Promise<object> {
  const operations = new Operations(model, visibleApi)
  const { components } = operations
  components.schemas.set('Error', ERROR)
  const paths: Record<string, object> = {}
  for (const routes of groupByAddress(visibleApi.routes)) {
    // The placeholders of the last route apply to all.
    const path = toOpenApiPath(routes.at(-1) as Route)
    for (const route of routes) {
      const method = route.method.toLowerCase()
      for (const [name, action] of Object.entries(route.actions ?? {})) {
        const actionPath = route.path.replace(/:\w+$/, encodeURIComponent(name))
        paths[actionPath] = { [method]: operations.ofAction(route, name, action) }
      }
    }
    paths[path] = Object.fromEntries(
      routes.map((route) => [route.method.toLowerCase(), operations.ofRoute(route, path)]),
    )
    await turn()
  }
  await components.buildSchemas()
  return {
    openapi: '3.1.0',
    info: { title: 'Daybook', version: getDaybookVersion(), description: ABOUT },
    servers: [{ url: '/' }],
    tags: buildTags(visibleApi),
    paths,
    components: {
      schemas: Object.fromEntries(components.schemas),
      parameters: Object.fromEntries(components.parameters),
      headers: RESPONSE_HEADERS,
      responses: { ...Object.fromEntries(components.responses), ...ERROR_RESPONSES },
      securitySchemes: {
        sessionCookie: { type: 'apiKey', in: 'cookie', name: sessionCookie },
        bearerAuth: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

/** Groups routes by address, regardless of the names of their placeholders. */
function groupByAddress(routes: readonly Route[]): Iterable<readonly Route[]> {
  // A path with a trailing slash is equivalent to the one without, and not a separate operation.
  const described = routes.filter(({ path }) => path === '/' || !path.endsWith('/'))
  return Map.groupBy(described, (route) => toOpenApiPath(route).replace(/\{\w+\}/g, '{}')).values()
}

/** Returns the OpenAPI path of a route, with the key of its collection or global. */
const toOpenApiPath = ({ path, resource }: Route): string =>
  path.replace(/:(\w+)|\*$/g, (_, name = 'path') =>
    resource && name === KEY_PLACEHOLDERS[resource.kind] ? resource.key : `{${name}}`,
  )

const KEY_PLACEHOLDERS = { collection: 'collection', global: 'key' } as const

function buildTags({ documents, routes }: VisibleApi): readonly object[] {
  const collections = [...documents.keys()].filter(({ kind }) => kind === 'collection')
  return [
    ...collections.map(({ key, description }) => ({
      name: key,
      ...(description === undefined ? {} : { description }),
    })),
    { name: 'globals', description: 'Single documents.' },
    { name: 'auth', description: 'The session, sign-in and sign-out.' },
    { name: 'cms', description: 'The service itself.' },
    ...buildContributedTags(routes, new Set(collections.map(({ key }) => key))),
  ]
}

/** Returns a tag for each plugin with routes, and one for routes of the config, unless a collection has the same tag. */
function buildContributedTags(routes: readonly Route[], collectionTags: ReadonlySet<string>): readonly object[] {
  const plugins = new Set(routes.flatMap(({ plugin }) => plugin ?? []))
  const tags = [...plugins].map((name) => ({ name, description: `Routes of the plugin ${name}.` }))
  const hasOwn = !plugins.has(CONFIG_TAG) && routes.some(({ plugin }) => plugin === null)
  const all = hasOwn ? [{ name: CONFIG_TAG, description: 'Routes of the config.' }, ...tags] : tags
  return all.filter(({ name }) => !collectionTags.has(name) && !SERVICE_TAGS.includes(name))
}

const SERVICE_TAGS: readonly string[] = ['globals', 'auth', 'cms']

const REQUEST_ID: JsonSchema = { type: 'string', pattern: '^[\\w.-]{8,64}$' }

const ISSUE: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'JSON Pointer (RFC 6901) into the body, or the name of the parameter.' },
    code: { type: 'string', description: 'The rule that the value violates.' },
    params: { type: 'object', description: 'The values that the message mentions.' },
    message: { type: 'string', description: 'What is wrong, where, and what to do, in whole sentences.' },
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

function makeExampleError(code: ErrorCode): object {
  const error =
    code === 'VALIDATION_ERROR'
      ? validationErrorAt('limit', 'type', 'must be a whole number, 0 or more', { types: ['integer'] })
      : new DaybookError(code)
  return { code, message: error.message, details: error.details, requestId: EXAMPLE_ID }
}

const ERROR_RESPONSES: object = Object.fromEntries(
  ERROR_CODES.map((code) => [code, describeErrorResponse(code, makeExampleError(code))]),
)

/** The schemas of headers with a format. */
const HEADER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  'Daybook-First-Seq': { type: 'integer', minimum: 1 },
  'Daybook-Seq': { type: 'integer', minimum: 1 },
  ETag: { type: 'string', pattern: '^"[^"]+"$' },
  'Idempotency-Replayed': { const: 'true' },
  'Retry-After': { type: 'integer', minimum: 0 },
  'X-Request-Id': REQUEST_ID,
}

const RESPONSE_HEADERS: object = Object.fromEntries(
  Object.entries({ ...HEADER_DESCRIPTIONS, 'X-Request-Id': 'The id of the request, for error reports.' }).map(
    ([name, description]) => [name, { description, schema: HEADER_SCHEMAS[name] ?? { type: 'string' } }],
  ),
)
