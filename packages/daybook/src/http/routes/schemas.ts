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
  identity: {
    anyOf: [
      object({
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
        additionalProperties: object({ read: { const: true }, write: { const: false } }),
      },
    },
    required: ['read', 'fields'],
    additionalProperties: false,
  },
}

/** What the asker may do. */
export const PERMISSIONS_SCHEMA: JsonSchema = object({ collections: PERMISSIONS, globals: PERMISSIONS })

const ID: JsonSchema = { type: 'string', format: 'uuid' }

/** The key of a collection. The OpenAPI document has those in its place that its reader may know. */
export const COLLECTION_KEY: JsonSchema = { type: 'string' }
/** An entry of some collection. The OpenAPI document has the schemas of all of them in its place. */
export const ANY_ENTRY: JsonSchema = { type: 'object' }

/** The operations of a batch. */
export const batchSchema = (maxItems: number): JsonSchema =>
  object({
    operations: {
      type: 'array',
      maxItems,
      items: {
        type: 'object',
        properties: {
          op: { enum: ['create', 'update', 'delete'] },
          collection: COLLECTION_KEY,
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
        entry: ANY_ENTRY,
      },
      required: ['op', 'collection', 'id'],
    },
  },
})
