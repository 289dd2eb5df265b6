import type { ContentContext } from '../../content/context.ts'
import {
  createPreview,
  executePublication,
  MAX_PREVIEW_SECONDS,
  type PublicationOp,
  prepareUnschedule,
  revokePreviews,
} from '../../content/drafts/index.ts'
import { createWriteContext, execute } from '../../content/writes/index.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import { DRY_RUN_PARAMETERS, hasDrafts } from '../../query/draft-query.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { jsonBody, optionalJsonBody } from '../body.ts'
import { defineRoute, describeWriteResponse, type Route, WRITE_ERRORS } from '../contract.ts'
import { getPreconditions } from '../request-headers.ts'
import { buildDryRunResponse, buildNoContentResponse, buildWriteResponse, PRIVATE_HEADERS } from '../response.ts'
import { BY_ID, ENTRY_PATH, objectSchema, publicationBodies, RESTORE_BODY } from './schemas.ts'

/** Routes of publication, schedules, previews and restoring, if the collection has a status; otherwise of restoring only. */
export function draftRoutes(context: ContentContext, collection: CollectionModel): readonly Route[] {
  const bodies = publicationBodies(collection.localized.size > 0 ? context.model.locales : undefined)
  const restore = publicationRoute(context, collection, 'restore', {
    summary: collection.status
      ? 'Makes the content of an earlier version the draft; a deleted entry is restored with the status draft.'
      : 'Restores the content of an earlier version as a new one, or a deleted entry.',
    body: jsonBody('The version, and the slug of a deleted entry.', RESTORE_BODY),
  })
  if (!collection.status) return [restore]
  return [
    restore,
    publicationRoute(context, collection, 'publish', {
      summary: 'Publishes the draft of an entry, now or at a given time.',
      body: optionalJsonBody('The locales and the time; by default all locales, now.', bodies.publish),
    }),
    publicationRoute(context, collection, 'unpublish', {
      summary: 'Unpublishes an entry, now or at a given time.',
      body: optionalJsonBody('The locales and the time; by default all locales, now.', bodies.unpublish),
    }),
    unscheduleRoute(context, collection),
    previewRoute(context, collection),
    revokeRoute(context, collection),
  ]
}

function publicationRoute(
  context: ContentContext,
  collection: CollectionModel,
  op: PublicationOp,
  { summary, body }: Pick<Route, 'summary' | 'body'>,
): Route {
  return defineRoute({
    method: 'POST',
    path: `${ENTRY_PATH}/${op}`,
    pathParameters: BY_ID,
    operationId: `${op}Entry`,
    resource: collection,
    protection: 'session',
    action: 'update',
    summary,
    parameters: DRY_RUN_PARAMETERS,
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    ...(body ? { body } : {}),
    responses: [describeWriteResponse(200, 'The entry.', collection.schemas.read)],
    showsDrafts: hasDrafts(collection),
    errors: [...WRITE_ERRORS, 'PRECONDITION_REQUIRED'],
    run: async ({ access, body: publication, headers, path, query }) => {
      const isDry = query.values.dryRun === 'true'
      const writeContext = await createWriteContext(context, access, { isDry })
      const options = getPreconditions(headers)
      const entry = await executePublication(writeContext, collection, op, path.id ?? '', publication, options)
      return isDry ? buildDryRunResponse(200, entry.json) : buildWriteResponse(200, entry)
    },
  })
}

function unscheduleRoute(context: ContentContext, collection: CollectionModel): Route {
  return defineRoute({
    method: 'DELETE',
    path: `${ENTRY_PATH}/schedule`,
    pathParameters: BY_ID,
    operationId: 'unscheduleEntry',
    resource: collection,
    protection: 'session',
    action: 'update',
    summary: 'Deletes the schedule of an entry.',
    parameters: DRY_RUN_PARAMETERS,
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    responses: [
      {
        status: 204,
        description: 'The entry has no schedule.',
        headers: ['Cache-Control', 'Daybook-Seq', 'Daybook-Dry-Run'],
      },
    ],
    errors: WRITE_ERRORS,
    run: async ({ access, path, query }) => {
      const isDry = query.values.dryRun === 'true'
      const writeContext = await createWriteContext(context, access, { isDry })
      const { seq } = await execute(writeContext, () => prepareUnschedule(writeContext, collection, path.id ?? ''))
      return buildNoContentResponse(seq, isDry)
    },
  })
}

const PREVIEW_BODY: JsonSchema = {
  type: 'object',
  properties: { expiresIn: { type: 'integer', minimum: 1, maximum: MAX_PREVIEW_SECONDS, examples: [3600] } },
  additionalProperties: false,
}
const PREVIEW_SCHEMA: JsonSchema = objectSchema({
  token: { type: 'string' },
  expiresAt: { type: 'string', format: 'date-time' },
})

const PREVIEW_PATH = `${ENTRY_PATH}/preview`

function previewRoute(context: ContentContext, collection: CollectionModel): Route {
  return defineRoute({
    method: 'POST',
    path: PREVIEW_PATH,
    pathParameters: BY_ID,
    operationId: 'previewEntry',
    resource: collection,
    protection: 'session',
    action: 'update',
    summary: 'Creates a token that shows the draft of an entry to everybody who has it.',
    parameters: NO_PARAMETERS,
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    body: optionalJsonBody('The lifetime in seconds; by default an hour.', PREVIEW_BODY),
    responses: [
      {
        status: 201,
        description: 'The token. It is shown once.',
        schema: PREVIEW_SCHEMA,
        name: 'preview',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    errors: WRITE_ERRORS,
    run: async ({ access, body, path }) => {
      const preview = await createPreview(context, access, collection, path.id ?? '', body)
      return { status: 201, json: JSON.stringify(preview), headers: PRIVATE_HEADERS }
    },
  })
}

function revokeRoute(context: ContentContext, collection: CollectionModel): Route {
  return defineRoute({
    method: 'DELETE',
    path: PREVIEW_PATH,
    pathParameters: BY_ID,
    operationId: 'revokePreviewsOfEntry',
    resource: collection,
    protection: 'session',
    action: 'update',
    summary: 'Revokes all previews of an entry.',
    parameters: NO_PARAMETERS,
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    responses: [{ status: 204, description: 'The tokens are revoked.', headers: ['Cache-Control'] }],
    errors: WRITE_ERRORS,
    run: async ({ access, path }) => {
      await revokePreviews(context, access, collection, path.id ?? '')
      return { status: 204, headers: { 'Cache-Control': PRIVATE_HEADERS['Cache-Control'] } }
    },
  })
}
