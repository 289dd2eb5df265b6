import type { ImageVariants } from '../../assets/images/variants.ts'
import { describeModel, resolveVisibleModel } from '../../content/description/model-description.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { Model } from '../../model/model.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { COMMON_ERRORS, defineReadRoute, describeReadResponses, type Route } from '../contract.ts'
import { TextCache, toLazyResponse } from '../text-cache.ts'

const TEXT: JsonSchema = { type: 'string' }
const FLAG: JsonSchema = { type: 'boolean' }
const SCHEMA: JsonSchema = { type: 'object' }
const TEXTS: JsonSchema = { type: 'array', items: TEXT }
const PERMISSION: JsonSchema = { enum: [true, false, 'some'] }

type Properties = Readonly<Record<string, JsonSchema>>

/** An object of these properties and no others. */
const exactly = (needed: Properties, others: Properties = {}): JsonSchema => ({
  type: 'object',
  properties: { ...needed, ...others },
  required: Object.keys(needed),
  additionalProperties: false,
})

const VALUE: Properties = {
  type: TEXT,
  schema: SCHEMA,
  required: FLAG,
  many: FLAG,
  localized: FLAG,
  unique: FLAG,
  writable: FLAG,
  operators: TEXTS,
  sortable: FLAG,
  aggregates: TEXTS,
  searchable: FLAG,
}

/** What values of some types, or with some options, have besides. */
const VALUE_EXTRAS: Properties = {
  description: TEXT,
  default: {},
  defaultBy: { const: 'service' },
  options: TEXTS,
  from: TEXT,
  itemKey: TEXT,
  reverse: exactly({ collection: TEXT, path: TEXT }),
  relation: exactly(
    { to: { type: ['string', 'null', 'array'], items: TEXT }, onDelete: { enum: ['unset', 'restrict'] } },
    { accept: TEXTS, maxBytes: { type: 'integer' } },
  ),
}

/** A container's parts, of which fields are described as `field` says. */
const inside = (field: JsonSchema, value: JsonSchema): Properties => {
  const fields = { type: 'array', items: field }
  return { fields, blocks: { type: 'array', items: exactly({ type: TEXT, fields }) }, of: value }
}

const FIELD_KEYS: Properties = { key: TEXT, generated: TEXTS }

/** A field, which may hold others. Its references are pointers into itself; the OpenAPI document has it under a name. */
export const MODEL_FIELD: JsonSchema = {
  ...exactly({ ...FIELD_KEYS, ...VALUE }, { ...VALUE_EXTRAS, ...inside({ $ref: '#' }, { $ref: '#/$defs/item' }) }),
  $defs: { item: exactly(VALUE, { ...VALUE_EXTRAS, ...inside({ $ref: '#' }, { $ref: '#/$defs/item' }) }) },
}

const SYSTEM_FIELD: JsonSchema = exactly({
  key: TEXT,
  schema: SCHEMA,
  operators: TEXTS,
  sortable: FLAG,
  aggregates: TEXTS,
})

const documentSchema = (actions: readonly string[], own: Properties = {}): JsonSchema =>
  exactly(
    {
      key: TEXT,
      fields: { type: 'array', items: MODEL_FIELD },
      systemFields: { type: 'array', items: SYSTEM_FIELD },
      requireIfMatch: FLAG,
      permissions: exactly(Object.fromEntries(actions.map((action) => [action, PERMISSION]))),
      ...own,
    },
    { description: TEXT },
  )

const KEY_OR_NONE: JsonSchema = { type: ['string', 'null'] }

const COLLECTION: JsonSchema = documentSchema(['read', 'create', 'update', 'delete', 'restore'], {
  slugField: KEY_OR_NONE,
  titleField: KEY_OR_NONE,
  statusField: KEY_OR_NONE,
  maxLimit: { type: 'integer', minimum: 0 },
  searchable: FLAG,
})

const LOCALES: JsonSchema = exactly({
  default: TEXT,
  available: TEXTS,
  fallback: { type: 'object', additionalProperties: TEXTS },
})

/** The content model, as one reader may know it. */
const MODEL_SCHEMA: JsonSchema = exactly({
  locales: { anyOf: [LOCALES, { type: 'null' }] },
  collections: { type: 'array', items: COLLECTION },
  globals: { type: 'array', items: documentSchema(['read', 'update']) },
  plugins: { type: 'array', items: exactly({ name: TEXT, version: TEXT }, { studio: SCHEMA }) },
  imageWidths: { type: 'array', items: { type: 'integer' } },
})

/** What the route of the content model needs. */
export interface ModelRouteParts {
  readonly model: Model
  readonly images: Pick<ImageVariants, 'rules'>
}

/** The content model, for programs that work with any config. */
export function modelRoutes({ model, images }: ModelRouteParts): readonly Route[] {
  const texts = new TextCache()
  return [
    defineReadRoute({
      method: 'GET',
      path: '/api/cms/model',
      operationId: 'getModel',
      protection: 'session',
      summary: 'Describes the content model, and what the caller may do with it.',
      parameters: NO_PARAMETERS,
      requestHeaders: ['ifMatch', 'ifNoneMatch'],
      responses: describeReadResponses(
        'Collections, globals, locales and plugins, as far as the caller may know them.',
        MODEL_SCHEMA,
      ),
      errors: [...COMMON_ERRORS, 'UNAUTHORIZED', 'PRECONDITION_FAILED'],
      read: async ({ access }) => {
        const reader = await resolveVisibleModel(model, access)
        return toLazyResponse(
          await texts.get(reader.cacheKey, () => JSON.stringify(describeModel(model, reader, images.rules.widths))),
        )
      },
    }),
  ]
}
