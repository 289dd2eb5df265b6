import { type DaybookError, MAX_ISSUES, validationError, validationErrorAt } from '../errors.ts'
import type { JsonSchema } from '../fields/field.ts'
import { createIssue, type Issue, type Violation } from '../issues.ts'
import { unknownParameterViolation } from './unknown-parameter.ts'

export const MAX_QUERY_BYTES = 8192

/** The raw parameters of a request: all values by name. */
export type QueryParams = ReadonlyMap<string, readonly string[]>

/** Collects the issues of a request, so that one response lists all of them. */
export class Faults {
  readonly #issues: Issue[]

  /** @param issues earlier issues */
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

  /** @throws VALIDATION_ERROR if there are issues */
  throwAny(): void {
    if (this.#issues.length > 0) throw validationError(this.#issues)
  }
}

export interface RawParameter {
  /** The name as it was sent, with brackets if the parameter takes them. */
  readonly name: string
  readonly values: readonly string[]
}

/**
 * A kind of names from the content model: keys to sort by, fields to select, links to include, fields to filter by or to count, or reverse
 * fields.
 */
export type NameKind = 'sortKeys' | 'fields' | 'relations' | 'filters' | 'aggregates' | 'reverses'

/** A declaration of a query parameter, by which it is parsed and documented. */
export interface Parameter<T = unknown> {
  readonly description: string
  /** The JSON Schema (2020-12) of its value. */
  readonly schema: JsonSchema
  /** The schema for callers who cannot read all locales. @default schema */
  readonly oneLocaleSchema?: JsonSchema
  /** `list`: separated by commas or repeated; `brackets`: `name[…][…]=value`. */
  readonly style: 'single' | 'list' | 'brackets'
  /** True if a request without the parameter is rejected. @default false */
  readonly isRequired?: boolean
  /** The message for a request without a required parameter. @default is required */
  readonly advice?: string
  /** The kind of names that the parameter takes. The OpenAPI document lists those that its reader can see. */
  readonly nameKind?: NameKind
  /** Parses the value. Returns `undefined` and adds a fault if it is invalid. */
  parse(raw: readonly RawParameter[], faults: Faults): T | undefined
}

export type Parameters = Readonly<Record<string, Parameter>>

export type ParametersOf<Values> = { readonly [K in keyof Values]: Parameter<Values[K]> }

export type QueryOf<P extends Parameters> = {
  readonly [K in keyof P]?: P[K] extends Parameter<infer T> ? T | undefined : never
}

/** The parsed query of a request. Its values can only be read if it has no faults. */
export class Query<Values extends object = object> {
  /** The valid values, even if others are invalid. */
  readonly partial: Values
  readonly #issues: readonly Issue[]

  constructor(values: Values, faults: Faults) {
    this.partial = Object.freeze(values)
    this.#issues = faults.issues
  }

