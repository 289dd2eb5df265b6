import { STATUS_CODES } from 'node:http'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { Model } from '../../model/model.ts'
import {
  type ActionContract,
  type BodyContract,
  getErrorHeaders,
  type HeaderName,
  type ResponseContract,
  type Route,
} from '../contract.ts'
import { REQUEST_HEADERS } from '../request-headers.ts'
import { Components, type Ref, toPascalCase } from './components.ts'
import { ContractSchemas, holdsDocument } from './contract-schemas.ts'
import { QueryParameters } from './parameters.ts'
import type { VisibleApi } from './visible-api.ts'

/** The member of a media type with the schema of the response to `locale=all`. */
const ALL_LOCALES_MEMBER = 'x-daybook-all-locales'
/** The member of a media type with the schema of the response to `deleted=true`. */
const DELETED_MEMBER = 'x-daybook-deleted'

const REQUIRED: readonly object[] = [{ sessionCookie: [] }, { bearerAuth: [] }]
const OPTIONAL: readonly object[] = [{}, ...REQUIRED]

/** The response of an auth adapter, which the contract does not describe. */
const ADAPTER_RESPONSE: object = { default: { description: 'The response of the auth adapter.' } }

/** Describes the routes that one caller may know. */
export class Operations {
  readonly components: Components = new Components()
  readonly #visibleApi: VisibleApi
  readonly #schemas: ContractSchemas
  readonly #queryParameters: QueryParameters

  constructor(model: Model, visibleApi: VisibleApi) {
    this.#visibleApi = visibleApi
    this.#schemas = new ContractSchemas(model, visibleApi, this.components)
    this.#queryParameters = new QueryParameters(visibleApi, this.components)
  }

  /**
   * Returns the operation of a route.
   *
   * @param path the OpenAPI path; routes may use different names for the same placeholder
   */
  ofRoute(route: Route, path: string): object {
    const { summary, description, requestHeaders, body, responses: responseContracts, errors } = route
    const responses = responseContracts?.map((contract) => [contract.status, this.#response(route, contract)] as const)
    return {
      operationId: getOperationId(route),
      summary,
      description,
      tags: [getTag(route)],
      parameters: [
        ...this.#pathParameters(route, path),
        ...buildRequestHeaderRefs(requestHeaders),
        ...this.#queryParameterRefs(route),
      ],
      requestBody: body && describeRequestBody(body, this.#schemas.body(route, body.schema)),
      responses: { ...(responses ? Object.fromEntries(responses) : ADAPTER_RESPONSE), ...buildErrorRefs(errors) },
      security: this.#security(route),
    }
  }

  ofAction(route: Route, name: string, action: ActionContract): object {
    const { input = { type: 'object' }, output, description, status = '2XX' } = action
    const id = `auth${toPascalCase(name)}`
    const isRequired = Array.isArray(input.required) && input.required.length > 0
    const response = {
      description: 'The response of the auth adapter to a success.',
      content: output && { 'application/json': { schema: this.#schemas.named(`${id}Output`, output) } },
    }
    return {
      operationId: id,
      summary: description ?? `Runs the action ${name} of the auth adapter.`,
      tags: [getTag(route)],
      parameters: buildRequestHeaderRefs(route.requestHeaders),
      requestBody: describeRequestBody(
        { ...(route.body as BodyContract), isRequired },
        this.#schemas.named(`${id}Input`, input),
      ),
      responses: { [status]: response, ...ADAPTER_RESPONSE, ...buildErrorRefs(route.errors) },
      security: OPTIONAL,
    }
  }

  /** Returns the parameters in the order of the path. */
  #pathParameters({ path: routePath, pathParameters = {}, resource }: Route, path: string): readonly object[] {
    const routeNames = [...routePath.matchAll(/:(\w+)|\*/g)]
      .map(([, name = '*']) => name)
      .filter((name) => !resource || (name !== 'collection' && name !== 'key'))
    return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ''], index) => {
      const routeName = routeNames[index] ?? '*'
      const contract = pathParameters[routeName] ?? { schema: { type: 'string', minLength: 1 } }
      const parameter = { name, in: 'path', required: true, ...contract }
      return resource ? this.components.addShared('parameters', routeName, parameter) : parameter
    })
  }

  #queryParameterRefs({ parameters = {}, resource }: Route): readonly Ref[] {
    return Object.entries(parameters).flatMap(
      ([name, parameter]) => this.#queryParameters.ref(name, parameter, resource) ?? [],
    )
  }

