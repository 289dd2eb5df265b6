import type { JsonSchema } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'

const COUNT: JsonSchema = { type: 'integer', minimum: 0 }

const object = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

/** One page of a collection. */
export const listSchema = ({ key, schemas }: CollectionModel): JsonSchema =>
  object({
    collection: { const: key },
    total: COUNT,
    limit: COUNT,
    offset: COUNT,
    items: { type: 'array', items: schemas.read },
    nextCursor: { type: ['string', 'null'] },
  })

/** One page of who refers to an entry. */
export const REFERENCES_SCHEMA: JsonSchema = object({
  total: COUNT,
  limit: COUNT,
  offset: COUNT,
  items: {
    type: 'array',
    items: object({ collection: { type: 'string' }, id: { type: 'string' }, field: { type: 'string' } }),
  },
})

/** Who is asking. */
export const SESSION_SCHEMA: JsonSchema = object({
  authenticated: { type: 'boolean' },
  principal: { type: ['object', 'null'] },
  identity: { type: ['object', 'null'] },
})

const PERMISSIONS: JsonSchema = { type: 'object', additionalProperties: { type: 'object' } }

/** What the asker may do. */
export const PERMISSIONS_SCHEMA: JsonSchema = object({ collections: PERMISSIONS, globals: PERMISSIONS })

const ID: JsonSchema = { type: 'string', format: 'uuid' }

/** The operations of a batch. */
export const batchSchema = (collections: readonly string[], maxItems: number): JsonSchema =>
  object({
    operations: {
      type: 'array',
      maxItems,
      items: {
        type: 'object',
        properties: {
          op: { enum: ['create', 'update', 'delete'] },
          collection: { enum: collections },
          id: ID,
          ifMatch: { type: 'string' },
          data: { type: 'object' },
        },
        required: ['op', 'collection'],
        additionalProperties: false,
      },
    },
  })

/** What became of each. */
export const BATCH_RESULTS_SCHEMA: JsonSchema = object({
  results: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        op: { enum: ['create', 'update', 'delete'] },
        collection: { type: 'string' },
        id: ID,
        etag: { type: 'string' },
        entry: { type: 'object' },
      },
      required: ['op', 'collection', 'id'],
    },
  },
})
