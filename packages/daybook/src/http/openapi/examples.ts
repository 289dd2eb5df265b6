import { isRecord, type JsonSchema } from '../../fields/field.ts'
import { OWN_SCHEMA } from '../../fields/json.ts'

const FORMATS: Readonly<Record<string, string>> = {
  uuid: '01936b1e-7c00-7a3e-8f5d-2b9c4d6e8f10',
  'date-time': '2026-11-20T09:30:00.000Z',
  date: '2026-11-20',
  email: 'ada@example.org',
  uri: 'https://example.org/',
}

type Make = (schema: JsonSchema, name: string) => unknown

const BY_TYPE: Readonly<Record<string, Make>> = {
  string: textOf,
  number: numberOf,
  integer: numberOf,
  boolean: () => true,
  null: () => null,
  array: ({ items, minItems = 0 }, name) => listOf(isRecord(items) ? items : {}, Number(minItems), name),
  object: objectOf,
}

/**
 * A value that a schema takes; `undefined` where none is at hand.
 *
 * @param name what the value is called: texts say it
 */
export function exampleOf(schema: JsonSchema, name: string): unknown {
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (isRecord(schema[OWN_SCHEMA])) return exampleOf(schema[OWN_SCHEMA], name)
  const [first] = (schema.oneOf ?? []) as readonly JsonSchema[]
  if (first) return exampleOf(first, name)
  if (Array.isArray(schema.anyOf))
    return schema.anyOf.map((one) => exampleOf(one, name)).find((one) => one !== undefined)
  const type = [schema.type].flat().find((one) => one !== 'null')
  return BY_TYPE[String(type)]?.(schema, name)
}

function objectOf({ properties = {}, required = [] }: JsonSchema): unknown {
  const all = properties as Readonly<Record<string, JsonSchema>>
  const made = Object.keys(all).filter((key) => isMade(all[key] as JsonSchema))
  /** A value that is made, or that another one beside it is made of. */
  const isEmpty = (key: string): boolean => made.some((one) => one.startsWith(key))
  const values: Record<string, unknown> = {}
  for (const [key, schema] of Object.entries(all)) {
    const value = isEmpty(key) ? emptyOf(schema) : exampleOf(schema, key)
    if (value !== undefined) values[key] = value
    else if ((required as readonly string[]).includes(key)) return undefined
  }
  return values
}

/** A value that the service makes of others, such as HTML: what it makes is not known here. */
const isMade = ({ readOnly, type, format }: JsonSchema): boolean => readOnly === true && !(type && format)

const emptyOf = ({ type }: JsonSchema): null | undefined =>
  Array.isArray(type) && type.includes('null') ? null : undefined

function listOf(items: JsonSchema, least: number, name: string): unknown {
  const item = exampleOf(items, name)
  if (item === undefined) return least === 0 ? [] : undefined
  return least > 1 ? undefined : [item]
}

function numberOf({ minimum, maximum }: JsonSchema): unknown {
  return Math.min(Math.max(1, Number(minimum ?? 1)), Number(maximum ?? Number.MAX_SAFE_INTEGER))
}

function textOf(schema: JsonSchema, name: string): unknown {
  const { format, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  if (typeof format === 'string') return FORMATS[format]
  const words = name.replace(/[A-Z_]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', '')
  const sentence = words.charAt(0).toUpperCase() + words.slice(1)
  const fits = [sentence, words.replaceAll(' ', '-')].map((text) => fit(text, Number(minLength), Number(maxLength)))
  return fits.find((text) => patternsOf(schema).every((pattern) => new RegExp(pattern, 'u').test(text)))
}

const fit = (text: string, least: number, most: number): string => text.slice(0, most).padEnd(least, 'x')

const patternsOf = ({ pattern, allOf = [] }: JsonSchema): readonly string[] =>
  [{ pattern }, ...(allOf as readonly JsonSchema[])].flatMap((one) =>
    typeof one.pattern === 'string' ? [one.pattern] : [],
  )
