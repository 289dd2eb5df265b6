import {
  type Field,
  type Fields,
  generatedValues,
  ITEM_KEY,
  isAlwaysRequired,
  type JsonSchema,
  type NestSchema,
  NOT_BLANK_PATTERN,
} from '../fields/field.ts'
import { getDefaultText } from '../fields/interface-text.ts'
import type { DRAFT_KEYS } from '../fields/status.ts'
import type { ReverseModel } from './model.ts'

/** The use of a schema: reading, creating or updating a document, or updating a draft. */
export type SchemaSide = 'read' | 'create' | 'update' | 'draft'

const READ_ONLY = { readOnly: true } as const

/** The keyword of localized values in reads. */
export const LOCALIZED: string = 'x-localized'

const orNull = (schema: JsonSchema): JsonSchema => {
  if (typeof schema.type === 'string' && schema.enum === undefined && schema.const === undefined) {
    return { ...schema, type: [schema.type, 'null'] }
  }
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] }
}

/** Makes the schema of a required text reject blank values. Most types of text do so by their own schema. */
function requireNotBlank(schema: JsonSchema, { type }: Field): JsonSchema {
  const isOpen = schema.type === 'string' && schema.format === undefined && schema.enum === undefined
  if (!isOpen || schema.const !== undefined || type.role !== undefined) return schema
  if (schema.pattern === undefined) return { ...schema, pattern: NOT_BLANK_PATTERN }
  return {
    ...schema,
    allOf: [...((schema.allOf as readonly JsonSchema[] | undefined) ?? []), { pattern: NOT_BLANK_PATTERN }],
  }
}

/** Adds the label and the description of a field, for programs, to a schema. */
function withTexts(schema: JsonSchema, { options: { label, description } }: Field): JsonSchema {
  return {
    ...schema,
    ...(label === undefined ? {} : { title: getDefaultText(label) }),
    ...(description === undefined ? {} : { description: getDefaultText(description) }),
  }
}

const MADE_BY_SERVICE = 'Made by the service for a new document that does not name it.'

/** Returns true if a function of the config makes the field's default. */
export const hasMadeDefault = ({ type, options }: Field): boolean => typeof type.default?.(options) === 'function'

function withDefaultMaker(schema: JsonSchema, field: Field): JsonSchema {
  if (!hasMadeDefault(field)) return schema
  const description = schema.description === undefined ? '' : `${String(schema.description)} `
  return { ...schema, description: `${description}${MADE_BY_SERVICE}` }
}

/**
 * Returns true if a field has a value in every stored document. A locale without fallbacks may have none, and an `unset` reference is removed
 * with its target.
 */
export function alwaysHasValue(field: Field): boolean {
  const { type, options } = field
  const canBecomeEmpty = options.localized === true || type.relation?.(options).onDelete === 'unset'
  return (isAlwaysRequired(field) && !canBecomeEmpty) || hasEmptyValue(field)
}

/** Returns true if the empty value of a field is not `null`, such as an empty list. */
const hasEmptyValue = ({ type, options }: Field): boolean => type.empty?.(options) != null

/** Returns true if a new document must have the field. */
export function isRequiredOnCreate(field: Field): boolean {
  const { type, options } = field
  return isAlwaysRequired(field) && type.default?.(options) === undefined && type.source?.(options) === undefined
}

const ITEM_KEY_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description:
    'Tells the item from the others of its list, wherever it moves. Made by the service for an item without one.',
}

