import { type Field, type Fields, isRecord, type JsonSchema } from '../../fields/field.ts'
import { readTime } from './time.ts'

/** One value of a front matter, read both ways. */
export interface YamlValue {
  /** With every scalar as text. */
  readonly text: unknown
  /** With YAML's own types. */
  typed(): unknown
}

/** The schema of a value as the field's type writes it, fields inside it included. */
export function schemaOf(field: Field): JsonSchema {
  return field.type.schema(field.options, nest)
}

function nest(fields: Fields): JsonSchema {
  const properties = Object.entries(fields).map(([key, field]) => [key, schemaOf(field)] as const)
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** Makes of a text what the schema asks for. A text that it cannot be made of stays: validation says what is wrong. */
export function fit(schema: JsonSchema, value: YamlValue): unknown {
  const { text } = value
  if (text === null || text === undefined) return null
  const make = Object.hasOwn(MAKERS, String(schema.type)) ? MAKERS[String(schema.type)] : undefined
  return make ? make(schema, value) : value.typed()
}

const MAKERS: Readonly<Record<string, (schema: JsonSchema, value: YamlValue) => unknown>> = {
  string: ({ format }, { text }) => (typeof text === 'string' ? fitText(String(format), text) : text),
  number: (_schema, { text }) => fitNumber(text),
  integer: (_schema, { text }) => fitNumber(text),
  boolean: (_schema, { text }) => fitBoolean(text),
  array: (schema, value) => fitList(schema, value),
  object: (schema, value) => fitObject(schema, value),
}

function fitText(format: string, text: string): unknown {
  if (format === 'date') return emptyToNull(readTime(text)?.day ?? text)
  if (format === 'date-time') return emptyToNull(readTime(text)?.moment ?? text)
  return format === 'undefined' ? text : emptyToNull(text.trim())
}

const emptyToNull = (text: string): string | null => (text.trim() === '' ? null : text)

const NUMBER_FORMAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

function fitNumber(text: unknown): unknown {
  if (typeof text !== 'string') return text
  return NUMBER_FORMAT.test(text.trim()) ? Number(text) : emptyToNull(text)
}

function fitBoolean(text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (/^(?:true|yes|on)$/i.test(text.trim())) return true
  return /^(?:false|no|off)$/i.test(text.trim()) ? false : emptyToNull(text)
}

/** A single value is a list of one. */
function fitList(schema: JsonSchema, { text, typed }: YamlValue): unknown {
  const items = isRecord(schema.items) ? schema.items : {}
  if (text === '') return []
  if (!Array.isArray(text)) return [fit(items, { text, typed })]
  const fitted = text.map((one, index) => fit(items, { text: one, typed: () => (typed() as unknown[])[index] }))
  return schema.uniqueItems === true ? [...new Set(fitted)] : fitted
}

function fitObject(schema: JsonSchema, { text, typed }: YamlValue): unknown {
  if (!isRecord(text)) return typed()
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const fitted = Object.entries(text).map(([key, inner]) => {
    const own = Object.hasOwn(properties, key) ? properties[key] : {}
    return [key, fit(isRecord(own) ? own : {}, { text: inner, typed: () => (typed() as typeof text)[key] })] as const
  })
  return Object.fromEntries(fitted)
}
