import {
  createPreview,
  executePublication,
  MAX_PREVIEW_SECONDS,
  type PublicationOp,
  prepareUnschedule,
  revokePreviews,
} from '../../content/drafts/index.ts'
import type { Engine } from '../../content/engine.ts'
import { execute, writeContext } from '../../content/writes/index.ts'
import type { JsonSchema } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import { DRY_RUN, hasDrafts } from '../../query/draft-query.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { jsonBody, optionalJsonBody } from '../body.ts'
import { preconditions } from '../conditions.ts'
import { defineRoute, type Route, WRITE_ERRORS, writeAnswer } from '../contract.ts'
import { dryReply, goneReply, PRIVATE, writeReply } from '../respond.ts'
import { BY_ID, ENTRY_PATH } from './entry-path.ts'
import { objectSchema, publicationBodies, RESTORE_BODY } from './schemas.ts'

/** Publishing, schedules and restoring, of collections where these mean something. */
export function draftRoutes(engine: Engine, collection: CollectionModel): readonly Route[] {
  const bodies = publicationBodies(collection.localized.size > 0 ? engine.model.locales : undefined)
  const restore = publicationRoute(engine, collection, 'restore', {
    summary: collection.status
      ? 'Makes the content of an earlier version the working copy; a deleted entry comes back as a draft.'
      : 'Makes the content of an earlier version a new one; a deleted entry comes back.',
    body: jsonBody('The version, and the slug of a deleted entry.', RESTORE_BODY),
  })
  if (!collection.status) return [restore]
  return [
    restore,
    publicationRoute(engine, collection, 'publish', {
      summary: 'Publishes the working copy of an entry, now or at a time.',
      body: optionalJsonBody('In which locales, and when; by default in all of them, now.', bodies.publish),
    }),
    publicationRoute(engine, collection, 'unpublish', {
      summary: 'Takes an entry out of what everybody reads, now or at a time.',
      body: optionalJsonBody('In which locales, and when; by default in all of them, now.', bodies.unpublish),
    }),
    unscheduleRoute(engine, collection),
    previewRoute(engine, collection),
    revokeRoute(engine, collection),
  ]
}

function publicationRoute(
  engine: Engine,
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
    parameters: DRY_RUN,
    conditions: ['ifMatch', 'ifNoneMatch'],
    ...(body ? { body } : {}),
    answers: [writeAnswer(200, 'The entry.', collection.schemas.read)],
    showsDrafts: hasDrafts(collection),
    errors: [...WRITE_ERRORS, 'PRECONDITION_REQUIRED'],
    run: async ({ access, body: given, conditions, path, query }) => {
      const isDry = query.values.dryRun === 'true'
      const context = await writeContext(engine, access, { isDry })
      const options = preconditions(conditions)
      const answer = await executePublication(context, collection, op, path.id ?? '', given, options)
      return isDry ? dryReply(200, answer.json) : writeReply(200, answer)
    },
  })
}

function unscheduleRoute(engine: Engine, collection: CollectionModel): Route {
  return defineRoute({
    method: 'DELETE',
    path: `${ENTRY_PATH}/schedule`,
    pathParameters: BY_ID,
    operationId: 'unscheduleEntry',
    resource: collection,
    protection: 'session',
    action: 'update',
    summary: 'Forgets the times at which an entry was to be published or unpublished.',
    parameters: DRY_RUN,
    conditions: ['ifMatch', 'ifNoneMatch'],
    answers: [
      {
        status: 204,
        description: 'No time is set any more.',
        headers: ['Cache-Control', 'Daybook-Seq', 'Daybook-Dry-Run'],
      },
    ],
    errors: WRITE_ERRORS,
    run: async ({ access, path, query }) => {
      const isDry = query.values.dryRun === 'true'
      const context = await writeContext(engine, access, { isDry })
      const { seq } = await execute(context, () => prepareUnschedule(context, collection, path.id ?? ''))
      return goneReply(seq, isDry)
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

function previewRoute(engine: Engine, collection: CollectionModel): Route {
  return defineRoute({
    method: 'POST',
    path: PREVIEW_PATH,
    pathParameters: BY_ID,
    operationId: 'previewEntry',
    resource: collection,
    protection: 'session',
    action: 'update',
    summary: 'Makes a token that shows the working copy of an entry to all who have it.',
    parameters: NO_PARAMETERS,
    conditions: ['ifMatch', 'ifNoneMatch'],
    body: optionalJsonBody('For how long, in seconds; by default an hour.', PREVIEW_BODY),
    answers: [
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
      const preview = await createPreview(engine, access, collection, path.id ?? '', body)
      return { status: 201, json: JSON.stringify(preview), headers: PRIVATE }
    },
  })
}

function revokeRoute(engine: Engine, collection: CollectionModel): Route {
  return defineRoute({
    method: 'DELETE',
    path: PREVIEW_PATH,
    pathParameters: BY_ID,
    operationId: 'revokePreviewsOfEntry',
    resource: collection,
    protection: 'session',
    action: 'update',
    summary: 'Ends all previews of an entry.',
    parameters: NO_PARAMETERS,
    conditions: ['ifMatch', 'ifNoneMatch'],
    answers: [{ status: 204, description: 'Its tokens show nothing any more.', headers: ['Cache-Control'] }],
    errors: WRITE_ERRORS,
    run: async ({ access, path }) => {
      await revokePreviews(engine, access, collection, path.id ?? '')
      return { status: 204, headers: { 'Cache-Control': PRIVATE['Cache-Control'] } }
    },
  })
}
