import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { LRUCache } from 'lru-cache'
import { expect } from 'vitest'
import type { Service } from '../../../src/service.ts'
import { requireEqual, requireMatch, requireSame } from './require.ts'
import type { TestRequest, TestResponse } from './transports.ts'

/** An operation of the document, as far as it is looked at here. */
export interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly responses: Readonly<Record<string, ResponsePart>>
}

interface ResponsePart {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, unknown>>
}

/** An OpenAPI document, as far as it is looked at here. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Statuses without an operation: of the HTTP parser, and of unsupported methods. */
const STATUSES_WITHOUT_OPERATION = [405, 408, 414, 417, 431]
/** Headers that any response may have: of the connection, of CORS and of caches. */
const COMMON_HEADERS =
  /^(?:connection|content-length|content-type|date|keep-alive|transfer-encoding|vary|x-content-type-options|access-control-.*|cache-control)$/

/** The member of a media type with the schema of the response to `locale=all`. */
const ALL_LOCALES = 'x-daybook-all-locales'
/** The member with the schema of the response to `deleted=true`. */
const DELETED = 'x-daybook-deleted'

/** A parameter of an operation, with its pointer in the document. */
interface DeclaredParameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly style?: string
  readonly pointer: string
}

/** The operation of a request, with its path in the document. */
interface MatchedOperation {
  readonly operation: Operation
  readonly at: readonly string[]
}

/** Checks requests and responses against the OpenAPI document of a caller. */
export class DocumentedService {
  readonly #document: Document
  readonly #ajv: Ajv2020
  /** Validates the values of nested parameters, which are texts. */
  readonly #texts: Ajv2020
  readonly #paths: readonly { readonly path: string; readonly pattern: RegExp }[]
  readonly #validators = new Map<string, ValidateFunction>()
  readonly #parts = new Map<string, unknown>()
  readonly #parameters = new Map<Operation, readonly DeclaredParameter[]>()
  readonly #headers = new Map<string, ReadonlyMap<string, string>>()

  constructor(document: Document) {
    this.#document = document
    this.#ajv = makeAjv(document, {})
    this.#texts = makeAjv(document, { coerceTypes: true })
    // Paths without parameters come first.
    const paths = Object.keys(document.paths).sort((item, other) => item.split('{').length - other.split('{').length)
    this.#paths = paths.map((path) => ({ path, pattern: toPattern(path) }))
  }

  check(sent: TestRequest, response: TestResponse): void {
    const { method, path: target } = sent
    const match = this.#find(sent)
    if (!match) {
      // An operation that the caller may not know is rejected.
      if (method !== 'OPTIONS')
        requireSame(
          response.status >= 400,
          true,
          `${method} ${target} is rejected with ${response.status}: it is not documented`,
        )
      return
    }
    if (STATUSES_WITHOUT_OPERATION.includes(response.status)) return
    if (response.status < 400) requireEqual(this.#faultsOf(match, sent), [], `${method} ${target} was accepted`)
    // The schema does not cover `draft` and `preview`, because it would then be weaker for all other responses.
    const isDraft = /[?&](?:draft=true|preview=)/.test(target)
    this.#checkResponse(
      match.operation,
      match.at,
      isDraft && response.status < 400 ? { ...response, text: '' } : response,
      sent,
    )
  }

  /** Finds the faults of a request by the document. */
  faultsOf(sent: TestRequest): readonly string[] {
    const match = this.#find(sent)
    return match ? this.#faultsOf(match, sent) : ['no such operation']
  }

