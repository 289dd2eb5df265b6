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
  identity: {
    anyOf: [
      objectSchema({
        provider: { type: 'string' },
        subject: { type: 'string' },
        sessionId: { type: 'string' },
        actorType: { enum: ['human', 'service'] },
        expiresAt: { type: ['string', 'null'] },
        claims: { type: 'object' },
        roles: { type: 'array', items: { type: 'string' } },
      }),
      { type: 'null' },
    ],
  },
})

const PERMISSION: JsonSchema = { enum: [true, false, 'some'] }
const PERMISSIONS: JsonSchema = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      read: PERMISSION,
      create: PERMISSION,
      update: PERMISSION,
      delete: PERMISSION,
      fields: {
        type: 'object',
        additionalProperties: objectSchema({ read: { const: true }, write: { const: false } }),
      },
    },
    required: ['read', 'fields'],
    additionalProperties: false,
  },
}

/** The permissions of the caller. */
export const PERMISSIONS_SCHEMA: JsonSchema = objectSchema({ collections: PERMISSIONS, globals: PERMISSIONS })

const DOCUMENT_ID: JsonSchema = { type: 'string', format: 'uuid' }

/** The key of a collection. The OpenAPI document has those in its place that its reader may know. */
export const COLLECTION_KEY: JsonSchema = { type: 'string' }
/** An entry of some collection. The OpenAPI document has the schemas of all of them in its place. */
export const ANY_ENTRY: JsonSchema = { type: 'object' }

/** The operations of a batch. */
export const batchSchema = (maxItems: number): JsonSchema =>
  objectSchema({
    operations: {
      type: 'array',
      maxItems,
      items: {
        type: 'object',
        properties: {
          op: { enum: ['create', 'update', 'delete'] },
          collection: COLLECTION_KEY,
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
        entry: ANY_ENTRY,
      },
      required: ['op', 'collection', 'id'],
    },
  },
})
