import {
  type Field,
  type Fields,
  generatedValues,
  ITEM_KEY,
  isRequired,
  type JsonSchema,
  type NestSchema,
  NOT_BLANK_PATTERN,
} from '../fields/field.ts'
import type { DRAFT_KEYS } from '../fields/status.ts'
import type { ReverseModel } from './model.ts'

/** Which question a schema answers: what is served, what makes a document, what changes one, and what a working copy may hold. */
export type SchemaSide = 'read' | 'create' | 'update' | 'draft'

const READ_ONLY = { readOnly: true } as const

/** The keyword of what is served that each locale has its own value of. */
export const LOCALIZED: string = 'x-localized'

const orNull = (schema: JsonSchema): JsonSchema => {
  if (typeof schema.type === 'string' && schema.enum === undefined && schema.const === undefined) {
    return { ...schema, type: [schema.type, 'null'] }
  }
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] }
}

/** The schema of a required value; most types of text rule out white space by their own schema. */
function notBlank(schema: JsonSchema, { type }: Field): JsonSchema {
  const isOpen = schema.type === 'string' && schema.format === undefined && schema.enum === undefined
  if (!isOpen || schema.const !== undefined || type.role !== undefined) return schema
  if (schema.pattern === undefined) return { ...schema, pattern: NOT_BLANK_PATTERN }
  return {
    ...schema,
    allOf: [...((schema.allOf as readonly JsonSchema[] | undefined) ?? []), { pattern: NOT_BLANK_PATTERN }],
  }
}

const withDescription = (schema: JsonSchema, field: Field): JsonSchema =>
  field.options.description === undefined ? schema : { ...schema, description: field.options.description }

const MADE_BY_SERVICE = 'Made by the service for a new document that does not name it.'

/** Whether a function of the config makes the field's default. */
export const hasMadeDefault = ({ type, options }: Field): boolean => typeof type.default?.(options) === 'function'

function withDefaultMaker(schema: JsonSchema, field: Field): JsonSchema {
  if (!hasMadeDefault(field)) return schema
  const said = schema.description === undefined ? '' : `${String(schema.description)} `
  return { ...schema, description: `${said}${MADE_BY_SERVICE}` }
}

/**
 * Whether a field always holds something once a document is stored. A locale without fallbacks may have nothing, and a
 * reference goes with its target unless it keeps that.
 */
export function alwaysHasValue(field: Field): boolean {
  const { type, options } = field
  const mayGo = options.localized === true || type.relation?.(options).onDelete === 'unset'
  return (isRequired(field) && !mayGo) || type.empty?.(options) != null
}

/** Whether a new document must name the field. */
export function isRequiredOnCreate(field: Field): boolean {
  const { type, options } = field
  return isRequired(field) && type.default?.(options) === undefined && type.source?.(options) === undefined
}

const ITEM_KEY_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description:
    'Tells the item from the others of its list, wherever it moves. Made by the service for an item without one.',
}

