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

/** Statuses of requests that the HTTP parser refuses before there is an operation, and of methods that no path has. */
const OF_NO_OPERATION = [405, 408, 414, 417, 431]
/** Headers of every answer, of a connection or of CORS. */
const OF_ANY_ANSWER =
  /^(?:connection|content-length|content-type|date|keep-alive|transfer-encoding|vary|x-content-type-options|access-control-.*|cache-control)$/

/** The member of a media type with the schema of the response to `locale=all`. */
const ALL_LOCALES = 'x-daybook-all-locales'
/** The same of the response to `deleted=true`. */
const DELETED = 'x-daybook-deleted'

/** A parameter of an operation, and where it stands in the document. */
interface DeclaredParameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly style?: string
  readonly pointer: string
}

/** An operation that a request is for, and where it stands in the document. */
interface FoundOperation {
  readonly operation: Operation
  readonly at: readonly string[]
}

/** The OpenAPI document that one reader gets, and what it says of requests and answers. */
export class DocumentedService {
  readonly #document: Document
  readonly #ajv: Ajv2020
  /** Reads the values of nested parameters, which are texts. */
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
    // Addresses without open places come first.
    const paths = Object.keys(document.paths).sort((one, other) => one.split('{').length - other.split('{').length)
    this.#paths = paths.map((path) => ({ path, pattern: toPattern(path) }))
  }

  /** Checks an answer to a request against what the document says of it. */
  check(sent: TestRequest, answer: TestResponse): void {
    const { method, path: target } = sent
    const found = this.#find(sent)
    if (!found) {
      // What is not there for the reader is refused, whatever is asked of it.
      if (method !== 'OPTIONS')
        requireSame(
          answer.status >= 400,
          true,
          `${method} ${target} is refused with ${answer.status}: it is not documented`,
        )
      return
    }
    if (OF_NO_OPERATION.includes(answer.status)) return
    if (answer.status < 400) requireEqual(this.#faultsOf(found, sent), [], `${method} ${target} was taken`)
    // What a parameter asks for besides is told in its words: a schema that knew it would say less of all other answers.
    const isDraft = /[?&](?:draft=true|preview=)/.test(target)
    this.#checkAnswer(
      found.operation,
      found.at,
      isDraft && answer.status < 400 ? { ...answer, text: '' } : answer,
      sent,
    )
  }

  /** What the document refuses in a request to one of its operations. */
  faultsOf(sent: TestRequest): readonly string[] {
    const found = this.#find(sent)
    return found ? this.#faultsOf(found, sent) : ['no such operation']
  }

  #find({ method, path: target }: TestRequest): FoundOperation | undefined {
    const path = decoded(target.split('?')[0] ?? '')
    const found = this.#paths.find(({ pattern }) => pattern.test(path))
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    const operation = found && this.#document.paths[found.path]?.[verb]
    return operation && { operation, at: ['paths', found.path, verb] }
  }

  #faultsOf({ operation, at }: FoundOperation, { path, headers, body }: TestRequest): readonly string[] {
    const query = new URLSearchParams(path.split('?')[1] ?? '')
    // No schema of a body can ask for the query: of a working copy, any field may be empty.
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
        (one) => one.in === 'query' && one.name === (one.style === 'deepObject' ? name.split('[')[0] : name),
      ),
    )
    const absent = declared.filter((one) => one.in === 'query' && one.required && !byParameter.has(one))
    const present = [...byParameter].flatMap(([parameter, names]) => {
      if (!parameter) return names.map((name) => `the parameter ${name} is not documented`)
      const value = parameterValue(parameter, [...new Set(names)], query)
      if (value === undefined) return [`the parameter ${parameter.name} is not written as documented`]
      const pointer = `${parameter.pointer}/schema`
      if (parameter.style === 'deepObject') return this.#faults(pointer, value, parameter.name, this.#texts)
      return this.#faults(pointer, typeof value === 'string' ? this.#typed(pointer, value) : value, parameter.name)
    })
    return [...absent.map(({ name }) => `the parameter ${name} is not there`), ...present]
  }

  #declaredParameters(operation: Operation, at: readonly string[]): readonly DeclaredParameter[] {
    return kept(this.#parameters, operation, () =>
      operation.parameters.map(({ $ref, ...own }, index) => ({
        ...(($ref ? this.#at($ref) : own) as DeclaredParameter),
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
    // Every +json type is taken as JSON is; texts are brought into one Unicode form before they are checked.
    const documented = Object.hasOwn(requestBody.content, media) ? media : 'application/json'
    const pointer = pointerTo(...at, 'requestBody', 'content', documented, 'schema')
    return this.#faults(pointer, JSON.parse(body.normalize('NFC')), 'the body')
  }

  #checkAnswer(
    operation: Operation,
    at: readonly string[],
    { status, headers, text }: TestResponse,
    sent: TestRequest,
  ): void {
    const { responses, operationId } = operation
    const kind = [String(status), `${String(status).charAt(0)}XX`, 'default'].find((one) =>
      Object.hasOwn(responses, one),
    )
    if (kind === undefined) expect.fail(`${operationId} does not document the status ${status}`)
    const pointer = responses[kind]?.$ref ?? pointerTo(...at, 'responses', kind)
    // What an adapter answers is its own business, its headers included.
    if (!Object.hasOwn(responses, 'default')) this.#checkHeaders(operationId, pointer, headers)
    const type = headers.get('content-type')?.split(';')[0] ?? ''
    if (text === '' || sent.method === 'HEAD' || kind === 'default') return
    const { content = {} } = this.#at(pointer) as ResponsePart
    // Of what a range stands for, nothing but the type is known.
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
      if (pointer === undefined) requireMatch(name, OF_ANY_ANSWER, `a header that ${operationId} documents`)
      else this.#expectText(pointer, value, `${operationId}, header ${name}`)
    }
  }

  /** Pointers to the schemas of a response's headers, by their names in lower case. */
  #declaredHeaders(response: string): ReadonlyMap<string, string> {
    return kept(this.#headers, response, () => {
      const { headers = {} } = this.#at(response) as ResponsePart
      return new Map(
        Object.keys(headers).map((name) => {
          const own = `${response}/headers/${name}`
          const { $ref = own } = this.#at(own) as { readonly $ref?: string }
          return [name.toLowerCase(), `${$ref}/schema`]
        }),
      )
    })
  }

  /** What stands at a pointer of the document. */
  #at(pointer: string): unknown {
    return kept(this.#parts, pointer, () => {
      const keys = pointer
        .slice(2)
        .split('/')
        .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
      return keys.reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>>)[key], this.#document)
    })
  }

  /** The value of a parameter or a header, which has no type: a number, true or false may be written in it. */
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

  /** What the schema at a pointer refuses in a value. */
  #faults(pointer: string, value: unknown, what: string, ajv = this.#ajv): readonly string[] {
    const validate = kept(this.#validators, pointer, () => ajv.compile({ $ref: `document${pointer}` }))
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

/** The value of a parameter, as its style writes it; `undefined` when it is written otherwise. */
function parameterValue({ name, style }: DeclaredParameter, names: readonly string[], query: URLSearchParams): unknown {
  if (style === 'deepObject') return nestedValue(names, query)
  const values = query.getAll(name)
  if (style === 'form') return values.flatMap((one) => one.split(','))
  return values.length === 1 ? values[0] : undefined
}

/** The last part of a name whose value is a list. */
const LISTS: readonly string[] = ['in', 'nin', 'all', 'sort', 'status']

/** The keys of a name in brackets, and whether `[]` ends it, so that no comma divides its values. */
function bracketed(name: string): { readonly path: string[]; readonly isWhole: boolean } {
  const [, brackets, ending] = /^\w+((?:\[[^[\]]+\])+)(\[\])?$/.exec(name) ?? []
  return { path: brackets?.slice(1, -1).split('][') ?? [], isWhole: ending !== undefined }
}

/** The object that `where[a][eq]=1&where[or][0][b][in]=2,3` writes. */
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
    node[last] = isList ? values.flatMap((one) => (isWhole ? one : one.split(','))) : values[0]
  }
  return withLists(root) as object
}

