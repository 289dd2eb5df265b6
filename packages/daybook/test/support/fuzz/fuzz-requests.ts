import fc, { type Arbitrary } from 'fast-check'
import type { Document, Operation } from '../scenarios/documented.ts'
import type { TestRequest } from '../scenarios/transports.ts'
import { damaged, type NamedValues, type Schema, SchemaValues } from './schema-values.ts'

export interface FuzzedOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export const operationsOf = ({ paths }: Document): readonly FuzzedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => ({
      id: operation.operationId,
      method: verb.toUpperCase(),
      path,
      operation,
    })),
  )

interface FuzzedParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: Schema
  readonly required?: boolean
  readonly style?: string
}

/** True for a parameter that accepts only tokens from an earlier response. */
const isToken = ({ name, schema }: FuzzedParameter): boolean =>
  name === 'cursor' || (name === 'since' && schema.type === 'string')

type Pair = readonly [name: string, value: string]

/** Generates requests to the operations of a document from their descriptions. */
export class FuzzRequests {
  readonly #values: SchemaValues
  readonly #fuzzValues: FuzzValues

  constructor(document: Document, fuzzValues: FuzzValues) {
    this.#values = new SchemaValues(document, fuzzValues)
    this.#fuzzValues = fuzzValues
  }

  /** Generates valid requests, or with `isDamaged` requests with one fault. */
  of({ method, path, operation }: FuzzedOperation, isDamaged: boolean): Arbitrary<TestRequest> {
    const parameters = operation.parameters.map(
      (parameter) => (parameter.$ref ? this.#values.resolve(parameter.$ref) : parameter) as unknown as FuzzedParameter,
    )
    const query = parameters.filter((parameter) => parameter.in === 'query')
    const media = mediaOf(operation)
    const hasBody = media !== undefined
    // The fault is in the body or the query; without either, it is an unknown parameter.
    const place = isDamaged
      ? fc.constantFrom(...(hasBody ? ['body'] : []), ...(query.length > 0 || !hasBody ? ['query'] : []))
      : fc.constant('')
    return place.chain((at) =>
      fc
        .record({
          address: this.#address(path, operation),
          pairs: this.#query(query, at === 'query'),
          body: hasBody ? this.#body(operation, media, at === 'body') : fc.constant(undefined),
          headers: this.#fuzzValues.headers(operation.operationId),
        })
        .map(({ address, pairs, body, headers }) => ({
          method,
          path:
            pairs.length === 0
              ? address
              : `${address}?${new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value]))}`,
          headers: { ...headers, ...(hasBody ? { 'Content-Type': typeOf(media) } : {}) },
          ...(body === undefined ? {} : { body: media === FORM ? toForm(body) : JSON.stringify(body) }),
        })),
    )
  }

  #address(path: string, { operationId }: Operation): Arbitrary<string> {
    const parts = path
      .split(/\{(\w+)\}/)
      .map((part, index) => (index % 2 === 0 ? fc.constant(part) : this.#fuzzValues.segment(operationId, path)))
    return fc.tuple(...parts).map((all) => all.join(''))
  }

  #query(parameters: readonly FuzzedParameter[], isDamaged: boolean): Arbitrary<readonly Pair[]> {
    const generated = parameters.filter((parameter) => !isToken(parameter))
    const optional = generated.filter(({ required }) => !required)
    const few = fc.subarray([...optional], { maxLength: Math.min(optional.length, 3) })
    const valid = few.chain((some) =>
      fc
        .tuple(
          ...[...generated.filter(({ required }) => required), ...some].map((parameter) =>
            this.#pairs(parameter, this.#values.of(parameter.schema)),
          ),
        )
        .map((all) => all.flat()),
    )
    if (!isDamaged) return valid
    const unknown: Arbitrary<readonly Pair[]> = fc.constant([['zzz', '1']])
    const faulty = generated.map((parameter) => this.#pairs(parameter, damaged(this.#values.of(parameter.schema))))
    return fc.tuple(valid, fc.oneof(unknown, ...faulty)).map(([pairs, fault]) => {
      const names = new Set(fault.map(([name]) => name.split('[')[0]))
      return [...pairs.filter(([name]) => !names.has(name.split('[')[0])), ...fault]
    })
  }

  #pairs({ name, style }: FuzzedParameter, value: Arbitrary<unknown>): Arbitrary<readonly Pair[]> {
    return value.map((item) =>
      style === 'deepObject' ? nestedPairs(name, item) : [[name, Array.isArray(item) ? item.join(',') : String(item)]],
    )
  }

  #body(operation: Operation, media: string, isDamaged: boolean): Arbitrary<unknown> {
    const { schema } = (operation.requestBody?.content[media] ?? {}) as { readonly schema: Schema }
    const value = this.#fuzzValues.bodies(operation.operationId, this.#values.of(schema))
    if (!isDamaged) return value
    return media === FORM ? damagedForm(value) : damaged(value)
  }
}

/** Values that depend on the content of the service. */
export interface FuzzValues extends NamedValues {
  /** Generates the value of a placeholder in a path. */
  segment(operationId: string, path: string): Arbitrary<string>
  headers(operationId: string): Arbitrary<Readonly<Record<string, string>>>
  /** Replaces some generated bodies with values that exist in the service. */
  bodies(operationId: string, generated: Arbitrary<unknown>): Arbitrary<unknown>
}

const FORM = 'multipart/form-data'
const BOUNDARY = '----------fuzzed----------'

const typeOf = (media: string): string => (media === FORM ? `${FORM}; boundary=${BOUNDARY}` : media)

/** Writes the fields of a form and its file. */
function toForm(value: unknown): string {
  const parts = Object.entries(value as Readonly<Record<string, unknown>>).map(([name, text]) => {
    const file = name === 'file' ? '; filename="fuzzed.txt"' : ''
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`
  })
  return `${parts.join('')}--${BOUNDARY}--\r\n`
}

/** Generates forms without a file, or with an unknown field. */
const damagedForm = (form: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.tuple(form, fc.boolean()).map(([value, isWithout]) => {
    const { file, ...texts } = value as Readonly<Record<string, unknown>>
    return isWithout ? texts : { ...texts, file, zzz: '1' }
  })

function mediaOf({ requestBody }: Operation): string | undefined {
  const types = Object.keys(requestBody?.content ?? {})
  return (
    types.find((type) => type.includes('merge-patch')) ?? types.find((type) => type.endsWith('json') || type === FORM)
  )
}

const LISTS: readonly string[] = ['in', 'nin', 'all', 'sort', 'status']

/** Writes an object with brackets in the names. */
function nestedPairs(name: string, value: unknown): readonly Pair[] {
  if (typeof value !== 'object' || value === null) return [[name, String(value)]]
  const isValues = Array.isArray(value) && LISTS.some((key) => name.endsWith(`[${key}]`))
  if (isValues && value.length > 0) return [[name, value.join(',')]]
  return Object.entries(value).flatMap(([key, inner]) => nestedPairs(`${name}[${key}]`, inner))
}
