import { type DaybookError, MAX_ISSUES, validationError, validationErrorAt } from '../errors.ts'
import type { JsonSchema } from '../fields/field.ts'
import { createIssue, type Issue, type Violation } from '../issues.ts'
import { unknownParameterViolation } from './unknown-parameter.ts'

/** The longest query string, in bytes. */
export const MAX_QUERY_BYTES = 8192

/** Parameters by name, each with every value that was given. */
export type QueryParams = ReadonlyMap<string, readonly string[]>

/** Collects what is wrong with a request, so that one answer names all of it. */
export class Faults {
  readonly #issues: Issue[]

  /** @param issues those that are known already */
  constructor(issues: readonly Issue[] = []) {
    this.#issues = [...issues]
  }

  get issues(): readonly Issue[] {
    return this.#issues
  }

  add(path: string, ...violation: Violation): void {
    this.addIssue(createIssue(path, ...violation))
  }

  addIssue(issue: Issue): void {
    this.#issues.push(issue)
  }

  /** @throws VALIDATION_ERROR with every fault so far */
  throwAny(): void {
    if (this.#issues.length > 0) throw validationError(this.#issues)
  }
}

/** The values that a request gives to one parameter. */
export interface RawParameter {
  /** As it was sent; with brackets, where the parameter takes them. */
  readonly name: string
  readonly values: readonly string[]
}

/**
 * Names of the content model: keys to sort by, fields to select, links to include, fields to filter by or to count, reverse fields to page.
 */
export type NameKind = 'sortKeys' | 'fields' | 'relations' | 'filters' | 'aggregates' | 'reverses'

/** A query parameter, declared once: this parses it, and documents it. */
export interface Parameter<T = unknown> {
  readonly description: string
  /** The JSON Schema (2020-12) of its value. */
  readonly schema: JsonSchema
  /** The schema for callers who cannot read all locales at once. @default schema */
  readonly oneLocaleSchema?: JsonSchema
  /** `list`: separated by commas or repeated; `brackets`: `name[…][…]=value`. */
  readonly style: 'single' | 'list' | 'brackets'
  /** Whether a request without it is refused. @default false */
  readonly isRequired?: boolean
  /** What a request without it is told. @default is required */
  readonly advice?: string
  /** The names of the content model that it takes. The OpenAPI document lists those that its reader may know. */
  readonly nameKind?: NameKind
  /** Answers `undefined` when it is wrong, and says why. */
  parse(given: readonly RawParameter[], faults: Faults): T | undefined
}

/** The parameters of a route, by name. */
export type Parameters = Readonly<Record<string, Parameter>>

/** The parameters that hold these values. */
export type ParametersOf<Values> = { readonly [K in keyof Values]: Parameter<Values[K]> }

/** The values of a request, by parameter. */
export type QueryOf<P extends Parameters> = {
  readonly [K in keyof P]?: P[K] extends Parameter<infer T> ? T | undefined : never
}

/** The query of a request, with all its faults: the values cannot be read without the faults. */
export class Query<Values extends object = object> {
  /** The values that could be read, whatever is wrong with the rest. */
  readonly partial: Values
  readonly #issues: readonly Issue[]

  constructor(values: Values, faults: Faults) {
    this.partial = Object.freeze(values)
    this.#issues = faults.issues
  }

  /** Whether nothing is asked. */
  get isEmpty(): boolean {
    return this.#issues.length === 0 && Object.keys(this.partial).length === 0
  }

  /** @throws VALIDATION_ERROR with one issue for each fault */
  get values(): Values {
    this.throwFaults()
    return this.partial
  }

