import { getSubject } from '../../auth/adapter.ts'
import type { Access } from '../../content/access/access.ts'
import { authorizeDraft } from '../../content/access/draft-access.ts'
import type { ContentContext } from '../../content/context.ts'
import { authorizeEntryRead } from '../../content/reads/index.ts'
import { DaybookError, validationErrorAt } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import type { Presence } from '../../journal/live/presence.ts'
import type { CollectionModel } from '../../model/model.ts'
import { NO_PARAMETERS } from '../../query/parameters.ts'
import { readJson } from '../body.ts'
import { type BodyContract, defineRoute, READ_ERRORS, type Route } from '../contract.ts'
import { PRIVATE_HEADERS } from '../response.ts'
import { BY_ID, PRESENCE_SCHEMA } from './schemas.ts'

export interface PresenceParts {
  readonly context: ContentContext
  readonly presence: Presence
}

const PATH = '/api/:collection/:id/presence'

/** A body without content. */
const EMPTY_BODY: BodyContract = {
  description: 'Nothing, or an empty object.',
  mediaTypes: ['application/json'],
  schema: { type: 'object', additionalProperties: false },
  isRequired: false,
  read: async (request, limit) => {
    if (!request.headers.has('content-type')) return undefined
    const body = await readJson(request, limit)
    if (isRecord(body) && Object.keys(body).length === 0) return body
    throw validationErrorAt('/', 'maxProperties', 'must be an empty object, or left out', { limit: 0 })
  },
}

/** The routes that announce the callers who have an entry open. */
export function presenceRoutes(parts: PresenceParts): readonly Route[] {
  return [...parts.context.model.collections.values()].flatMap((collection) => buildRoutes(parts, collection))
}

function buildRoutes({ context, presence }: PresenceParts, collection: CollectionModel): readonly Route[] {
  const common = {
    path: PATH,
    pathParameters: BY_ID,
    resource: collection,
    protection: 'session',
    changesNothing: true,
    parameters: NO_PARAMETERS,
    requestHeaders: [],
  } as const
  return [
    defineRoute({
      ...common,
      method: 'POST',
      body: EMPTY_BODY,
      errors: [...READ_ERRORS, 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
      operationId: 'enterEntry',
      summary: 'Announces for 30 seconds that the caller has an entry open.',
      responses: [
        {
          status: 200,
          description: 'The callers who have it open.',
          schema: PRESENCE_SCHEMA,
          name: 'presence',
          headers: ['Cache-Control', 'Vary'],
        },
      ],
      run: async ({ access, path }) => {
        const { place, subject } = await findPlace(context, access, collection, path.id ?? '')
        const callers = presence.enter(place, subject)
        const present = access.canSeeAuthors(collection)
          ? callers
          : callers.filter((caller) => caller.subject === subject)
        return { status: 200, json: JSON.stringify({ present }), headers: PRIVATE_HEADERS }
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      errors: READ_ERRORS,
      operationId: 'leaveEntry',
      summary: 'Announces that the caller has closed an entry.',
      responses: [{ status: 204, description: 'The caller no longer has it open.', headers: ['Cache-Control'] }],
      run: async ({ access, path }) => {
        const { place, subject } = await findPlace(context, access, collection, path.id ?? '')
        presence.leave(place, subject)
        return { status: 204, headers: { 'Cache-Control': PRIVATE_HEADERS['Cache-Control'] } }
      },
    }),
  ]
}

/**
 * Returns the entry and the subject of the caller, who has to see the draft of the entry.
 *
 * @throws NOT_FOUND; FORBIDDEN if the caller may not see the draft
 */
async function findPlace(context: ContentContext, access: Access, collection: CollectionModel, id: string) {
  const subject = getSubject(access.caller)
  if (subject === null) throw new DaybookError('UNAUTHORIZED')
  const entryId = await authorizeEntryRead(context, access, collection, id)
  await authorizeDraft(access, context.store.read, collection, entryId)
  return { place: { collection: collection.key, id: entryId }, subject }
}
