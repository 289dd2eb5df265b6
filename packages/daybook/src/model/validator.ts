import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import addFormats from 'ajv-formats'
import { MAX_ISSUES } from '../errors.ts'
import { isFourDigitYear } from '../fields/date.ts'
import { isRecord, type JsonSchema, NOT_BLANK_PATTERN, VIOLATION } from '../fields/field.ts'
import { CUSTOM_SCHEMA } from '../fields/json.ts'
import { createIssue, formatIssueMessage, type Issue, type Violation } from '../issues.ts'
import { findNearestField, unknownName } from '../nearest.ts'

/** Validates a value by a schema. An empty list means that it is valid. */
export type Validator = (value: unknown) => readonly Issue[]

/** Creates and caches validators. Each compiles its schema when it is first used. */
export class Validators {
  readonly #hasMetaSchema: boolean
  readonly #validators = new Map<string, Validator>()
  readonly #fieldValidators = new WeakMap<object, Validator>()
  #ajv: Ajv2020 | undefined

  /** @param hasMetaSchema true if schemas may refer to the JSON Schema meta-schema, which takes long to load; @default false */
  constructor({ hasMetaSchema = false }: { readonly hasMetaSchema?: boolean } = {}) {
    this.#hasMetaSchema = hasMetaSchema
  }

  /** Returns the validator with a name, and creates it from `schema` at first. */
  get(name: string, schema: () => JsonSchema): Validator {
    const validator = this.#validators.get(name) ?? this.make(schema())
    this.#validators.set(name, validator)
    return validator
  }

  /** Returns the validator of a field's values, and creates it from `schema` at first. */
  getForField(field: object, schema: () => JsonSchema): Validator {
    const validator = this.#fieldValidators.get(field) ?? this.make(schema())
    this.#fieldValidators.set(field, validator)
    return validator
  }

  make(schema: JsonSchema): Validator {
    let validate: ValidateFunction | undefined
    return (value) => {
      // Creating an Ajv takes as long as a hundred requests, so all schemas share one, created with the first.
      this.#ajv ??= makeAjv(this.#hasMetaSchema)
      validate ??= this.#ajv.compile(schema)
      return validate(value) ? [] : toIssues(validate.errors ?? [])
    }
  }
}

function makeAjv(meta: boolean): Ajv2020 {
  const options = { allErrors: true, discriminator: true, strict: false, validateSchema: false, verbose: true }
  const ajv = new Ajv2020({ ...options, meta })
  installFormats(ajv)
  const isDateTime = ajv.formats['date-time'] as { validate(text: string): boolean }
  // Leap seconds and years that an offset makes negative are valid in RFC 3339, but cannot be served.
  ajv.addFormat('date-time', (text) => isDateTime.validate(text) && isFourDigitYear(Date.parse(text)))
  ajv.addKeyword({ keyword: CUSTOM_SCHEMA, errors: 'full', compile: compileCustomSchema })
  // Ajv compares each object of a list with each other one: 40,000 references would take minutes.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', validate: areUnique })
  return ajv
}

/** Returns true if all items of a list are different, as JSON Schema compares them: without the order of keys. */
function areUnique(mustBeUnique: boolean, items: readonly unknown[]): boolean {
  return !mustBeUnique || new Set(items.map(toComparable)).size === items.length
}

/** Returns a value that is the same for equal items: a scalar itself, else its JSON with sorted keys after a NUL, which texts cannot contain. */
const toComparable = (item: unknown): unknown =>
  typeof item === 'object' && item !== null ? `\0${JSON.stringify(item, withSortedKeys)}` : item

const withSortedKeys = (_key: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value

/**
 * Compiles the JSON Schema of a field separately, because its `$id`, `$defs` and references must not affect the document's schema, and two
 * fields may use the same.
 */
function compileCustomSchema(schema: JsonSchema): DataValidateFunction {
  const validateValue = compileAlone(schema)
  const validate: DataValidateFunction = (data, context) => {
    const isValid = validateValue(data)
    const errors = validateValue.errors ?? []
    validate.errors = errors.map((error) => ({
      ...error,
      instancePath: `${context?.instancePath ?? ''}${error.instancePath}`,
    }))
    return isValid
  }
  return validate
}

function compileAlone(schema: JsonSchema): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  installFormats(ajv)
  return ajv.compile(schema)
}

function installFormats(target: Ajv2020): void {
  // The package is CommonJS; its default export is the function itself at run time.
  const install = addFormats as unknown as (to: Ajv2020, formats: string[]) => void
  install(target, ['date', 'date-time', 'email', 'uri', 'uuid'])
}

