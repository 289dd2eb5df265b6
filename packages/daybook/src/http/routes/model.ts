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
const INTERFACE_TEXT: JsonSchema = { type: ['string', 'object'], additionalProperties: TEXT }
const SHOW_IF: JsonSchema = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'object'] },
}
const PERMISSION: JsonSchema = { enum: [true, false, 'some'] }

type Properties = Readonly<Record<string, JsonSchema>>

/** Returns the schema of an object with these properties only. */
const buildObjectSchema = (required: Properties, optional: Properties = {}): JsonSchema => ({
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

const LABELS: Properties = { label: INTERFACE_TEXT, description: INTERFACE_TEXT }

/** Properties of values with some types or options. */
const VALUE_EXTRAS: Properties = {
  ...LABELS,
  default: {},
  defaultBy: { const: 'service' },
  options: TEXTS,
  optionLabels: { type: 'object', additionalProperties: INTERFACE_TEXT },
  from: TEXT,
  itemKey: TEXT,
  itemTitle: TEXT,
  layout: { enum: ['collapsed', 'row'] },
  reverse: buildObjectSchema({ collection: TEXT, path: TEXT }),
  relation: buildObjectSchema(
    { to: { type: ['string', 'null', 'array'], items: TEXT }, onDelete: { enum: ['unset', 'restrict'] } },
    { accept: TEXTS, maxBytes: { type: 'integer' } },
  ),
}

const describeContainer = (field: JsonSchema, value: JsonSchema): Properties => {
  const fields = { type: 'array', items: field }
  const block = buildObjectSchema({ type: TEXT, fields }, { ...LABELS, itemTitle: TEXT })
  return { fields, blocks: { type: 'array', items: block }, of: value }
}

const FIELD_KEYS: Properties = { key: TEXT, generated: TEXTS }

/** A field, which may contain others. It refers to its own parts, so it has a name in the OpenAPI document. */
export const MODEL_FIELD: JsonSchema = {
  ...buildObjectSchema(
    { ...FIELD_KEYS, ...VALUE },
    {
      ...VALUE_EXTRAS,
      position: { const: 'side' },
      showIf: SHOW_IF,
      ...describeContainer({ $ref: '#' }, { $ref: '#/$defs/item' }),
    },
  ),
  $defs: {
    item: buildObjectSchema(VALUE, { ...VALUE_EXTRAS, ...describeContainer({ $ref: '#' }, { $ref: '#/$defs/item' }) }),
  },
}

const FORM: JsonSchema = buildObjectSchema({
  tabs: {
    type: 'array',
    items: buildObjectSchema(
      {
        parts: {
          type: 'array',
          items: buildObjectSchema(
            { rows: { type: 'array', items: TEXTS } },
            { label: INTERFACE_TEXT, collapsed: FLAG },
          ),
        },
      },
      { label: INTERFACE_TEXT },
    ),
  },
})

const SYSTEM_FIELD: JsonSchema = buildObjectSchema({
  key: TEXT,
  schema: SCHEMA,
  operators: TEXTS,
  sortable: FLAG,
  aggregates: TEXTS,
})

const buildDocumentSchema = (
  actions: readonly string[],
  properties: Properties = {},
  optional: Properties = {},
): JsonSchema =>
  buildObjectSchema(
    {
      key: TEXT,
      fields: { type: 'array', items: MODEL_FIELD },
      systemFields: { type: 'array', items: SYSTEM_FIELD },
      requireIfMatch: FLAG,
      permissions: buildObjectSchema(Object.fromEntries(actions.map((action) => [action, PERMISSION]))),
      ...properties,
    },
    { ...LABELS, form: FORM, ...optional },
  )

const KEY_OR_NONE: JsonSchema = { type: ['string', 'null'] }

const COLLECTION: JsonSchema = buildDocumentSchema(
  ['read', 'create', 'update', 'delete', 'restore'],
  {
    slugField: KEY_OR_NONE,
    titleField: KEY_OR_NONE,
    statusField: KEY_OR_NONE,
    orderable: FLAG,
    parentField: KEY_OR_NONE,
    maxLimit: { type: 'integer', minimum: 0 },
    searchable: FLAG,
  },
  { singularLabel: INTERFACE_TEXT },
)

const LOCALES: JsonSchema = buildObjectSchema({
  default: TEXT,
  available: TEXTS,
  fallback: { type: 'object', additionalProperties: TEXTS },
})

const MODEL_SCHEMA: JsonSchema = buildObjectSchema({
  locales: { anyOf: [LOCALES, { type: 'null' }] },
  collections: { type: 'array', items: COLLECTION },
  globals: { type: 'array', items: buildDocumentSchema(['read', 'update']) },
  plugins: { type: 'array', items: buildObjectSchema({ name: TEXT, version: TEXT }, { studio: SCHEMA }) },
  imageWidths: { type: 'array', items: { type: 'integer' } },
})

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
        const visibleModel = await resolveVisibleModel(model, access)
        return toLazyResponse(
          await texts.get(visibleModel.cacheKey, () =>
            JSON.stringify(describeModel(model, visibleModel, images.rules.widths)),
          ),
        )
      },
    }),
  ]
}
