import { IDENTITY_SCHEMA } from '../../auth/adapter.ts'
import { TAGS_SCHEMA } from '../../content/reads/index.ts'
import { BATCH_OPS } from '../../content/writes/index.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { CollectionModel, LocalesModel } from '../../model/model.ts'
import { MAX_COUNTED_VALUES } from '../../query/aggregates.ts'
import { MAX_PAGE } from '../../query/document-query.ts'
import { SIDE_ACTIONS, STATE_ACTIONS } from '../../store/journal-actions.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import type { PathParameters } from '../contract.ts'

const WHOLE_NUMBER: JsonSchema = { type: 'integer', minimum: 0 }

type Properties = Readonly<Record<string, JsonSchema>>

export const objectSchema = (required: Properties, optional: Properties = {}): JsonSchema => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
})

/** The results of `aggregate`: counts by value, or single values. */
const AGGREGATES: JsonSchema = {
  type: 'object',
  additionalProperties: {
    anyOf: [
      {
        type: 'array',
        items: objectSchema({ value: { type: ['string', 'number', 'boolean', 'null'] }, count: WHOLE_NUMBER }),
        maxItems: MAX_COUNTED_VALUES,
      },
      { type: ['string', 'number', 'null'] },
    ],
  },
}

export const EXAMPLE_ID = '01936b1e-7c00-7a3e-8f5d-2b9c4d6e8f10'

const TOTAL: JsonSchema = { ...WHOLE_NUMBER, examples: [1] }
const OFFSET: JsonSchema = { ...WHOLE_NUMBER, examples: [0] }

export const listSchema = (collection: CollectionModel): JsonSchema =>
  buildListSchema(collection, collection.schemas.read, { aggregates: AGGREGATES })

export const buildListSchema = (
  { key, maxLimit, holdsFiles }: CollectionModel,
  entry: JsonSchema,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema =>
  objectSchema(
    {
      ...(holdsFiles ? {} : { collection: { const: key } }),
      total: TOTAL,
      limit: { ...WHOLE_NUMBER, maximum: maxLimit },
      offset: OFFSET,
      items: { type: 'array', items: entry, maxItems: maxLimit },
      nextCursor: { type: ['string', 'null'], examples: [null] },
    },
    optional,
  )

const REFERRER = {
  collection: { type: 'string', examples: ['posts'] },
  id: { type: 'string', examples: [EXAMPLE_ID] },
} as const

const buildReferrersSchema = (item: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  objectSchema({
    total: TOTAL,
    limit: { ...WHOLE_NUMBER, maximum: MAX_PAGE },
    offset: OFFSET,
    items: { type: 'array', items: objectSchema({ ...REFERRER, ...item }), maxItems: MAX_PAGE },
  })

export const REFERENCES_SCHEMA: JsonSchema = buildReferrersSchema({ field: { type: 'string', examples: ['author'] } })

export const BROKEN_LINKS_SCHEMA: JsonSchema = buildReferrersSchema({
  field: { type: 'string', examples: ['body'] },
  link: {
    type: 'string',
    description: 'The address in the text: `daybook:COLLECTION/ID`, or the address of a file.',
    examples: [`daybook:posts/${EXAMPLE_ID}`],
  },
})

export const ACTIONS_SCHEMA: JsonSchema = objectSchema({
  actions: {
    type: 'object',
    additionalProperties: objectSchema({}, { description: { type: 'string' }, input: { type: 'object' } }),
  },
})

export const SESSION_SCHEMA: JsonSchema = objectSchema({
  authenticated: { type: 'boolean' },
  principal: { type: ['object', 'null'] },
  identity: { anyOf: [IDENTITY_SCHEMA, { type: 'null' }] },
})

export const ACTOR_NAMES_SCHEMA: JsonSchema = objectSchema({
  people: {
    type: 'array',
    items: objectSchema({ subject: { type: 'string' }, name: { type: 'string', examples: ['Inés'] } }),
  },
})

const CLOSED_FIELDS: JsonSchema = {
  type: 'object',
  description: 'The fields that the caller may read but not write.',
  additionalProperties: objectSchema({ read: { const: true }, write: { const: false } }),
}
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
      restore: PERMISSION,
      fields: CLOSED_FIELDS,
    },
    required: ['read', 'fields'],
    additionalProperties: false,
  },
}

const FLAG: JsonSchema = { type: 'boolean' }

