import fc, { type Arbitrary } from 'fast-check'
import type { Document, Operation } from '../scenarios/documented.ts'
import type { Sent } from '../scenarios/transports.ts'
import { damaged, type NamedValues, type Schema, SchemaValues } from './schema-values.ts'

/** An operation of the document, with its address. */
export interface FuzzedOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** Every operation of a document. */
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

/** Whether it takes what an earlier answer gave, and nothing else. */
const isToken = ({ name, schema }: FuzzedParameter): boolean =>
  name === 'cursor' || (name === 'since' && schema.type === 'string')

type Pair = readonly [name: string, value: string]

/** Makes requests to the operations of a document, from what it says of them. */
export class FuzzRequests {
  readonly #values: SchemaValues
  readonly #world: World

  constructor(document: Document, world: World) {
    this.#values = new SchemaValues(document, world)
    this.#world = world
  }

  /** Requests that fit, and with `isDamaged` those with a fault. */
  of({ method, path, operation }: FuzzedOperation, isDamaged: boolean): Arbitrary<Sent> {
    const parameters = operation.parameters.map(
      (one) => (one.$ref ? this.#values.resolve(one.$ref) : one) as unknown as FuzzedParameter,
    )
    const query = parameters.filter((one) => one.in === 'query')
    const media = mediaOf(operation)
    const hasBody = media !== undefined
    // A fault is in one place; what has no place for one has an unknown parameter.
    const place = isDamaged
      ? fc.constantFrom(...(hasBody ? ['body'] : []), ...(query.length > 0 || !hasBody ? ['query'] : []))
      : fc.constant('')
    return place.chain((at) =>
      fc
        .record({
          address: this.#address(path, operation),
          pairs: this.#query(query, at === 'query'),
          body: hasBody ? this.#body(operation, media, at === 'body') : fc.constant(undefined),
          headers: this.#world.headers(operation.operationId),
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
      .map((part, index) => (index % 2 === 0 ? fc.constant(part) : this.#world.segment(operationId, path)))
    return fc.tuple(...parts).map((all) => all.join(''))
  }

  #query(parameters: readonly FuzzedParameter[], isDamaged: boolean): Arbitrary<readonly Pair[]> {
    const known = parameters.filter((one) => !isToken(one))
    const optional = known.filter(({ required }) => !required)
    const few = fc.subarray([...optional], { maxLength: Math.min(optional.length, 3) })
    const fitting = few.chain((some) =>
      fc
        .tuple(
          ...[...known.filter(({ required }) => required), ...some].map((one) =>
            this.#pairs(one, this.#values.of(one.schema)),
          ),
        )
        .map((all) => all.flat()),
    )
    if (!isDamaged) return fitting
    const unknown: Arbitrary<readonly Pair[]> = fc.constant([['zzz', '1']])
    const faulty = known.map((one) => this.#pairs(one, damaged(this.#values.of(one.schema))))
    return fc.tuple(fitting, fc.oneof(unknown, ...faulty)).map(([own, fault]) => {
      const names = new Set(fault.map(([name]) => name.split('[')[0]))
      return [...own.filter(([name]) => !names.has(name.split('[')[0])), ...fault]
    })
  }

  #pairs({ name, style }: FuzzedParameter, value: Arbitrary<unknown>): Arbitrary<readonly Pair[]> {
    return value.map((one) =>
      style === 'deepObject' ? nestedPairs(name, one) : [[name, Array.isArray(one) ? one.join(',') : String(one)]],
    )
  }

  #body(operation: Operation, media: string, isDamaged: boolean): Arbitrary<unknown> {
    const { schema } = (operation.requestBody?.content[media] ?? {}) as { readonly schema: Schema }
    const value = this.#world.bodies(operation.operationId, this.#values.of(schema))
    if (!isDamaged) return value
    return media === FORM ? damagedForm(value) : damaged(value)
  }
}

/** What the document names and cannot know. */
export interface World extends NamedValues {
  /** What takes an open place of a path. */
  segment(operationId: string, path: string): Arbitrary<string>
  headers(operationId: string): Arbitrary<Readonly<Record<string, string>>>
  /** Bodies, some of them with values that the service knows. */
  bodies(operationId: string, made: Arbitrary<unknown>): Arbitrary<unknown>
}

const FORM = 'multipart/form-data'
/** Values hold only letters, digits and the like between two of its dashes. */
const BOUNDARY = '----------fuzzed----------'

const typeOf = (media: string): string => (media === FORM ? `${FORM}; boundary=${BOUNDARY}` : media)

/** The fields of a form: texts, and its file. */
function toForm(value: unknown): string {
  const parts = Object.entries(value as Readonly<Record<string, unknown>>).map(([name, text]) => {
    const file = name === 'file' ? '; filename="fuzzed.txt"' : ''
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`
  })
  return `${parts.join('')}--${BOUNDARY}--\r\n`
}

/** Forms without a file, or with a field that there is not. */
const damagedForm = (form: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.tuple(form, fc.boolean()).map(([value, isWithout]) => {
    const { file, ...texts } = value as Readonly<Record<string, unknown>>
    return isWithout ? texts : { ...texts, file, zzz: '1' }
  })

/** The media type in which a body is sent; `undefined`: the operation takes none. */
function mediaOf({ requestBody }: Operation): string | undefined {
  const types = Object.keys(requestBody?.content ?? {})
  return (
    types.find((type) => type.includes('merge-patch')) ?? types.find((type) => type.endsWith('json') || type === FORM)
  )
}

const LISTS: readonly string[] = ['in', 'nin', 'all', 'sort', 'status']

/** An object in brackets. */
function nestedPairs(name: string, value: unknown): readonly Pair[] {
  if (typeof value !== 'object' || value === null) return [[name, String(value)]]
  const isValues = Array.isArray(value) && LISTS.some((one) => name.endsWith(`[${one}]`))
  if (isValues && value.length > 0) return [[name, value.join(',')]]
  return Object.entries(value).flatMap(([key, inner]) => nestedPairs(`${name}[${key}]`, inner))
}
