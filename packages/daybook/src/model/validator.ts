import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import addFormats from 'ajv-formats'
import { MAX_ISSUES } from '../errors.ts'
import { isFourDigitYear } from '../fields/date.ts'
import { isRecord, type JsonSchema, NOT_BLANK_PATTERN, VIOLATION } from '../fields/field.ts'
import { CUSTOM_SCHEMA } from '../fields/json.ts'
import { createIssue, type Issue, type Violation } from '../issues.ts'
import { didYouMean, findNearestField } from '../nearest.ts'

/** Checks a value against one schema; an empty list means that it holds. */
export type Validator = (value: unknown) => readonly Issue[]

/** Makes validators, and keeps those that have a name. Each compiles its schema when it is first used. */
export class Validators {
  readonly #hasMetaSchema: boolean
  readonly #validators = new Map<string, Validator>()
  readonly #ofFields = new WeakMap<object, Validator>()
  #ajv: Ajv2020 | undefined

  /** @param hasMetaSchema whether schemas may refer to the schema of JSON Schemas, which takes long to load; @default false */
  constructor({ hasMetaSchema = false }: { readonly hasMetaSchema?: boolean } = {}) {
    this.#hasMetaSchema = hasMetaSchema
  }

  /** The validator of this name, made of `schema` when it is asked for first. */
  get(name: string, schema: () => JsonSchema): Validator {
    const validator = this.#validators.get(name) ?? this.make(schema())
    this.#validators.set(name, validator)
    return validator
  }

  /** The validator of the values of one field, wherever it stands, made of `schema` when it is asked for first. */
  getForField(field: object, schema: () => JsonSchema): Validator {
    const validator = this.#ofFields.get(field) ?? this.make(schema())
    this.#ofFields.set(field, validator)
    return validator
  }

