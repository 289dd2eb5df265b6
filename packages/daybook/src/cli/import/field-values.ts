import { type Field, type Fields, isRecord, type JsonSchema } from '../../fields/field.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import { FileError } from './file-error.ts'

/** A field that can get a value of the front matter. */
export interface TargetField {
  readonly key: string
  readonly schema: JsonSchema
  /** The collection whose entries a relation field refers to, by id or by name. */
  readonly refersTo: CollectionModel | undefined
}

export function toTarget({ collections }: Model, key: string, field: Field): TargetField {
  const to = field.type.relation?.(field.options).to
  // A name does not tell the collection, if there are several.
  return { key, schema: getSchema(field), refersTo: typeof to === 'string' ? collections.get(to) : undefined }
}

/** The keys whose texts may also separate people with `and` or `&`. A tag may be called "Research and Development". */
const PEOPLE_KEYS: readonly string[] = ['author', 'authors']

/** The types of list items that a text can contain several of. */
const SINGLE_TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean']

/**
 * Converts a value of the front matter to the type of a field. A text may stand for a list, and a list of one for its item.
 *
 * @param key the key in the front matter
 * @throws {FileError} if the value names several entries, and the field refers to one
 */
export function convertValue(key: string, target: TargetField, value: YamlValue): unknown {
  const { schema } = target
  if (target.refersTo && schema.type !== 'array') return convert(schema, requireSingleName(target, value))
  if (typeof value.text !== 'string' || !isListOfSingles(target)) return convert(schema, value)
  const parts = isOfPeople(key, target) ? splitPeople(value.text) : splitAtCommas(value.text)
  return convert(schema, { text: parts, typed: () => parts })
}

/** True if a text names several people for a field that refers to one entry. */
export function namesSeveral(key: string, target: TargetField, text: unknown): boolean {
  if (target.refersTo === undefined || target.schema.type === 'array' || !isOfPeople(key, target)) return false
  return typeof text === 'string' && splitPeople(text).length > 1
}

const isOfPeople = (key: string, target: TargetField): boolean =>
  target.refersTo !== undefined && (PEOPLE_KEYS.includes(key) || PEOPLE_KEYS.includes(target.key))

const isListOfSingles = ({ schema: { type, items } }: TargetField): boolean =>
  type === 'array' && isRecord(items) && SINGLE_TYPES.includes(items.type)

function requireSingleName(target: TargetField, { text, typed }: YamlValue): YamlValue {
  if (!Array.isArray(text)) return { text, typed }
  if (text.length > 1) {
    const field = target.refersTo?.holdsFiles ? 'f.asset({' : `f.relation('${target.refersTo?.key}', {`
    const advice = `define the field as ${field} many: true }).`
    throw new FileError(`must be a single entry, not ${text.length}. Name one, or ${advice}`, {
      path: `/${target.key}`,
    })
  }
  return { text: text[0], typed: () => (typed() as readonly unknown[])[0] }
}

const splitAtCommas = (text: string): readonly string[] => toParts(text.split(','))

const splitPeople = (text: string): readonly string[] => toParts(text.split(/,(?:\s+(?:and|&)\s)?|\s(?:and|&)\s/))

const toParts = (parts: readonly string[]): readonly string[] =>
  parts.map((part) => part.trim()).filter((part) => part !== '')

/** A value of a front matter, read in two ways. */
export interface YamlValue {
  /** The value with every scalar as text. */
  readonly text: unknown
  /** Returns the value with the types of YAML. */
  typed(): unknown
}

/** Returns the schema of the values of a field, with the fields inside it. */
export function getSchema(field: Field): JsonSchema {
  return field.type.schema(field.options, buildObjectSchema)
}

function buildObjectSchema(fields: Fields): JsonSchema {
  const properties = Object.entries(fields).map(([key, field]) => [key, getSchema(field)] as const)
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** Converts a text to the type of a schema. A text that does not fit stays, so that validation reports it. */
function convert(schema: JsonSchema, value: YamlValue): unknown {
  const { text } = value
  if (text === null || text === undefined) return null
  const converter = Object.hasOwn(CONVERTERS, String(schema.type)) ? CONVERTERS[String(schema.type)] : undefined
  return converter ? converter(schema, value) : value.typed()
}

const CONVERTERS: Readonly<Record<string, (schema: JsonSchema, value: YamlValue) => unknown>> = {
  string: ({ format }, { text }) => (typeof text === 'string' ? convertText(String(format), text) : text),
  number: (_schema, { text }) => convertNumber(text),
  integer: (_schema, { text }) => convertNumber(text),
  boolean: (_schema, { text }) => convertBoolean(text),
  array: (schema, value) => convertList(schema, value),
  object: (schema, value) => convertObject(schema, value),
}

function convertText(format: string, text: string): unknown {
  if (format === 'date') return toNullIfEmpty(readTime(text)?.day ?? text)
  if (format === 'date-time') return toNullIfEmpty(readTime(text)?.moment ?? text)
  return format === 'undefined' ? text : toNullIfEmpty(text.trim())
}

const toNullIfEmpty = (text: string): string | null => (text.trim() === '' ? null : text)

const NUMBER_FORMAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

function convertNumber(text: unknown): unknown {
  if (typeof text !== 'string') return text
  return NUMBER_FORMAT.test(text.trim()) ? Number(text) : toNullIfEmpty(text)
}

function convertBoolean(text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (/^(?:true|yes|on)$/i.test(text.trim())) return true
  return /^(?:false|no|off)$/i.test(text.trim()) ? false : toNullIfEmpty(text)
}

/** Converts a list. A single value is a list of one. */
function convertList(schema: JsonSchema, { text, typed }: YamlValue): unknown {
  const items = isRecord(schema.items) ? schema.items : {}
  if (text === '') return []
  if (!Array.isArray(text)) return [convert(items, { text, typed })]
  const converted = text.map((item, index) =>
    convert(items, { text: item, typed: () => (typed() as unknown[])[index] }),
  )
  return schema.uniqueItems === true ? [...new Set(converted)] : converted
}

function convertObject(schema: JsonSchema, { text, typed }: YamlValue): unknown {
  if (!isRecord(text)) return typed()
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const converted = Object.entries(text).map(([key, inner]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : {}
    return [
      key,
      convert(isRecord(property) ? property : {}, { text: inner, typed: () => (typed() as typeof text)[key] }),
    ] as const
  })
  return Object.fromEntries(converted)
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:(?:T|[ \t]+)(\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?[ \t]*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** A point in time of a front matter. */
interface WrittenTime {
  /** The written day, regardless of the offset: `2026-11-20`. */
  readonly day: string
  /** ISO 8601 in UTC with milliseconds; without an offset, the time is taken as UTC. */
  readonly moment: string
}

/** Reads a day, or a day and a time in ISO 8601 or YAML; `undefined` for another text. */
export function readTime(text: string): WrittenTime | undefined {
  const [, day, minutes = '00:00', seconds = ':00', offset = 'Z'] = TIME.exec(text.trim()) ?? []
  if (day === undefined || !isCalendarDay(day)) return undefined
  const time = Date.parse(`${day}T${minutes}${seconds}${toOffset(offset)}`)
  return Number.isNaN(time) ? undefined : { day, moment: new Date(time).toISOString() }
}

/** JavaScript reads the 30th of February as the 1st of March. */
function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

function toOffset(offset: string): string {
  if (/^z$/i.test(offset)) return 'Z'
  const digits = offset.replace(':', '')
  return `${digits.slice(0, 3)}:${digits.slice(3) || '00'}`
}