  /** True if the query has no parameters and no faults. */
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
   * Checks the values further. New faults are reported together with earlier ones.
   *
   * @throws VALIDATION_ERROR with one issue for each fault
   */
  check<Checked>(check: (values: Values, faults: Faults) => Checked): Checked {
    const faults = new Faults(this.#issues)
    const checked = check(this.partial, faults)
    faults.throwAny()
    return checked
  }
}

export const NO_PARAMETERS: ParametersOf<Record<never, never>> = {}

/**
 * Parses a query string (WHATWG URL, `application/x-www-form-urlencoded`).
 *
 * @throws VALIDATION_ERROR if it is longer than {@link MAX_QUERY_BYTES} or contains a NUL character
 */
export function parseQueryString(search: string): QueryParams {
  if (search.length > MAX_QUERY_BYTES) {
    throw validationErrorAt('query', 'too_long', `The query string must be at most ${MAX_QUERY_BYTES} bytes long.`, {
      limit: MAX_QUERY_BYTES,
    })
  }
  const params = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (name.includes('\0') || value.includes('\0'))
      throw validationErrorAt('query', 'character', 'The query string must not contain the NUL character.')
    const values = params.get(name)
    if (values) values.push(value)
    else params.set(name, [value])
  }
  return params
}

/** Returns the error for a collection in the parameter `collections` that does not exist or that the caller cannot read. */
export function unknownCollection(key: string): DaybookError {
  const name = key.slice(0, 64)
  return validationErrorAt(
    'collections',
    'unknown',
    `The collection "${name}" does not exist, or you are not allowed to read it.`,
    { name },
  )
}

/** Converts pairs of names and values to parameters, for in-process calls. */
export function toQueryParams(pairs: readonly (readonly [string, string])[]): QueryParams {
  const params = new Map<string, string[]>()
  for (const [name, value] of pairs) params.set(name, [...(params.get(name) ?? []), value])
  return params
}

/** Parses the parameters of a request. Unknown and invalid ones are faults. */
export function readParameters<P extends Parameters>(declared: P, params: QueryParams): Query<QueryOf<P>> {
  const faults = new Faults()
  const raw = new Map<string, RawParameter[]>()
  for (const [name, values] of params) {
    const owner = findOwner(declared, name)
    if (owner === undefined) addUnknown(faults, name, declared)
    else raw.set(owner, [...(raw.get(owner) ?? []), { name, values }])
  }
  const parsed: Record<string, unknown> = {}
  for (const [name, parameters] of raw) parsed[name] = declared[name]?.parse(parameters, faults)
  for (const [name, { isRequired, advice = 'is required' }] of Object.entries(declared)) {
    if (isRequired && !raw.has(name)) faults.add(name, 'required', advice)
  }
  return new Query(parsed as QueryOf<P>, faults)
}

/** Returns the declared parameter that a name in a request belongs to. */
function findOwner(declared: Parameters, name: string): string | undefined {
  if (Object.hasOwn(declared, name)) return name
  const bracket = name.indexOf('[')
  const owner = bracket > 0 ? name.slice(0, bracket) : ''
  return Object.hasOwn(declared, owner) && declared[owner]?.style === 'brackets' ? owner : undefined
}

/** Adds the fault of an unknown parameter, unless the list of issues is full: suggestions are expensive. */
function addUnknown(faults: Faults, name: string, declared: Parameters): void {
  if (faults.issues.length >= MAX_ISSUES) return
  const names = Object.entries(declared).map(([parameter, { style, nameKind }]) =>
    style === 'brackets' ? `${parameter}[field][${nameKind === 'reverses' ? 'option' : 'operator'}]` : parameter,
  )
  faults.add(name.slice(0, 64), ...unknownParameterViolation(name, names))
}

/** Returns the value of a parameter that must not be repeated. */
function singleValue([parameter]: readonly RawParameter[], faults: Faults): string | undefined {
  if (parameter && parameter.values.length > 1) faults.add(parameter.name, 'repeated', 'must not be repeated')
  return parameter?.values[0]
}

/** Builds a parameter of a safe integer, 0 or more. */
export function countParameter(
  description: string,
  schema: { readonly default?: number; readonly minimum?: number; readonly maximum?: number } = {},
): Parameter<number> {
  return {
    description,
    schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...schema },
    style: 'single',
    parse: (raw, faults) => {
      const text = singleValue(raw, faults)
      if (text === undefined) return undefined
      const [{ name } = { name: '' }] = raw
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

/** Builds a parameter of a text. @param check returns the violation of an invalid text */
export function textParameter(
  description: string,
  schema: JsonSchema = {},
  check: (text: string) => Violation | undefined = () => undefined,
): Parameter<string> {
  return {
    description,
    schema: { type: 'string', ...schema },
    style: 'single',
    parse: (raw, faults) => {
      const value = singleValue(raw, faults)
      const violation = value === undefined ? undefined : check(value)
      if (violation) faults.add(raw[0]?.name ?? '', ...violation)
      return violation ? undefined : value
    },
  }
}

const enumViolation = (values: readonly string[]): Violation => [
  'enum',
  `must be one of: ${values.join(', ')}`,
  { values },
]

/** Builds a parameter of one of a few texts. */
export function enumParameter(description: string, values: readonly string[]): Parameter<string> {
  return textParameter(description, { enum: values }, (text) =>
    values.includes(text) ? undefined : enumViolation(values),
  )
}

/** Builds a parameter of a list of names. */
export function namesParameter(
  description: string,
  items: JsonSchema,
  maxItems?: number,
): Parameter<readonly string[]> {
  const allowed = items.enum as readonly string[] | undefined
  return {
    description,
    schema: { type: 'array', items: { type: 'string', ...items }, ...(maxItems === undefined ? {} : { maxItems }) },
    style: 'list',
    parse: ([parameter], faults) => {
      const values = parameter?.values.flatMap((value) => value.split(',')) ?? []
      const { name = '' } = parameter ?? {}
      if (values.includes('')) faults.add(name, 'empty', 'must not contain an empty name')
      else if (maxItems !== undefined && values.length > maxItems)
        faults.add(name, 'maxItems', `must have at most ${maxItems} names`, { limit: maxItems })
      else if (allowed && values.some((value) => !allowed.includes(value))) faults.add(name, ...enumViolation(allowed))
      else return values
      return undefined
    },
  }
}