/** The permissions of the caller: on all collections and globals, or on one document. */
export const PERMISSIONS_SCHEMA: JsonSchema = {
  anyOf: [
    objectSchema({ collections: PERMISSIONS, globals: PERMISSIONS }),
    {
      ...objectSchema(
        { read: { const: true }, update: FLAG, fields: CLOSED_FIELDS },
        {
          delete: FLAG,
          restore: FLAG,
          draft: { ...FLAG, description: 'True if the caller sees the draft.' },
          saveDraft: FLAG,
          publish: FLAG,
          unpublish: FLAG,
          statuses: {
            type: 'object',
            description: 'Each status of the collection: true if an update may give it to the entry.',
            additionalProperties: FLAG,
          },
        },
      ),
      additionalProperties: false,
    },
  ],
}

const DOCUMENT_ID: JsonSchema = { type: 'string', format: 'uuid' }

/** Any entry. The OpenAPI document replaces it with the schemas of all collections. */
export const ANY_ENTRY: JsonSchema = { type: 'object' }
/** Any operation of a batch. The OpenAPI document replaces it with the schemas of all collections. */
export const ANY_OPERATION: JsonSchema = { type: 'object' }

export const batchSchema = (maxItems: number): JsonSchema => ({
  ...objectSchema({ operations: { type: 'array', maxItems, items: ANY_OPERATION } }),
  additionalProperties: false,
})

/**
 * Returns the schema of batch operations on one collection.
 *
 * @param update the body of an update
 * @param create the body of a create; absent if entries cannot be created
 * @param publication the bodies of publish and unpublish; absent if entries have no status
 */
export function operationSchema(
  collection: string,
  update: JsonSchema,
  { create, publication }: { readonly create?: JsonSchema; readonly publication?: PublicationBodies },
): JsonSchema {
  const common = { collection: { const: collection } }
  const named = { ...common, id: DOCUMENT_ID }
  return {
    oneOf: [
      ...(create ? [oneOperation({ op: { const: 'create' }, ...common, data: create })] : []),
      oneOperation({ op: { const: 'update' }, ...named, data: update }),
      oneOperation({ op: { const: 'delete' }, ...named }),
      oneOperation({ op: { const: 'restore' }, ...named, data: RESTORE_BODY }),
      ...(publication
        ? [
            oneOperation({ op: { const: 'publish' }, ...named }, { data: publication.publish }),
            oneOperation({ op: { const: 'unpublish' }, ...named }, { data: publication.unpublish }),
          ]
        : []),
    ],
  }
}

function oneOperation(
  required: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return { ...objectSchema(required, { ...optional, ifMatch: TAGS_SCHEMA }), additionalProperties: false }
}

const TIME: JsonSchema = { type: ['string', 'null'], format: 'date-time', examples: ['2026-12-24T18:00:00Z'] }

/** The version to restore; optional for a deleted entry. */
export const RESTORE_BODY: JsonSchema = {
  type: 'object',
  properties: {
    revision: {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The revision. For a deleted entry, it defaults to the last one.',
      examples: [1],
    },
    slug: {
      type: 'string',
      description: 'For a deleted entry: a new slug, if another entry has the former one now.',
      examples: ['hello-again'],
    },
  },
  additionalProperties: false,
}

export type PublicationBodies = Readonly<Record<'publish' | 'unpublish', JsonSchema>>

/** @param locales the locales that can be published separately; `undefined` if entries have no localized fields */
export function publicationBodies(locales: LocalesModel | undefined): PublicationBodies {
  const named: JsonSchema = { type: ['array', 'null'], items: { enum: locales?.available ?? [] }, minItems: 1 }
  const bodyAt = (time: string): JsonSchema => {
    const properties = { [time]: TIME, ...(locales ? { locales: named } : {}) }
    return { type: 'object', properties, additionalProperties: false }
  }
  return { publish: bodyAt('publishAt'), unpublish: bodyAt('unpublishAt') }
}

export const BATCH_RESULTS_SCHEMA: JsonSchema = objectSchema({
  results: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        op: { enum: BATCH_OPS },
        collection: { type: 'string' },
        id: DOCUMENT_ID,
        etag: { type: 'string' },
        entry: ANY_ENTRY,
      },
      required: ['op', 'collection', 'id'],
    },
  },
})

export const BULK_RESULT_SCHEMA: JsonSchema = objectSchema({
  collection: { type: 'string' },
  matched: { type: 'integer', minimum: 0 },
  changed: { type: 'integer', minimum: 0 },
})

/** A version of a document, without its content. */
const VERSION_PROPERTIES: Properties = {
  revision: { type: 'integer', minimum: 1, examples: [1] },
  at: { type: 'string', format: 'date-time' },
  action: { enum: [...STATE_ACTIONS, 'draft'] },
  isDraft: { type: 'boolean' },
}
const OPTIONAL_VERSION_PROPERTIES: Properties = { actor: { type: 'string' }, erased: { const: true } }

