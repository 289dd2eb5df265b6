import type { JsonSchema } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'

const WHOLE_NUMBER: JsonSchema = { type: 'integer', minimum: 0 }

const objectSchema = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

/** One page of a collection. */
export const listSchema = ({ key, schemas }: CollectionModel): JsonSchema =>
  objectSchema({
    collection: { const: key },
    total: WHOLE_NUMBER,
    limit: WHOLE_NUMBER,
    offset: WHOLE_NUMBER,
    items: { type: 'array', items: schemas.read },
    nextCursor: { type: ['string', 'null'] },
  })

/** One page of the documents that refer to an entry. */
export const REFERENCES_SCHEMA: JsonSchema = objectSchema({
  total: WHOLE_NUMBER,
  limit: WHOLE_NUMBER,
  offset: WHOLE_NUMBER,
  items: {
    type: 'array',
    items: objectSchema({ collection: { type: 'string' }, id: { type: 'string' }, field: { type: 'string' } }),
  },
})

/** The session of a request. */
export const SESSION_SCHEMA: JsonSchema = objectSchema({
  authenticated: { type: 'boolean' },
  principal: { type: ['object', 'null'] },
  identity: { type: ['object', 'null'] },
})

const PERMISSIONS: JsonSchema = { type: 'object', additionalProperties: { type: 'object' } }

/** The permissions of the caller. */
export const PERMISSIONS_SCHEMA: JsonSchema = objectSchema({ collections: PERMISSIONS, globals: PERMISSIONS })

const DOCUMENT_ID: JsonSchema = { type: 'string', format: 'uuid' }

/** The operations of a batch. */
export const batchSchema = (collections: readonly string[], maxItems: number): JsonSchema =>
  objectSchema({
    operations: {
      type: 'array',
      maxItems,
      items: {
        type: 'object',
        properties: {
          op: { enum: ['create', 'update', 'delete'] },
          collection: { enum: collections },
          id: DOCUMENT_ID,
          ifMatch: { type: 'string' },
          data: { type: 'object' },
        },
        required: ['op', 'collection'],
        additionalProperties: false,
      },
    },
  })

/** The outcome of each operation. */
export const BATCH_RESULTS_SCHEMA: JsonSchema = objectSchema({
  results: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        op: { enum: ['create', 'update', 'delete'] },
        collection: { type: 'string' },
        id: DOCUMENT_ID,
        etag: { type: 'string' },
        entry: { type: 'object' },
      },
      required: ['op', 'collection', 'id'],
    },
  },
})
