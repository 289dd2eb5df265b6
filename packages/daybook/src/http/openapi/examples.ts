import { isRecord, type JsonSchema } from '../../fields/field.ts'
import { CUSTOM_SCHEMA } from '../../fields/json.ts'
import { REFERS_TO } from '../../fields/relation.ts'
import { LISTS_KEYWORD } from '../../fields/reverse.ts'
import { LOCALIZED } from '../../model/schema.ts'
import { EXAMPLE_ID } from '../routes/schemas.ts'

const FORMATS: Readonly<Record<string, string>> = {
  uuid: EXAMPLE_ID,
  'date-time': '2026-11-20T09:30:00.000Z',
  date: '2026-11-20',
  email: 'ada@example.org',
  uri: 'https://example.org/',
}

type Make = (schema: JsonSchema, name: string) => unknown

const BY_TYPE: Readonly<Record<string, Make>> = {
  string: makeText,
  number: makeNumber,
  integer: makeNumber,
  boolean: () => true,
  null: () => null,
  array: ({ items, minItems = 0 }, name) => makeList(isRecord(items) ? items : {}, Number(minItems), name),
  object: makeObject,
}

/**
 * Returns a valid value of a schema; `undefined` if none is known.
 *
 * @param name the name of the value, which texts contain
 */
export function makeExample(schema: JsonSchema, name: string): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (isRecord(schema[CUSTOM_SCHEMA])) return makeExample(schema[CUSTOM_SCHEMA], name)
  const [first] = (schema.oneOf ?? []) as readonly JsonSchema[]
  if (first) return makeExample(first, name)
  if (Array.isArray(schema.anyOf) && schema.type === undefined)
    return schema.anyOf.map((variant) => makeExample(variant, name)).find((variant) => variant !== undefined)
  const { type: types = schema.properties ? 'object' : undefined } = schema
  const type = Array.isArray(types) ? types.find((typeName) => typeName !== 'null') : types
  if (type === undefined || type === 'null') return isUnconstrained(schema) ? {} : undefined
  return BY_TYPE[String(type)]?.(schema, name)
}

/** True if a schema does not constrain its values. */
const isUnconstrained = (schema: JsonSchema): boolean =>
  Object.keys(schema).every((keyword) => UNCONSTRAINING.has(keyword))

const UNCONSTRAINING: ReadonlySet<string> = new Set(['description', 'title', LOCALIZED])

/**
 * Returns an object. A body contains all members that do not refer to other content, and the required ones. A response contains all members;
 * references are empty.
 */
function makeObject({ properties = {}, required = [] }: JsonSchema): unknown {
  const schemas = properties as Readonly<Record<string, JsonSchema>>
  const keys = Object.keys(schemas)
  const requiredKeys = required as readonly string[]
  const derivedKeys = keys.filter((key) => isDerived(schemas[key] as JsonSchema))
  const values: Record<string, unknown> = {}
  for (const key of keys) {
    const schema = schemas[key] as JsonSchema
    // A derived value, the source of a derived value, or a reference to other content.
    const isOptional =
      schema.examples === undefined &&
      (derivedKeys.some((derivedKey) => derivedKey.startsWith(key)) || isReference(schema))
    const isNeeded = requiredKeys.includes(key)
    if (isOptional && !isNeeded) continue
    const value = makeMember(schema, key, isOptional)
    if (value !== undefined) values[key] = value
    else if (isNeeded) return undefined
  }
  return values
}

/** Returns the value of a member; an optional one is empty if possible. */
function makeMember(schema: JsonSchema, key: string, isOptional: boolean): unknown {
  const empty = isOptional ? makeEmptyValue(schema) : undefined
  if (empty !== undefined) return empty
  const example = makeExample(schema, key)
  return example === undefined ? makeEmptyValue(schema) : example
}

/** True for a value that the service derives from others, such as HTML, which is unknown here. */
const isDerived = ({ readOnly, type, format, [LISTS_KEYWORD]: lists }: JsonSchema): boolean =>
  readOnly === true && !(type && format) && lists === undefined

const isReference = ({ items, anyOf = [], [REFERS_TO]: to, [LISTS_KEYWORD]: lists }: JsonSchema): boolean =>
  to !== undefined ||
  lists !== undefined ||
  (isRecord(items) && isReference(items)) ||
  (anyOf as readonly JsonSchema[]).some(isReference)

/** Returns the empty value of a field, if the field may be empty. */
function makeEmptyValue({ type, items, minItems, anyOf = [] }: JsonSchema): null | readonly [] | undefined {
  const isNullable =
    type === 'null' ||
    (Array.isArray(type) && type.includes('null')) ||
    (anyOf as readonly JsonSchema[]).some((variant) => variant.type === 'null')
  if (isNullable) return null
  return isRecord(items) && minItems === undefined ? [] : undefined
}

function makeList(items: JsonSchema, minimum: number, name: string): unknown {
  const item = makeExample(items, name)
  if (item === undefined) return minimum === 0 ? [] : undefined
  return minimum > 1 ? undefined : [item]
}

function makeNumber({ minimum, maximum, default: defaultValue }: JsonSchema): unknown {
  return defaultValue ?? Math.min(Math.max(1, Number(minimum ?? 1)), Number(maximum ?? Number.MAX_SAFE_INTEGER))
}

function makeText(schema: JsonSchema, name: string): unknown {
  const { format, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  if (typeof format === 'string') return FORMATS[format]
  const words = /[A-Z_]/.test(name) ? splitWords(name) : name
  const sentence = words.charAt(0).toUpperCase() + words.slice(1)
  const patterns = listPatterns(schema)
  const fits = [sentence, words.replaceAll(' ', '-')].map((text) => fit(text, Number(minLength), Number(maxLength)))
  return fits.find((text) => patterns.every((pattern) => new RegExp(pattern, 'u').test(text)))
}

const splitWords = (key: string): string =>
  key.replace(/[A-Z_]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', '')

const fit = (text: string, minimum: number, maximum: number): string => text.slice(0, maximum).padEnd(minimum, 'x')

const listPatterns = ({ pattern, allOf = [] }: JsonSchema): readonly string[] =>
  [{ pattern }, ...(allOf as readonly JsonSchema[])].flatMap((part) =>
    typeof part.pattern === 'string' ? [part.pattern] : [],
  )
