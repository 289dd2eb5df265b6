import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import type { Service } from '../../../src/service.ts'
import { requireMatch, requireSame } from './require.ts'
import type { Answer, Sent } from './transports.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly style?: string
}

/** A part of the document, as far as it is looked at here. */
interface Operation {
  readonly operationId: string
  readonly parameters: readonly ({ readonly $ref?: string } & Partial<Parameter>)[]
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly responses: Readonly<Record<string, ResponsePart>>
}

/** A parameter of the query string, and where it stands in the document. */
interface QueryParameter extends Parameter {
  readonly pointer: string
}

interface ResponsePart {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
  readonly content?: Readonly<Record<string, unknown>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Statuses of requests that the HTTP parser refuses before there is an operation, and of methods that no path has. */
const OF_NO_OPERATION = [405, 408, 414, 417, 431]
/** Headers of every answer, of a connection or of CORS. */
const OF_ANY_ANSWER =
  /^(?:connection|content-length|content-type|date|keep-alive|transfer-encoding|vary|x-content-type-options|access-control-.*|cache-control)$/

/** The OpenAPI document that one reader gets, and what it says of requests and answers. */
class DocumentedService {
  readonly #document: Document
  readonly #ajv: Ajv2020
  readonly #paths: readonly { readonly path: string; readonly pattern: RegExp }[]
  readonly #validators = new Map<string, ValidateFunction>()
  readonly #parts = new Map<string, unknown>()
  readonly #parameters = new Map<Operation, readonly QueryParameter[]>()
  readonly #headers = new Map<string, ReadonlyMap<string, string>>()

  constructor(document: Document) {
    this.#document = document
    this.#ajv = new Ajv2020({ strict: false, validateSchema: false })
    // The package is CommonJS; its default export is the function itself at run time.
    ;(addFormats as unknown as (to: Ajv2020) => void)(this.#ajv)
    this.#ajv.addSchema(document, 'document')
    // Addresses without open places come first.
    const paths = Object.keys(document.paths).sort((one, other) => one.split('{').length - other.split('{').length)
    this.#paths = paths.map((path) => ({ path, pattern: toPattern(path) }))
  }

  /** Checks an answer to a request against what the document says of it. */
  check({ method, path: target, headers, body }: Sent, answer: Answer): void {
    const [written = '', search = ''] = target.split('?')
    const path = decoded(written)
    const found = this.#paths.find(({ pattern }) => pattern.test(path))
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    const operation = found && this.#document.paths[found.path]?.[verb]
    if (!found || !operation) {
      // What is not there for the reader is refused, whatever is asked of it.
      if (method !== 'OPTIONS')
        requireSame(
          answer.status >= 400,
          true,
          `${method} ${path}, answered ${answer.status}, is refused: it is not documented`,
        )
      return
    }
    if (OF_NO_OPERATION.includes(answer.status)) return
    const at = ['paths', found.path, verb]
    if (answer.status < 400) this.#checkRequest(operation, at, new URLSearchParams(search), headers, body)
    this.#checkAnswer(operation, at, answer, method)
  }

  #checkRequest(
    operation: Operation,
    at: readonly string[],
    query: URLSearchParams,
    headers: Sent['headers'],
    body: Sent['body'],
  ): void {
    for (const name of new Set(query.keys())) {
      const parameter = this.#queryParameters(operation, at).find((one) => one.name === name.replace(/\[.*$/, ''))
      if (!parameter) expect.fail(`${operation.operationId} does not document the parameter ${name}`)
      if (parameter.style === 'deepObject') continue
      const values = query.getAll(name)
      const pointer = `${parameter.pointer}/schema`
      const what = `the parameter ${name}`
      if (parameter.style !== 'form') this.#expectText(pointer, values[0] ?? '', what)
      else
        this.#expectValid(
          pointer,
          values.flatMap((one) => one.split(',')),
          what,
        )
    }
    const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
    const media = type.split(';')[0]?.toLowerCase() ?? ''
    if (typeof body !== 'string' || !media.endsWith('json') || !operation.requestBody) return
    // Every +json type is taken as JSON is; texts are brought into one Unicode form before they are checked.
    const documented = Object.hasOwn(operation.requestBody.content, media) ? media : 'application/json'
    const pointer = pointerTo(...at, 'requestBody', 'content', documented, 'schema')
    this.#expectValid(pointer, JSON.parse(body.normalize('NFC')), 'the body that was taken')
  }

  #queryParameters(operation: Operation, at: readonly string[]): readonly QueryParameter[] {
    return kept(this.#parameters, operation, () =>
      operation.parameters
        .map(({ $ref, ...own }, index) => ({
          ...(($ref ? this.#at($ref) : own) as Parameter),
          pointer: $ref ?? pointerTo(...at, 'parameters', String(index)),
        }))
        .filter((one) => one.in === 'query'),
    )
  }

  #checkAnswer(operation: Operation, at: readonly string[], { status, headers, text }: Answer, method: string): void {
    const { responses, operationId } = operation
    const kind = [String(status), `${String(status).charAt(0)}XX`, 'default'].find((one) =>
      Object.hasOwn(responses, one),
    )
    if (kind === undefined) expect.fail(`${operationId} does not document the status ${status}`)
    const pointer = responses[kind]?.$ref ?? pointerTo(...at, 'responses', kind)
    // What an adapter answers is its own business, its headers included.
    if (/^\d+$/.test(kind)) this.#checkHeaders(operationId, pointer, headers)
    const type = headers.get('content-type')?.split(';')[0] ?? ''
    if (text === '' || method === 'HEAD' || kind === 'default') return
    const { content = {} } = this.#at(pointer) as ResponsePart
    if (!Object.hasOwn(content, type))
      expect(Object.keys(content), `content of ${operationId} ${status}`).toContain(type)
    const value = type.endsWith('json') && type !== 'application/x-ndjson' ? JSON.parse(text) : text
    this.#expectValid(`${pointer}/content/${escapeKey(type)}/schema`, value, `${operationId} ${status}`)
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
      return new Map(Object.entries(headers).map(([name, { $ref }]) => [name.toLowerCase(), `${$ref}/schema`]))
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

  /** The value of a parameter or a header, which has no type: a number may be written in it. */
  #expectText(pointer: string, text: string, what: string): void {
    const isNumber = /^\d+$/.test(text) && (this.#at(pointer) as { readonly type?: unknown }).type === 'integer'
    this.#expectValid(pointer, isNumber ? Number(text) : text, what)
  }

  #expectValid(pointer: string, value: unknown, what: string): void {
    const validate = kept(this.#validators, pointer, () => this.#ajv.compile({ $ref: `document${pointer}` }))
    if (!validate(value)) expect(validate.errors, `${what}: ${JSON.stringify(value)?.slice(0, 500)}`).toEqual([])
  }
}

/** What a map holds, made when it is first asked for: some tests have ten thousands of answers. */
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

/** By tag: services of one config say the same. */
const known = new Map<string, DocumentedService>()
/** The tags that each service has given, one for each kind of reader. */
const given = new WeakMap<object, Set<string>>()

/** Checks an answer against the document that the one who asked would get. */
export async function expectDocumented(service: Pick<Service, 'fetch'>, sent: Sent, answer: Answer): Promise<void> {
  const document = await documentFor(service, sent)
  document?.check(sent, answer)
}

/** Where nobody can say who asks, as while an adapter fails, there is no document. */
async function documentFor(service: Pick<Service, 'fetch'>, { headers }: Sent): Promise<DocumentedService | undefined> {
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
