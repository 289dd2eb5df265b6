import type { ContentContext } from '../../content/context.ts'
import {
  type BulkResult,
  bulkDelete,
  bulkUpdate,
  createWriteContext,
  MAX_BULK_ENTRIES,
} from '../../content/writes/index.ts'
import type { ErrorCode } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import { bulkParameters } from '../../query/list-query.ts'
import { jsonBody, MERGE_PATCH } from '../body.ts'
import { defineRoute, type ResponseContract, type Route, WRITE_ERRORS } from '../contract.ts'
import { getPreconditions } from '../request-headers.ts'
import { buildChangeHeaders, type HttpResponse, PRIVATE_HEADERS } from '../response.ts'
import { BULK_RESULT_SCHEMA } from './schemas.ts'

const RESPONSES: readonly ResponseContract[] = [
  {
    status: 200,
    description: 'The number of entries that matched, and of those that have changed.',
    schema: BULK_RESULT_SCHEMA,
    name: 'bulkResult',
    headers: ['Cache-Control', 'Vary', 'Daybook-First-Seq', 'Daybook-Seq', 'Daybook-Dry-Run'],
  },
]
const ERRORS: readonly ErrorCode[] = [...WRITE_ERRORS, 'PRECONDITION_REQUIRED']

export function bulkRoutes(context: ContentContext, collection: CollectionModel): readonly Route[] {
  return [updateManyRoute(context, collection), deleteManyRoute(context, collection)]
}

/** The common members of both routes. */
const getSharedParts = ({ model }: ContentContext, collection: CollectionModel) =>
  ({
    path: '/api/:collection',
    resource: collection,
    protection: 'session',
    parameters: bulkParameters(collection, model.locales),
    checksQuery: true,
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    responses: RESPONSES,
    errors: ERRORS,
  }) as const

function updateManyRoute(context: ContentContext, collection: CollectionModel): Route {
  return defineRoute({
    ...getSharedParts(context, collection),
    method: 'PATCH',
    operationId: 'patchMany',
    action: 'update',
    summary: `Merges the body into every matching entry, in one transaction (RFC 7396); at most ${MAX_BULK_ENTRIES} entries.`,
    body: jsonBody('The fields to change.', collection.schemas.update, [MERGE_PATCH]),
    run: async ({ access, body, headers, query }) => {
      const writeContext = await createWriteContext(context, access, { locale: query.partial.locale })
      return toResponse(
        await bulkUpdate(writeContext, { collection, query }, body, getPreconditions(headers)),
        query.values,
      )
    },
  })
}

function deleteManyRoute(context: ContentContext, collection: CollectionModel): Route {
  return defineRoute({
    ...getSharedParts(context, collection),
    method: 'DELETE',
    operationId: 'deleteMany',
    action: 'delete',
    summary: `Deletes every matching entry, in one transaction; at most ${MAX_BULK_ENTRIES} entries.`,
    run: async ({ access, headers, query }) => {
      const writeContext = await createWriteContext(context, access)
      return toResponse(await bulkDelete(writeContext, { collection, query }, getPreconditions(headers)), query.values)
    },
  })
}

function toResponse(
  { collection, matched, changed, firstSeq, seq = 0 }: BulkResult,
  { dryRun }: { readonly dryRun?: string | undefined },
): HttpResponse {
  const headers = {
    ...PRIVATE_HEADERS,
    ...buildChangeHeaders(firstSeq, seq),
    ...(dryRun === 'true' ? { 'Daybook-Dry-Run': 'true' } : {}),
  }
  return { status: 200, json: JSON.stringify({ collection, matched, changed }), headers }
}
