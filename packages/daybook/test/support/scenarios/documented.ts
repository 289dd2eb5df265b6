import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import type { Service } from '../../../src/service.ts'
import type { Answer, Sent } from './transports.ts'

/** A part of the document, as far as it is looked at here. */
interface Operation {
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

  constructor(document: Document) {
    this.#document = document
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
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
      if (method !== 'OPTIONS') expect(answer.status, `${method} ${path} is not documented`).toBeGreaterThanOrEqual(400)
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
    const declared = operation.parameters.map(({ $ref, ...own }, index) => ({
      ...(($ref ? this.#at($ref) : own) as { readonly name: string; readonly in: string; readonly style?: string }),
      pointer: $ref ?? pointerTo(...at, 'parameters', String(index)),
    }))
    for (const name of new Set(query.keys())) {
      const parameter = declared.find((one) => one.in === 'query' && one.name === name.replace(/\[.*$/, ''))
      expect(parameter, `${operation.operationId} documents the parameter ${name}`).toBeDefined()
      if (!parameter || parameter.style === 'deepObject') continue
      const values = query.getAll(name)
      const what = `the parameter ${name}`
      if (parameter.style !== 'form') this.#expectText(`${parameter.pointer}/schema`, values[0] ?? '', what)
      else
        this.#expectValid(
          `${parameter.pointer}/schema`,
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

  #checkAnswer(operation: Operation, at: readonly string[], { status, headers, text }: Answer, method: string): void {
    const { responses, operationId } = operation
    const kind = [String(status), `${String(status).charAt(0)}XX`, 'default'].find((one) =>
      Object.hasOwn(responses, one),
    )
    expect(kind, `${operationId} documents the status ${status}`).toBeDefined()
    if (kind === undefined) return
    const $ref = responses[kind]?.$ref
    const pointer = $ref ?? pointerTo(...at, 'responses', kind)
    const response = this.#at(pointer) as ResponsePart
    // What an adapter answers is its own business, its headers included.
    if (/^\d+$/.test(kind)) this.#checkHeaders(operationId, pointer, response, headers)
    const type = headers.get('content-type')?.split(';')[0] ?? ''
    if (text === '' || method === 'HEAD' || kind === 'default') return
    expect(Object.keys(response.content ?? {}), `content of ${operationId} ${status}`).toContain(type)
    const value = type.endsWith('json') && type !== 'application/x-ndjson' ? JSON.parse(text) : text
    this.#expectValid(`${pointer}/content/${escapeKey(type)}/schema`, value, `${operationId} ${status}`)
  }

  #checkHeaders(operationId: string, pointer: string, response: ResponsePart, headers: Headers): void {
    const declared = new Map(Object.keys(response.headers ?? {}).map((name) => [name.toLowerCase(), name]))
    for (const [name, value] of headers) {
      const known = declared.get(name)
      if (known !== undefined) {
        const own = `${pointer}/headers/${known}`
        const { $ref = own } = this.#at(own) as { readonly $ref?: string }
        this.#expectText(`${$ref}/schema`, value, `${operationId}, header ${name}`)
      } else expect(name, `a header that ${operationId} documents`).toMatch(OF_ANY_ANSWER)
    }
  }

  /** What stands at a pointer of the document. */
  #at(pointer: string): unknown {
    const keys = pointer
      .slice(2)
      .split('/')
      .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
    return keys.reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>>)[key], this.#document)
  }

  /** The value of a parameter or a header, which has no type: a number, true or false may be written in it. */
  #expectText(pointer: string, text: string, what: string): void {
    const { type } = this.#at(pointer) as { readonly type?: unknown }
    const isWritten =
      (type === 'integer' && /^\d+$/.test(text)) || (type === 'boolean' && /^(?:true|false)$/.test(text))
    this.#expectValid(pointer, isWritten ? JSON.parse(text) : text, what)
  }

  #expectValid(pointer: string, value: unknown, what: string): void {
    const validate = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: `document${pointer}` })
    this.#validators.set(pointer, validate)
    const holds = validate(value)
    expect(holds ? [] : validate.errors, `${what}: ${JSON.stringify(value)?.slice(0, 500)}`).toEqual([])
  }
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

/** Checks an answer against the document that the one who asked would get. */
export async function expectDocumented(service: Pick<Service, 'fetch'>, sent: Sent, answer: Answer): Promise<void> {
  const own = Object.entries(sent.headers).filter(([name]) => /^(?:authorization|cookie)$/i.test(name))
  const response = await service.fetch(
    new Request('http://daybook.test/openapi.json', { headers: own.map(([name, value]) => [name, value]) }),
  )
  // Where nobody can say who asks, as while an adapter fails, there is no document either.
  if (response.status >= 500) return
  expect(response.status).toBe(200)
  const tag = response.headers.get('etag') ?? ''
  const documented = known.get(tag) ?? new DocumentedService(JSON.parse(await response.text()))
  known.set(tag, documented)
  documented.check(sent, answer)
}