/** @param isLenient true if required values may be missing, because the field around them may have a condition that does not hold */
function readFields(fields: Fields, isItem = false, isLenient = false): JsonSchema {
  const properties: Record<string, JsonSchema> = isItem ? { [ITEM_KEY]: ITEM_KEY_SCHEMA } : {}
  for (const [key, field] of Object.entries(fields)) {
    const isInnerLenient = isLenient || field.options.showIf !== undefined
    const schema = field.type.schema(field.options, (inner, isInnerItem) =>
      readFields(inner, isInnerItem, isInnerLenient),
    )
    const isNeverNull = isLenient ? hasEmptyValue(field) : alwaysHasValue(field)
    const mark = field.options.localized === true ? { [LOCALIZED]: true } : {}
    properties[key] = { ...withTexts(isNeverNull ? schema : orNull(schema), field), ...mark }
    for (const generated of generatedValues(key, field)) properties[generated.key] = { ...generated.schema, ...mark }
  }
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** Options of the schema of a written object of fields. */
export interface WriteShape {
  /** True if required fields may be absent. @default false */
  readonly isPatch?: boolean
  /** True if required values may be missing at any depth. @default false */
  readonly isDraft?: boolean
  /** True for an item of a list. @default false */
  readonly isItem?: boolean
}

/** Creates the schema of a written object of fields. */
export function writeFields(
  fields: Fields,
  { isPatch = false, isDraft = false, isItem = false }: WriteShape = {},
): JsonSchema {
  const properties: Record<string, JsonSchema> = isItem ? { [ITEM_KEY]: ITEM_KEY_SCHEMA } : {}
  const createNest = (isLenient: boolean): NestSchema => {
    return (inner, isInnerItem = false) =>
      writeFields(inner, { isPatch: isLenient, isDraft: isLenient, isItem: isInnerItem })
  }
  for (const [key, field] of Object.entries(fields)) {
    // The composed document shows if a field with a condition is required, and those inside it.
    const nest = createNest(isDraft || field.options.showIf !== undefined)
    const schema = field.type.schema(field.options, nest)
    // In a locale, an empty value means the fallback.
    const isNeverNull =
      !isDraft &&
      (isRequiredOnCreate(field) || (isAlwaysRequired(field) && field.type.role === undefined)) &&
      field.options.localized !== true
    properties[key] = withDefaultMaker(
      withTexts(isNeverNull ? requireNotBlank(schema, field) : orNull(schema), field),
      field,
    )
    for (const generated of generatedValues(key, field)) properties[generated.key] = READ_ONLY
  }
  const required = Object.keys(fields).filter((key) => isRequiredOnCreate(fields[key] as Field))
  return {
    type: 'object',
    properties,
    ...(isPatch || required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

/** Creates the schema of fields inside a written value. */
export const nestWriteSchema: NestSchema = (fields, isItem) => writeFields(fields, { isItem: isItem === true })

/** Creates the schema of a body, in which values that the service makes are ignored. */
function createBodySchema(
  fields: Fields,
  side: Exclude<SchemaSide, 'read'>,
  serviceMadeKeys: ReadonlySet<string>,
): JsonSchema {
  const entries = Object.entries(fields)
  const writable = Object.fromEntries(entries.filter(([key]) => !serviceMadeKeys.has(key)))
  const schema = writeFields(writable, { isPatch: side !== 'create', isDraft: side === 'draft' })
  const properties = entries.map(([key]) => [key, READ_ONLY])
  return { ...schema, properties: { ...Object.fromEntries(properties), ...(schema.properties as object) } }
}

const createReverseSchema = (field: Field): JsonSchema => ({
  ...withTexts(
    field.type.schema(field.options, () => ({})),
    field,
  ),
  ...READ_ONLY,
})

/** The schema of the slugs of an entry in all locales, with `include=alternates`. */
const ALTERNATES_SCHEMA: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: { locale: { type: 'string' }, slug: { type: 'string' } },
    required: ['locale', 'slug'],
    additionalProperties: false,
  },
  ...READ_ONLY,
  description:
    'The slugs of the entry in the locales in which it exists and has one of its own; with `include=alternates`.',
}

/** The parts of a document that the service makes. */
export interface ServiceParts {
  /** The values before its fields. */
  readonly before: Readonly<Record<string, JsonSchema>>
  /** The values after its fields. */
  readonly after: Readonly<Record<string, JsonSchema>>
  /** The keys of fields whose values only the service makes. */
  readonly serviceMadeKeys: ReadonlySet<string>
}

/**
 * Creates the schema of a document: its fields with `system` before and after them.
 *
 * @param reverses fields of reads that include them
 */
export function createDocumentSchema(
  fields: Fields,
  side: SchemaSide,
  system: ServiceParts,
  reverses: readonly Pick<ReverseModel, 'key' | 'field'>[] = [],
  hasAlternates = false,
): JsonSchema {
  const inner = side === 'read' ? readFields(fields) : createBodySchema(fields, side, system.serviceMadeKeys)
  const forSide = (part: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
    side === 'read' ? { ...part } : Object.fromEntries(Object.keys(part).map((key) => [key, READ_ONLY]))
  const included = Object.fromEntries(
    reverses.map(({ key, field }) => [key, side === 'read' ? createReverseSchema(field) : READ_ONLY]),
  )
  const stored = { ...forSide(system.before), ...(inner.properties as object), ...forSide(system.after) }
  const alternates = hasAlternates ? forSide({ alternates: ALTERNATES_SCHEMA }) : {}
  const properties = { ...stored, ...included, ...alternates }
  return {
    ...inner,
    properties,
    ...(side === 'read' ? { required: Object.keys(stored) } : {}),
  }
}

const createTimeSchema = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  format: 'date-time',
  readOnly: true,
  description,
})

export const DRAFT_SCHEMAS: Readonly<Record<(typeof DRAFT_KEYS)[number], JsonSchema>> = {
  hasDraft: {
    type: 'boolean',
    readOnly: true,
    description: 'True if there is a draft; otherwise the values are those of the entry.',
  },
  publishAt: createTimeSchema('When it is to be published; null: no time is set.'),
  unpublishAt: createTimeSchema('When it is to be unpublished; null: no time is set.'),
  publishedLocales: {
    type: ['array', 'null'],
    items: { type: 'string' },
    readOnly: true,
    description: 'The locales in which it is published; null: the content has none.',
  },
}