  make(schema: JsonSchema): Validator {
    let validate: ValidateFunction | undefined
    return (value) => {
      // Making an Ajv takes as long as a hundred requests, so that one serves all, and is made when the first schema is compiled.
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
  // A leap second, or a year that an offset makes negative, passes the grammar of RFC 3339 but cannot be written back.
  ajv.addFormat('date-time', (text) => isDateTime.validate(text) && isFourDigitYear(Date.parse(text)))
  ajv.addKeyword({ keyword: CUSTOM_SCHEMA, errors: 'full', compile: compileOwn })
  // Ajv compares each object of a list with each other one: 40,000 references would take minutes.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', validate: areUnique })
  return ajv
}

/** Whether no item of a list stands twice, as JSON Schema compares them: whatever the order of keys. */
function areUnique(mustBeUnique: boolean, items: readonly unknown[]): boolean {
  return !mustBeUnique || new Set(items.map(identityOf)).size === items.length
}

/** What equal items share: a scalar itself, else its JSON with sorted keys, behind a NUL that no text may hold. */
const identityOf = (item: unknown): unknown =>
  typeof item === 'object' && item !== null ? `\0${JSON.stringify(item, withSortedKeys)}` : item

const withSortedKeys = (_key: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value

/**
 * A field's own JSON Schema is compiled on its own: its `$id`, `$defs` and references mean nothing to the document's
 * schema, and two fields may use the same.
 */
function compileOwn(schema: JsonSchema): DataValidateFunction {
  const own = compileAlone(schema)
  const validate: DataValidateFunction = (data, context) => {
    const holds = own(data)
    const errors = own.errors ?? []
    validate.errors = errors.map((error) => ({
      ...error,
      instancePath: `${context?.instancePath ?? ''}${error.instancePath}`,
    }))
    return holds
  }
  return validate
}

function compileAlone(schema: JsonSchema): ValidateFunction {
  const own = new Ajv2020({ allErrors: true, strict: false })
  installFormats(own)
  return own.compile(schema)
}

function installFormats(target: Ajv2020): void {
  // The package is CommonJS; its default export is the function itself at run time.
  const install = addFormats as unknown as (to: Ajv2020, formats: string[]) => void
  install(target, ['date', 'date-time', 'email', 'uri', 'uuid'])
}

/** Why a JSON Schema cannot be compiled, or nothing. */
export function compileFault(schema: JsonSchema): string | undefined {
  try {
    compileAlone(schema)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Rules that only say that one of several others failed. */
const SUMMARIES = new Set(['anyOf', 'oneOf', 'allOf', 'if'])

function toIssues(errors: readonly ErrorObject[]): readonly Issue[] {
  const blank = new Set(errors.filter(isOfBlankText).map(({ instancePath }) => instancePath))
  // A required text that holds nothing is missing; its length is no news.
  const isNews = ({ keyword, instancePath }: ErrorObject): boolean =>
    keyword !== 'minLength' || !blank.has(instancePath)
  const said = errors.filter((error) => !SUMMARIES.has(error.keyword) && !isNullBranch(error, errors) && isNews(error))
  const issues = (said.length > 0 ? said : errors).slice(0, MAX_ISSUES).map(toIssue)
  return [...new Map(issues.map((issue) => [`${issue.path} ${issue.code}`, issue])).values()]
}

const isOfBlankText = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'pattern' && params.pattern === NOT_BLANK_PATTERN

/** `anyOf [schema, null]` complains about the null, too; that says nothing. */
function isNullBranch(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  const { keyword, params, instancePath } = error
  if (keyword !== 'type' || params.type !== 'null') return false
  return errors.some(
    (other) => other !== error && other.instancePath.startsWith(instancePath) && !SUMMARIES.has(other.keyword),
  )
}

const pointer = (key: unknown): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1')

/** The params that Ajv gives to the errors of these keywords. */
interface AjvParams {
  readonly type: string | readonly string[]
  readonly limit: number
  readonly multipleOf: number
  readonly pattern: string
  readonly format: string
  readonly allowedValues: readonly unknown[]
}

/** The violations of keywords of JSON Schema, made of Ajv's params. */
const VIOLATIONS: Readonly<Record<string, (params: AjvParams) => Violation>> = {
  type: ({ type }) => {
    const types = [type].flat()
    return ['type', `must be ${types.join(' or ')}`, { types }]
  },
  minLength: ({ limit }) => ['minLength', `must have at least ${limit} characters`, { limit }],
  maxLength: ({ limit }) => ['maxLength', `must have at most ${limit} characters`, { limit }],
  minItems: ({ limit }) => ['minItems', `must have at least ${limit} items`, { limit }],
  maxItems: ({ limit }) => ['maxItems', `must have at most ${limit} items`, { limit }],
  minProperties: ({ limit }) => ['minProperties', `must have at least ${limit} members`, { limit }],
  maxProperties: ({ limit }) => ['maxProperties', `must have at most ${limit} members`, { limit }],
  minimum: ({ limit }) => ['minimum', `must be at least ${limit}`, { limit }],
  maximum: ({ limit }) => ['maximum', `must be at most ${limit}`, { limit }],
  exclusiveMinimum: ({ limit }) => ['exclusiveMinimum', `must be more than ${limit}`, { limit }],
  exclusiveMaximum: ({ limit }) => ['exclusiveMaximum', `must be less than ${limit}`, { limit }],
  multipleOf: ({ multipleOf: divisor }) => ['multipleOf', `must be a multiple of ${divisor}`, { divisor }],
  pattern: ({ pattern }) => ['pattern', `must match ${pattern}`, { pattern }],
  format: ({ format }) => ['format', `must be a valid ${format}`, { format }],
  enum: ({ allowedValues: values }) => ['enum', `must be one of: ${values.join(', ')}`, { values }],
  uniqueItems: () => ['uniqueItems', 'must not hold the same item twice'],
  discriminator: () => ['discriminator', 'must have a _type that the field knows'],
}

function toIssue(error: ErrorObject): Issue {
  const { keyword, params, instancePath, message = 'is not valid', parentSchema } = error
  if (keyword === 'required') return createIssue(`${instancePath}/${pointer(params.missingProperty)}`, ...MISSING)
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty)
    const nearest = findNearestField(name, Object.keys((parentSchema?.properties ?? {}) as object))
    const text = `there is no such field${didYouMean(nearest)}`
    return createIssue(`${instancePath}/${pointer(name)}`, 'unknown_field', text, { nearest })
  }
  if (isOfBlankText(error)) return createIssue(instancePath, ...MISSING)
  const path = instancePath || '/'
  const violation = (parentSchema?.[VIOLATION] as Violation | undefined) ?? VIOLATIONS[keyword]?.(params as AjvParams)
  // The schema of a json field or of a plugin may have any other keyword.
  return violation ? createIssue(path, ...violation) : { path, code: keyword, message }
}

const MISSING: Violation = ['required', 'is required']

/** A fault in a JSON Schema itself, or nothing. */
export function findSchemaFault(schema: JsonSchema): string | undefined {
  // The schema of JSON Schemas takes a twentieth of a second to compile, which every start would wait for.
  return isPlain(schema) ? undefined : compileFault(schema)
}

const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

const isText = (value: unknown): boolean => typeof value === 'string'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

/** What the everyday keywords hold (JSON Schema 2020-12), at its narrowest. */
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

/** Whether a schema is seen to be one without the schema of JSON Schemas; another one may be one, too. */
function isPlain(schema: unknown): boolean {
  return isRecord(schema) && Object.entries(schema).every(([name, value]) => KEYWORDS.get(name)?.(value) ?? false)
}