  #find({ method, path: target }: TestRequest): MatchedOperation | undefined {
    const path = decoded(target.split('?')[0] ?? '')
    const match = this.#paths.find(({ pattern }) => pattern.test(path))
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    const operation = match && this.#document.paths[match.path]?.[verb]
    return operation && { operation, at: ['paths', match.path, verb] }
  }

  #faultsOf({ operation, at }: MatchedOperation, { path, headers, body }: TestRequest): readonly string[] {
    const query = new URLSearchParams(path.split('?')[1] ?? '')
    // The schema of a body cannot depend on the query: in a draft, any field may be empty.
    const isDraft = query.get('draft') === 'true'
    return [
      ...this.#queryFaults(operation, at, query),
      ...(isDraft ? [] : this.#bodyFaults(operation, at, headers, body)),
    ]
  }

  #queryFaults(operation: Operation, at: readonly string[], query: URLSearchParams): readonly string[] {
    const declared = this.#declaredParameters(operation, at)
    const byParameter = Map.groupBy(query.keys(), (name) =>
      declared.find(
        (item) => item.in === 'query' && item.name === (item.style === 'deepObject' ? name.split('[')[0] : name),
      ),
    )
    const absent = declared.filter((item) => item.in === 'query' && item.required && !byParameter.has(item))
    const present = [...byParameter].flatMap(([parameter, names]) => {
      if (!parameter) return names.map((name) => `the parameter ${name} is not documented`)
      const value = parameterValue(parameter, [...new Set(names)], query)
      if (value === undefined) return [`the parameter ${parameter.name} is not written as documented`]
      const pointer = `${parameter.pointer}/schema`
      if (parameter.style === 'deepObject') return this.#faults(pointer, value, parameter.name, this.#texts)
      return this.#faults(pointer, typeof value === 'string' ? this.#typed(pointer, value) : value, parameter.name)
    })
    return [...absent.map(({ name }) => `the parameter ${name} is missing`), ...present]
  }

  #declaredParameters(operation: Operation, at: readonly string[]): readonly DeclaredParameter[] {
    return getOrCreate(this.#parameters, operation, () =>
      operation.parameters.map(({ $ref, ...inline }, index) => ({
        ...(($ref ? this.#at($ref) : inline) as DeclaredParameter),
        pointer: $ref ?? pointerTo(...at, 'parameters', String(index)),
      })),
    )
  }

  #bodyFaults(
    { requestBody }: Operation,
    at: readonly string[],
    headers: TestRequest['headers'],
    body: TestRequest['body'],
  ) {
    const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
    const media = type.split(';')[0]?.toLowerCase() ?? ''
    if (typeof body !== 'string' || !media.endsWith('json') || !requestBody) return []
    // Every +json type is accepted as JSON. Texts are normalized before they are validated.
    const documented = Object.hasOwn(requestBody.content, media) ? media : 'application/json'
    const pointer = pointerTo(...at, 'requestBody', 'content', documented, 'schema')
    return this.#faults(pointer, JSON.parse(body.normalize('NFC')), 'the body')
  }

  #checkResponse(
    operation: Operation,
    at: readonly string[],
    { status, headers, text }: TestResponse,
    sent: TestRequest,
  ): void {
    const { responses, operationId } = operation
    const kind = [String(status), `${String(status).charAt(0)}XX`, 'default'].find((item) =>
      Object.hasOwn(responses, item),
    )
    if (kind === undefined) expect.fail(`${operationId} does not document the status ${status}`)
    const pointer = responses[kind]?.$ref ?? pointerTo(...at, 'responses', kind)
    // The responses of an adapter are not documented, including their headers.
    if (!Object.hasOwn(responses, 'default')) this.#checkHeaders(operationId, pointer, headers)
    const type = headers.get('content-type')?.split(';')[0] ?? ''
    if (text === '' || sent.method === 'HEAD' || kind === 'default') return
    const { content = {} } = this.#at(pointer) as ResponsePart
    // For a range of media types, only the type is documented.
    if (Object.hasOwn(content, type.replace(/\/.*/, '/*'))) return
    if (!Object.hasOwn(content, type)) expect.fail(`${operationId} does not document ${type} for ${status}`)
    const value = type.endsWith('json') && type !== 'application/x-ndjson' ? JSON.parse(text) : text
    const isAllLocales = /[?&]locale=all(?:&|$)/.test(sent.path) && Object.hasOwn(Object(content[type]), ALL_LOCALES)
    const isDeleted = /[?&]deleted=true(?:&|$)/.test(sent.path) && Object.hasOwn(Object(content[type]), DELETED)
    const [member = 'schema'] = [...(isAllLocales ? [ALL_LOCALES] : []), ...(isDeleted ? [DELETED] : [])]
    this.#expectValid(`${pointer}/content/${escapeKey(type)}/${member}`, value, `${operationId} ${status}`)
  }

  #checkHeaders(operationId: string, response: string, headers: Headers): void {
    const declared = this.#declaredHeaders(response)
    for (const [name, value] of headers) {
      const pointer = declared.get(name)
      if (pointer === undefined) requireMatch(name, COMMON_HEADERS, `a header that ${operationId} documents`)
      else this.#expectText(pointer, value, `${operationId}, header ${name}`)
    }
  }

  /** Finds the pointers to the schemas of a response's headers, by lower-case name. */
  #declaredHeaders(response: string): ReadonlyMap<string, string> {
    return getOrCreate(this.#headers, response, () => {
      const { headers = {} } = this.#at(response) as ResponsePart
      return new Map(
        Object.keys(headers).map((name) => {
          const inline = `${response}/headers/${name}`
          const { $ref = inline } = this.#at(inline) as { readonly $ref?: string }
          return [name.toLowerCase(), `${$ref}/schema`]
        }),
      )
    })
  }

  /** Reads the value at a pointer of the document. */
  #at(pointer: string): unknown {
    return getOrCreate(this.#parts, pointer, () => {
      const keys = pointer
        .slice(2)
        .split('/')
        .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
      return keys.reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>>)[key], this.#document)
    })
  }

  /** Parses the text of a parameter or header as a number or boolean if its schema has that type. */
  #typed(pointer: string, text: string): unknown {
    const { type } = this.#at(pointer) as { readonly type?: unknown }
    if (type === 'integer' && /^\d{1,16}$/.test(text)) return Number(text)
    return type === 'boolean' && /^(?:true|false)$/.test(text) ? text === 'true' : text
  }

  #expectText(pointer: string, text: string, what: string): void {
    this.#expectValid(pointer, this.#typed(pointer, text), what)
  }

  #expectValid(pointer: string, value: unknown, what: string): void {
    const faults = this.#faults(pointer, value, what)
    if (faults.length > 0) expect(faults, `${what}: ${JSON.stringify(value)?.slice(0, 500)}`).toEqual([])
  }

  /** Finds the faults of a value by the schema at a pointer. */
  #faults(pointer: string, value: unknown, what: string, ajv = this.#ajv): readonly string[] {
    const validate = getOrCreate(this.#validators, pointer, () => ajv.compile({ $ref: `document${pointer}` }))
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`)
  }
}

function makeAjv(document: Document, options: { readonly coerceTypes?: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, ...options })
  // The package is CommonJS; its default export is the function itself at run time.
  ;(addFormats as unknown as (to: Ajv2020) => void)(ajv)
  return ajv.addSchema(document, 'document')
}

/** Parses the value of a parameter by its style; `undefined` if it has another form. */
function parameterValue({ name, style }: DeclaredParameter, names: readonly string[], query: URLSearchParams): unknown {
  if (style === 'deepObject') return nestedValue(names, query)
  const values = query.getAll(name)
  if (style === 'form') return values.flatMap((item) => item.split(','))
  return values.length === 1 ? values[0] : undefined
}

/** The last parts of names whose values are lists. */
const LISTS: readonly string[] = ['in', 'nin', 'all', 'sort', 'status']

/** Parses the keys of a name in brackets. `isWhole`: `[]` ends the name, so commas do not separate values. */
function bracketed(name: string): { readonly path: string[]; readonly isWhole: boolean } {
  const [, brackets, ending] = /^\w+((?:\[[^[\]]+\])+)(\[\])?$/.exec(name) ?? []
  return { path: brackets?.slice(1, -1).split('][') ?? [], isWhole: ending !== undefined }
}

/** Parses nested parameters, such as `where[a][eq]=1&where[or][0][b][in]=2,3`. */
function nestedValue(names: readonly string[], query: URLSearchParams): object | undefined {
  const root: Record<string, unknown> = {}
  for (const name of names) {
    const { path, isWhole } = bracketed(name)
    const last = path.pop()
    if (last === undefined) return undefined
    let node = root
    for (const key of path) {
      node[key] ??= {}
      if (typeof node[key] !== 'object') return undefined
      node = node[key] as Record<string, unknown>
    }
    const values = query.getAll(name)
    const isList = LISTS.includes(last)
    if (node[last] !== undefined || (!isList && values.length > 1)) return undefined
    node[last] = isList ? values.flatMap((item) => (isWhole ? item : item.split(','))) : values[0]
  }
  return withLists(root) as object
}

/** Converts objects whose keys are numbers to lists. */
function withLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, withLists(inner)] as const)
  const isList = entries.length > 0 && entries.every(([key]) => /^\d{1,3}$/.test(key))
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

function getOrCreate<Key, Value>(all: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = all.get(key) ?? make()
  all.set(key, value)
  return value
}

const escapeKey = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

const pointerTo = (...keys: readonly string[]): string => `#/${keys.map(escapeKey).join('/')}`

/** Decodes a path; an invalid one stays. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function toPattern(path: string): RegExp {
  const literal = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replace(/\{path\}/g, '.+').replace(/\{\w+\}/g, '[^/]+')}$`)
}

/** The checks by tag of the document, shared by services of one config. */
const servicesByTag = new LRUCache<string, DocumentedService>({ max: 20 })

/** The tags of the documents of each service, one for each kind of caller. */
const tagsByService = new WeakMap<object, Set<string>>()

/** Checks a response against the OpenAPI document of its caller. */
export async function expectDocumented(
  service: Pick<Service, 'fetch'>,
  sent: TestRequest,
  response: TestResponse,
): Promise<void> {
  const document = await documentFor(service, sent)
  document?.check(sent, response)
}

/** Reads the document for the caller of a request; `undefined` if the caller cannot be identified. */
async function documentFor(
  service: Pick<Service, 'fetch'>,
  { headers }: TestRequest,
): Promise<DocumentedService | undefined> {
  const tags = tagsByService.get(service) ?? new Set()
  tagsByService.set(service, tags)
  const credentials = new Headers(Object.entries(headers).filter(([name]) => /^(?:authorization|cookie)$/i.test(name)))
  // Only the tag matters, so a document that was read before need not be sent again.
  if (tags.size > 0) credentials.set('If-None-Match', [...tags].join(', '))
  const response = await service.fetch(new Request('http://daybook.test/openapi.json', { headers: credentials }))
  if (response.status >= 500) return undefined
  const tag = response.headers.get('etag') ?? ''
  if (response.status !== 304) requireSame(response.status, 200, 'the status of the document')
  tags.add(tag)
  const documented = servicesByTag.get(tag) ?? new DocumentedService(JSON.parse(await response.text()))
  servicesByTag.set(tag, documented)
  return documented
}
