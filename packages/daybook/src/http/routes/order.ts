import type { ContentContext } from '../../content/context.ts'
import { createWriteContext, execute, moveSchema, parseMove, prepareMove } from '../../content/writes/index.ts'
import type { CollectionModel } from '../../model/model.ts'
import { DRY_RUN_PARAMETERS } from '../../query/draft-query.ts'
import { jsonBody } from '../body.ts'
import { defineRoute, describeWriteResponse, type Route, WRITE_ERRORS } from '../contract.ts'
import { getPreconditions } from '../request-headers.ts'
import { buildDryRunResponse, buildWriteResponse } from '../response.ts'
import { BY_ID, ENTRY_PATH } from './schemas.ts'

/** The route of moves in the order by hand, if the collection is orderable. */
export function orderRoutes(context: ContentContext, collection: CollectionModel): readonly Route[] {
  if (!collection.orderable) return []
  const move = defineRoute({
    method: 'POST',
    path: `${ENTRY_PATH}/move`,
    pathParameters: BY_ID,
    operationId: 'moveEntry',
    resource: collection,
    protection: 'session',
    action: 'update',
    summary: 'Moves an entry in the order by hand; in a tree, also to another parent.',
    parameters: DRY_RUN_PARAMETERS,
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    body: jsonBody('One of before, after and position; in a tree also parent.', moveSchema(collection)),
    responses: [describeWriteResponse(200, 'The stored entry.', collection.schemas.read)],
    errors: [...WRITE_ERRORS, 'PRECONDITION_REQUIRED'],
    run: async ({ access, body, headers, path, query }) => {
      const isDry = query.values.dryRun === 'true'
      const writeContext = await createWriteContext(context, access, { isDry })
      const move = parseMove(writeContext, collection, body)
      const options = getPreconditions(headers)
      const entry = await execute(writeContext, () =>
        prepareMove(writeContext, collection, path.id ?? '', move, options),
      )
      return isDry ? buildDryRunResponse(200, entry.json) : buildWriteResponse(200, entry)
    },
  })
  return [move]
}