export const VERSIONS_SCHEMA: JsonSchema = objectSchema({
  items: { type: 'array', items: objectSchema(VERSION_PROPERTIES, OPTIONAL_VERSION_PROPERTIES), maxItems: MAX_PAGE },
  nextCursor: { type: ['string', 'null'], examples: [null] },
})

/** Returns the schema of an entry's id, title and further properties. */
export const buildTitleSchema = (required: Properties = {}, optional: Properties = {}): JsonSchema =>
  objectSchema(
    {
      collection: { type: 'string', examples: ['posts'] },
      id: { type: 'string', examples: [EXAMPLE_ID] },
      title: { type: ['string', 'null'], examples: ['My first post'] },
      ...required,
    },
    {
      slug: { type: 'string', examples: ['my-first-post'] },
      status: { type: 'string', examples: ['published'] },
      ...optional,
    },
  )

/** Returns the schema of a page without a total. */
export const buildCursorPageSchema = (item: JsonSchema): JsonSchema =>
  objectSchema({
    items: { type: 'array', items: item },
    nextCursor: { type: ['string', 'null'], examples: [null] },
  })

export const DELETED_ENTRIES_SCHEMA: JsonSchema = buildCursorPageSchema(
  buildTitleSchema({ deletedAt: { type: 'string', format: 'date-time' } }, { deletedBy: { type: ['string', 'null'] } }),
)

const PATCH_OPERATION: JsonSchema = {
  oneOf: [
    objectSchema({ op: { enum: ['add', 'replace'] }, path: { type: 'string' }, value: {} }),
    objectSchema({ op: { const: 'remove' }, path: { type: 'string' } }),
  ],
}

/** A version, or the difference between two. */
export const VERSION_SCHEMA: JsonSchema = {
  anyOf: [
    objectSchema({ ...VERSION_PROPERTIES, data: { type: ['object', 'null'] } }, OPTIONAL_VERSION_PROPERTIES),
    objectSchema({
      revision: { type: 'integer', minimum: 1 },
      against: { type: 'integer', minimum: 1 },
      patch: { type: 'array', items: PATCH_OPERATION },
    }),
  ],
}

export const CHANGES_SCHEMA: JsonSchema = objectSchema({
  items: {
    type: 'array',
    items: {
      anyOf: [
        objectSchema(
          { action: { const: 'upsert' }, collection: { type: 'string' }, id: DOCUMENT_ID, data: ANY_ENTRY },
          { slug: { type: 'string' } },
        ),
        objectSchema({
          action: { const: 'upsert' },
          collection: { const: GLOBALS },
          id: { type: 'string' },
          data: { type: 'object' },
        }),
        objectSchema({ action: { const: 'delete' }, collection: { type: 'string' }, id: { type: 'string' } }),
      ],
    },
  },
  next: { type: 'string' },
})

export const PRESENCE_SCHEMA: JsonSchema = objectSchema({
  present: {
    type: 'array',
    items: objectSchema({ subject: { type: 'string' }, since: { type: 'string', format: 'date-time' } }),
  },
})

export const JOURNAL_SCHEMA: JsonSchema = objectSchema({
  items: {
    type: 'array',
    items: objectSchema(
      {
        seq: WHOLE_NUMBER,
        at: { type: 'string', format: 'date-time' },
        action: { enum: [...STATE_ACTIONS, ...SIDE_ACTIONS] },
        collection: { type: 'string' },
        id: { type: 'string' },
      },
      { actor: { type: 'string' } },
    ),
  },
  next: WHOLE_NUMBER,
})

const CHANGE_NUMBER: JsonSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

export const UNDO_BODY: JsonSchema = {
  ...objectSchema({ from: CHANGE_NUMBER }, { to: CHANGE_NUMBER, actor: { type: 'string', minLength: 1 } }),
  additionalProperties: false,
}

export const UNDO_REPORT_SCHEMA: JsonSchema = objectSchema({
  undone: {
    type: 'array',
    items: objectSchema({
      collection: { type: 'string' },
      id: { type: 'string' },
      action: { enum: ['create', 'delete', 'restore', 'draft', 'discard', 'unschedule', 'update'] },
      seq: CHANGE_NUMBER,
    }),
  },
  blocked: {
    type: 'array',
    items: objectSchema({
      collection: { type: 'string' },
      id: { type: 'string' },
      reason: {
        enum: ['access', 'changed_since', 'conflict', 'erased', 'file', 'hook', 'invalid', 'referenced', 'schedule'],
      },
      changes: { type: 'array', items: CHANGE_NUMBER },
    }),
  },
})

export const ENTRY_PATH = '/api/:collection/:id'

export const BY_ID: PathParameters = {
  id: { description: 'The id of the entry.', schema: { type: 'string', format: 'uuid' }, example: EXAMPLE_ID },
}