/** Returns the reason why a JSON Schema cannot be compiled. */
export function compileFault(schema: JsonSchema): string | undefined {
  try {
    compileAlone(schema)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Keywords whose errors only summarize errors of others. */
const SUMMARIES = new Set(['anyOf', 'oneOf', 'allOf', 'if'])

function toIssues(errors: readonly ErrorObject[]): readonly Issue[] {
  const blank = new Set(errors.filter(isOfBlankText).map(({ instancePath }) => instancePath))
  // A blank required text is missing, so its length is irrelevant.
  const isRelevant = ({ keyword, instancePath }: ErrorObject): boolean =>
    keyword !== 'minLength' || !blank.has(instancePath)
  const relevant = errors.filter(
    (error) => !SUMMARIES.has(error.keyword) && !isNullBranch(error, errors) && isRelevant(error),
  )
  const issues = (relevant.length > 0 ? relevant : errors).slice(0, MAX_ISSUES).map(toIssue)
  return [...new Map(issues.map((issue) => [`${issue.path} ${issue.code}`, issue])).values()]
}

const isOfBlankText = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'pattern' && params.pattern === NOT_BLANK_PATTERN

/** Returns true for the error of the null in `anyOf [schema, null]`, which is irrelevant. */
function isNullBranch(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  const { keyword, params, instancePath } = error
  if (keyword !== 'type' || params.type !== 'null') return false
  return errors.some(
    (other) => other !== error && other.instancePath.startsWith(instancePath) && !SUMMARIES.has(other.keyword),
  )
}

const escapePointer = (key: unknown): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1')

/** The params that Ajv gives to the errors of these keywords. */
interface AjvParams {
  readonly type: string | readonly string[]
  readonly limit: number
  readonly multipleOf: number
  readonly pattern: string
  readonly format: string
  readonly allowedValues: readonly unknown[]
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

/** Creates violations of JSON Schema keywords from Ajv's params. */
const VIOLATIONS: Readonly<Record<string, (params: AjvParams) => Violation>> = {
  type: ({ type }) => {
    const types = [type].flat()
    return ['type', `must be ${types.map((name) => TYPE_NAMES[name] ?? name).join(' or ')}`, { types }]
  },
  minLength: ({ limit }) => ['minLength', `must be at least ${limit} characters long`, { limit }],
  maxLength: ({ limit }) => ['maxLength', `must be at most ${limit} characters long`, { limit }],
  minItems: ({ limit }) => ['minItems', `must have at least ${limit} items`, { limit }],
  maxItems: ({ limit }) => ['maxItems', `must have at most ${limit} items`, { limit }],
  minProperties: ({ limit }) => ['minProperties', `must have at least ${limit} members`, { limit }],
  maxProperties: ({ limit }) => ['maxProperties', `must have at most ${limit} members`, { limit }],
  minimum: ({ limit }) => ['minimum', `must be at least ${limit}`, { limit }],
  maximum: ({ limit }) => ['maximum', `must be at most ${limit}`, { limit }],
  exclusiveMinimum: ({ limit }) => ['exclusiveMinimum', `must be more than ${limit}`, { limit }],
  exclusiveMaximum: ({ limit }) => ['exclusiveMaximum', `must be less than ${limit}`, { limit }],
  multipleOf: ({ multipleOf: divisor }) => ['multipleOf', `must be a multiple of ${divisor}`, { divisor }],
  pattern: ({ pattern }) => ['pattern', `must match the pattern "${pattern}"`, { pattern }],
  format: ({ format }) => ['format', `must be a valid ${format}`, { format }],
  enum: ({ allowedValues: values }) => ['enum', `must be one of: ${values.join(', ')}`, { values }],
  uniqueItems: () => ['uniqueItems', 'must not contain the same item twice'],
  discriminator: () => ['discriminator', 'must have a _type of the field'],
}

function toIssue(error: ErrorObject): Issue {
  const { keyword, params, instancePath, message = 'is not valid', parentSchema } = error
  if (keyword === 'required') return createIssue(`${instancePath}/${escapePointer(params.missingProperty)}`, ...MISSING)
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty)
    const nearest = findNearestField(name, Object.keys((parentSchema?.properties ?? {}) as object))
    const text = unknownName('field', name.slice(0, 64), nearest)
    return createIssue(`${instancePath}/${escapePointer(name)}`, 'unknown_field', text, { nearest })
  }
  if (isOfBlankText(error)) return createIssue(instancePath, ...MISSING)
  const path = instancePath || '/'
  const violation = (parentSchema?.[VIOLATION] as Violation | undefined) ?? VIOLATIONS[keyword]?.(params as AjvParams)
  // Schemas of json fields and of plugins may have other keywords.
  return violation
    ? createIssue(path, ...violation)
    : { path, code: keyword, message: formatIssueMessage(path, message) }
}

const MISSING: Violation = ['required', 'is required']

/** Returns the fault of a JSON Schema, or `undefined` if it is valid. */
export function findSchemaFault(schema: JsonSchema): string | undefined {
  // Skips compiling the meta-schema, which would take a twentieth of a second of each start.
  return isPlain(schema) ? undefined : compileFault(schema)
}

const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

const isText = (value: unknown): boolean => typeof value === 'string'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

/** Sufficient checks of the values of common keywords (JSON Schema 2020-12). */
const KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['type', (value) => TYPES.has(value)],
  ['title', isText],
  ['description', isText],
  ['enum', (value) => Array.isArray(value) && value.length > 0 && areDifferentTexts(value)],
  ['minimum', Number.isFinite],
  ['maximum', Number.isFinite],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['items', isPlain],
  ['properties', (value) => isRecord(value) && Object.values(value).every(isPlain)],
  ['required', areDifferentTexts],
  ['additionalProperties', (value) => typeof value === 'boolean' || isPlain(value)],
])

function areDifferentTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText) && new Set(value).size === value.length
}

/** Returns true if a schema is certainly valid, without the meta-schema. Other schemas may be valid, too. */
function isPlain(schema: unknown): boolean {
  return isRecord(schema) && Object.entries(schema).every(([name, value]) => KEYWORDS.get(name)?.(value) ?? false)
}
