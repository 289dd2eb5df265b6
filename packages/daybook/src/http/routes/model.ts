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

/** Returns the schema of an object with these properties only. */
const exactly = (required: Properties, optional: Properties = {}): JsonSchema => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
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

/** Properties of values with some types or options. */
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

/** Returns the properties of a container, with the schemas of its fields and its values. */
const inside = (field: JsonSchema, value: JsonSchema): Properties => {
  const fields = { type: 'array', items: field }
  return { fields, blocks: { type: 'array', items: exactly({ type: TEXT, fields }) }, of: value }
}

const FIELD_KEYS: Properties = { key: TEXT, generated: TEXTS }

/** A field, which may contain others. It refers to its own parts, so it has a name in the OpenAPI document. */
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

const documentSchema = (actions: readonly string[], properties: Properties = {}): JsonSchema =>
  exactly(
    {
      key: TEXT,
      fields: { type: 'array', items: MODEL_FIELD },
      systemFields: { type: 'array', items: SYSTEM_FIELD },
      requireIfMatch: FLAG,
      permissions: exactly(Object.fromEntries(actions.map((action) => [action, PERMISSION]))),
      ...properties,
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

/** The content model for one caller. */
const MODEL_SCHEMA: JsonSchema = exactly({
  locales: { anyOf: [LOCALES, { type: 'null' }] },
  collections: { type: 'array', items: COLLECTION },
  globals: { type: 'array', items: documentSchema(['read', 'update']) },
  plugins: { type: 'array', items: exactly({ name: TEXT, version: TEXT }, { studio: SCHEMA }) },
  imageWidths: { type: 'array', items: { type: 'integer' } },
})

/** The parts that the route of the content model needs. */
export interface ModelRouteParts {
  readonly model: Model
  readonly images: Pick<ImageVariants, 'rules'>
}

/** The route of the content model, for programs that work with any config. */
export function modelRoutes({ model, images }: ModelRouteParts): readonly Route[] {
  const texts = new TextCache()
  return [
    defineReadRoute({
      method: 'GET',
      path: '/api/cms/model',
      operationId: 'getModel',
      protection: 'session',
      summary: 'Returns the content model, with the permissions of the caller.',
      parameters: NO_PARAMETERS,
      requestHeaders: ['ifMatch', 'ifNoneMatch'],
      responses: describeReadResponses(
        'The collections, globals, locales and plugins that the caller may know.',
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