  /** @throws VALIDATION_ERROR with one issue for each fault */
  throwFaults(): void {
    if (this.#issues.length > 0) throw validationError(this.#issues)
  }

  /**
   * Looks at what was asked more closely; what is found wrong is answered together with the rest.
   *
   * @throws VALIDATION_ERROR with one issue for each fault
   */
  check<Checked>(look: (values: Values, faults: Faults) => Checked): Checked {
    const faults = new Faults(this.#issues)
    const checked = look(this.partial, faults)
    faults.throwAny()
    return checked
  }
}

/** The parameters of a route that takes none. */
export const NO_PARAMETERS: ParametersOf<Record<never, never>> = {}

/**
 * Reads a query string (WHATWG URL, `application/x-www-form-urlencoded`).
 *
 * @throws VALIDATION_ERROR when it is longer than {@link MAX_QUERY_BYTES} or holds a NUL character
 */
export function parseQueryString(search: string): QueryParams {
  if (search.length > MAX_QUERY_BYTES) {
    throw validationErrorAt('query', 'too_long', `a query string has at most ${MAX_QUERY_BYTES} bytes`, {
      limit: MAX_QUERY_BYTES,
    })
  }
  const params = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (name.includes('\0') || value.includes('\0')) throw validationErrorAt('query', 'character', 'must not hold NUL')
    const values = params.get(name)
    if (values) values.push(value)
    else params.set(name, [value])
  }
  return params
}

/** The error for a collection in the parameter `collections` that does not exist or that the caller may not read. */
export function unknownCollection(key: string): DaybookError {
  const name = key.slice(0, 64)
  return validationErrorAt('collections', 'unknown', `"${name}" is no collection that you may read`, { name })
}

/** Parameters from name and value pairs, for calls inside the process. */
export function toQueryParams(pairs: readonly (readonly [string, string])[]): QueryParams {
  const params = new Map<string, string[]>()
  for (const [name, value] of pairs) params.set(name, [...(params.get(name) ?? []), value])
  return params
}

/** Reads what a request says. A parameter that is unknown or wrong is a fault. */
export function readParameters<P extends Parameters>(declared: P, params: QueryParams): Query<QueryOf<P>> {
  const faults = new Faults()
  const given = new Map<string, RawParameter[]>()
  for (const [name, values] of params) {
    const owner = parameterOwner(declared, name)
    if (owner === undefined) addUnknown(faults, name, declared)
    else given.set(owner, [...(given.get(owner) ?? []), { name, values }])
  }
  const read: Record<string, unknown> = {}
  for (const [name, own] of given) read[name] = declared[name]?.parse(own, faults)
  for (const [name, { isRequired, advice = 'is required' }] of Object.entries(declared)) {
    if (isRequired && !given.has(name)) faults.add(name, 'required', advice)
  }
  return new Query(read as QueryOf<P>, faults)
}

/** The parameter that a name of a request belongs to. */
function parameterOwner(declared: Parameters, name: string): string | undefined {
  if (Object.hasOwn(declared, name)) return name
  const bracket = name.indexOf('[')
  const owner = bracket > 0 ? name.slice(0, bracket) : ''
  return Object.hasOwn(declared, owner) && declared[owner]?.style === 'brackets' ? owner : undefined
}

/** Advice costs more than a look: no more of it is given than is told. */
function addUnknown(faults: Faults, name: string, declared: Parameters): void {
  if (faults.issues.length >= MAX_ISSUES) return
  const taken = Object.entries(declared).map(([one, { style, nameKind: takes }]) =>
    style === 'brackets' ? `${one}[field][${takes === 'reverses' ? 'option' : 'operator'}]` : one,
  )
  faults.add(name.slice(0, 64), ...unknownParameterViolation(name, taken))
}

/** The one value of a parameter that may stand once. */
function singleValue([given]: readonly RawParameter[], faults: Faults): string | undefined {
  if (given && given.values.length > 1) faults.add(given.name, 'repeated', 'may stand only once')
  return given?.values[0]
}

/** A whole number, 0 or more, that a double holds exactly. */
export function countParameter(
  description: string,
  schema: { readonly default?: number; readonly minimum?: number; readonly maximum?: number } = {},
): Parameter<number> {
  return {
    description,
    schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...schema },
    style: 'single',
    parse: (given, faults) => {
      const text = singleValue(given, faults)
      if (text === undefined) return undefined
      const [{ name } = { name: '' }] = given
      const value = Number(text)
      if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(value)) {
        faults.add(name, 'type', 'must be a whole number, 0 or more', { types: ['integer'] })
      } else if (schema.minimum !== undefined && value < schema.minimum) {
        faults.add(name, 'minimum', `must be at least ${schema.minimum}`, { limit: schema.minimum })
      } else if (schema.maximum !== undefined && value > schema.maximum) {
        faults.add(name, 'maximum', `must be at most ${schema.maximum}`, { limit: schema.maximum })
      } else return value
      return undefined
    },
  }
}

/** @param check returns the rule that a text breaks */
export function textParameter(
  description: string,
  schema: JsonSchema = {},
  check: (text: string) => Violation | undefined = () => undefined,
): Parameter<string> {
  return {
    description,
    schema: { type: 'string', ...schema },
    style: 'single',
    parse: (given, faults) => {
      const value = singleValue(given, faults)
      const violation = value === undefined ? undefined : check(value)
      if (violation) faults.add(given[0]?.name ?? '', ...violation)
      return violation ? undefined : value
    },
  }
}

const noneOf = (values: readonly string[]): Violation => ['enum', `must be one of: ${values.join(', ')}`, { values }]

/** One of a few texts. */
export function enumParameter(description: string, values: readonly string[]): Parameter<string> {
  return textParameter(description, { enum: values }, (one) => (values.includes(one) ? undefined : noneOf(values)))
}

/** Names, each at least one character long. */
export function namesParameter(
  description: string,
  items: JsonSchema,
  maxItems?: number,
): Parameter<readonly string[]> {
  const known = items.enum as readonly string[] | undefined
  return {
    description,
    schema: { type: 'array', items: { type: 'string', ...items }, ...(maxItems === undefined ? {} : { maxItems }) },
    style: 'list',
    parse: ([given], faults) => {
      const values = given?.values.flatMap((value) => value.split(',')) ?? []
      const { name = '' } = given ?? {}
      if (values.includes('')) faults.add(name, 'empty', 'must not hold an empty name')
      else if (maxItems !== undefined && values.length > maxItems)
        faults.add(name, 'maxItems', `must have at most ${maxItems} names`, { limit: maxItems })
      else if (known && values.some((value) => !known.includes(value))) faults.add(name, ...noneOf(known))
      else return values
      return undefined
    },
  }
}