/** Objects whose keys are numbers are lists. */
function withLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, withLists(inner)] as const)
  const isList = entries.length > 0 && entries.every(([key]) => /^\d{1,3}$/.test(key))
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

function kept<Key, Value>(all: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = all.get(key) ?? make()
  all.set(key, value)
  return value
}

const escapeKey = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

const pointerTo = (...keys: readonly string[]): string => `#/${keys.map(escapeKey).join('/')}`

/** A path as routes match it; one that is not well-formed names none. */
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

/** By tag: services of one config say the same. Files that share a process have few configs in common. */
const known = new LRUCache<string, DocumentedService>({ max: 20 })

/** The tags that each service has given, one for each kind of reader. */
const given = new WeakMap<object, Set<string>>()

/** Checks an answer against the document that the one who asked would get. */
export async function expectDocumented(
  service: Pick<Service, 'fetch'>,
  sent: TestRequest,
  answer: TestResponse,
): Promise<void> {
  const document = await documentFor(service, sent)
  document?.check(sent, answer)
}

/** Where nobody can say who asks, as while an adapter fails, there is no document. */
async function documentFor(
  service: Pick<Service, 'fetch'>,
  { headers }: TestRequest,
): Promise<DocumentedService | undefined> {
  const tags = given.get(service) ?? new Set()
  given.set(service, tags)
  const asked = new Headers(Object.entries(headers).filter(([name]) => /^(?:authorization|cookie)$/i.test(name)))
  // Only the answer's tag is of interest, so that it need not hold a document that was read before.
  if (tags.size > 0) asked.set('If-None-Match', [...tags].join(', '))
  const response = await service.fetch(new Request('http://daybook.test/openapi.json', { headers: asked }))
  if (response.status >= 500) return undefined
  const tag = response.headers.get('etag') ?? ''
  if (response.status !== 304) requireSame(response.status, 200, 'the status of the document')
  tags.add(tag)
  const documented = known.get(tag) ?? new DocumentedService(JSON.parse(await response.text()))
  known.set(tag, documented)
  return documented
}