function readFields(fields: Fields, isItem = false): JsonSchema {
  const properties: Record<string, JsonSchema> = isItem ? { [ITEM_KEY]: ITEM_KEY_SCHEMA } : {}
  for (const [key, field] of Object.entries(fields)) {
    const schema = field.type.schema(field.options, readFields)
    const mark = field.options.localized === true ? { [LOCALIZED]: true } : {}
    properties[key] = { ...withDescription(alwaysHasValue(field) ? schema : orNull(schema), field), ...mark }
    for (const generated of generatedValues(key, field)) properties[generated.key] = { ...generated.schema, ...mark }
  }
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** The form in which an object of fields is written. */
export interface WriteShape {
  /** It may leave out what is required. @default false */
  readonly isPatch?: boolean
  /** It may be unfinished at any depth. @default false */
  readonly isDraft?: boolean
  /** It is an item of a list. @default false */
  readonly isItem?: boolean
}

/** The schema of an object of fields as it is written. */
export function writeFields(
  fields: Fields,
  { isPatch = false, isDraft = false, isItem = false }: WriteShape = {},
): JsonSchema {
  const properties: Record<string, JsonSchema> = isItem ? { [ITEM_KEY]: ITEM_KEY_SCHEMA } : {}
  const nest: NestSchema = (inner, isInnerItem = false) =>
    writeFields(inner, { isPatch: isDraft, isDraft, isItem: isInnerItem })
  for (const [key, field] of Object.entries(fields)) {
    const schema = field.type.schema(field.options, nest)
    // In one locale, nothing may stand for the fallback.
    const isNeverNull =
      !isDraft && (isRequiredOnCreate(field) || field.options.required === true) && field.options.localized !== true
    properties[key] = withDefaultMaker(
      withDescription(isNeverNull ? notBlank(schema, field) : orNull(schema), field),
      field,
    )
    for (const generated of generatedValues(key, field)) properties[generated.key] = READ_ONLY
  }
  const needed = Object.keys(fields).filter((key) => isRequiredOnCreate(fields[key] as Field))
  return {
    type: 'object',
    properties,
    ...(isPatch || needed.length === 0 ? {} : { required: needed }),
    additionalProperties: false,
  }
}

/** Prints the schema of fields inside a value that is written. */
export const nestWriteSchema: NestSchema = (fields, isItem) => writeFields(fields, { isItem: isItem === true })

/** The schema of a body, in which the values that the service makes change nothing. */
function writtenFields(fields: Fields, side: Exclude<SchemaSide, 'read'>, made: ReadonlySet<string>): JsonSchema {
  const entries = Object.entries(fields)
  const named = Object.fromEntries(entries.filter(([key]) => !made.has(key)))
  const written = writeFields(named, { isPatch: side !== 'create', isDraft: side === 'draft' })
  const properties = entries.map(([key]) => [key, READ_ONLY])
  return { ...written, properties: { ...Object.fromEntries(properties), ...(written.properties as object) } }
}

const listed = (field: Field): JsonSchema => ({
  ...withDescription(
    field.type.schema(field.options, () => ({})),
    field,
  ),
  ...READ_ONLY,
})

/** The slugs of an entry in all locales, where `include` names them. */
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

/** The parts of a document that are the service's own. */
export interface ServiceParts {
  /** What stands before its fields. */
  readonly before: Readonly<Record<string, JsonSchema>>
  /** What stands after them. */
  readonly after: Readonly<Record<string, JsonSchema>>
  /** The keys of fields whose values the service alone makes. */
  readonly serviceMadeKeys: ReadonlySet<string>
}

/**
 * Prints the schema of a document: its fields with `system` before and after them.
 *
 * @param reverses fields that an answer holds where they are included
 */
export function createDocumentSchema(
  fields: Fields,
  side: SchemaSide,
  system: ServiceParts,
  reverses: readonly Pick<ReverseModel, 'key' | 'field'>[] = [],
  hasAlternates = false,
): JsonSchema {
  const inner = side === 'read' ? readFields(fields) : writtenFields(fields, side, system.serviceMadeKeys)
  const asked = (part: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
    side === 'read' ? { ...part } : Object.fromEntries(Object.keys(part).map((key) => [key, READ_ONLY]))
  const shown = Object.fromEntries(reverses.map(({ key, field }) => [key, side === 'read' ? listed(field) : READ_ONLY]))
  const held = { ...asked(system.before), ...(inner.properties as object), ...asked(system.after) }
  const alternates = hasAlternates ? asked({ alternates: ALTERNATES_SCHEMA }) : {}
  const properties = { ...held, ...shown, ...alternates }
  return {
    ...inner,
    properties,
    ...(side === 'read' ? { required: Object.keys(held) } : {}),
  }
}

const time = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  format: 'date-time',
  readOnly: true,
  description,
})

/** The JSON Schemas of what an entry says besides where its working copy is asked for. */
export const DRAFT_SCHEMAS: Readonly<Record<(typeof DRAFT_KEYS)[number], JsonSchema>> = {
  hasDraft: {
    type: 'boolean',
    readOnly: true,
    description: 'Whether there is a working copy; else the entry reads as it is.',
  },
  publishAt: time('When it is to be published; null: no time is set.'),
  unpublishAt: time('When it is to be unpublished; null: no time is set.'),
  publishedLocales: {
    type: ['array', 'null'],
    items: { type: 'string' },
    readOnly: true,
    description: 'The locales in which it is published; null: the content has none.',
  },
}