  #response(route: Route, contract: ResponseContract): object {
    const { status, description, headers, extraHeaders, schema, mediaType = 'application/json' } = contract
    const { resource } = route
    const isOfDocument = resource !== undefined && holdsDocument(resource, schema)
    // As parts of the schema, the variants would turn each localized value into a union of text and map, and each list into a union
    // of two kinds, for all clients.
    const variants = isOfDocument && {
      [ALL_LOCALES_MEMBER]: this.#schemas.allLocales(route, contract),
      [DELETED_MEMBER]: this.#schemas.deleted(contract),
    }
    const response = {
      description,
      headers: buildHeaderRefs(headers, extraHeaders),
      content: schema && { [mediaType]: { schema: this.#schemas.response(route, contract), ...variants } },
    }
    if (!resource || isOfDocument) return response
    const { name = String(STATUS_CODES[status]).replaceAll(' ', '') } = contract
    return this.components.addShared('responses', toPascalCase(name), response)
  }

  #security(route: Route): readonly object[] {
    if (route.isProbe) return []
    return this.#visibleApi.sessionRoutes.has(route) ? REQUIRED : OPTIONAL
  }
}

/**
 * Returns the unique id of a route's operation, for client generators: `listPosts`, `createPostsEntry`, `patchPostsMany`. Each kind of
 * id has a different combination of prefix and suffix.
 */
export function getOperationId({ operationId, resource }: Route): string {
  if (!resource) return operationId
  const key = toPascalCase(resource.key)
  return operationId.replace(/(?:Entries|Entry|Many|Global|References)$/, (kind) => {
    if (kind === 'Entries') return key
    return kind === 'References' ? `ReferencesTo${key}` : `${key}${kind}`
  })
}

export const CONFIG_TAG = 'custom'

function getTag({ path, resource, plugin }: Route): string {
  if (plugin !== undefined) return plugin ?? CONFIG_TAG
  if (resource?.kind === 'collection') return resource.key
  if (resource) return 'globals'
  return path.includes('/auth') ? 'auth' : 'cms'
}

const buildRequestHeaderRefs = (requestHeaders: Route['requestHeaders']): readonly Ref[] =>
  requestHeaders.map((condition) => ({ $ref: `#/components/parameters/${REQUEST_HEADERS[condition].name}` }))

const describeRequestBody = (
  { description, mediaTypes, isRequired = true }: BodyContract,
  schema: JsonSchema,
): object => ({
  description,
  required: isRequired,
  content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }])),
})

/** OpenAPI does not list the media type as a header. Every response has the id of the request. */
function buildHeaderRefs(names: readonly HeaderName[], extraHeaders: Readonly<Record<string, string>> = {}): object {
  const refs = [...names.filter((name) => name !== 'Content-Type'), 'X-Request-Id'].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ])
  const extraRefs = Object.entries(extraHeaders)
    .filter(([name]) => name.toLowerCase() !== 'content-type')
    .map(([name, description]) => [name, { description, schema: { type: 'string' } }])
  return Object.fromEntries([...refs, ...extraRefs])
}

/** Each error status belongs to one code. */
const buildErrorRefs = (codes: readonly ErrorCode[]): object =>
  Object.fromEntries(codes.map((code) => [ERRORS[code].status, { $ref: `#/components/responses/${code}` }]))

export const describeErrorResponse = (code: ErrorCode, example: object): object => ({
  description: ERRORS[code].message,
  headers: buildHeaderRefs(getErrorHeaders(code)),
  content: {
    'application/json': {
      schema: { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { const: code } } }] },
      example,
    },
  },
})
