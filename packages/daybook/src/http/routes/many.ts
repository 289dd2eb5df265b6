import type { Engine } from '../../content/engine.ts'
import { deleteMany, MAX_MANY, type ManyResult, updateMany, writeContext } from '../../content/writes/index.ts'
import type { ErrorCode } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import { manyParameters } from '../../query/many-query.ts'
import { jsonBody, MERGE_PATCH } from '../body.ts'
import { preconditions } from '../conditions.ts'
import { type AnswerContract, defineRoute, type Route, WRITE_ERRORS } from '../contract.ts'
import { headersOfChanges, PRIVATE, type Reply } from '../respond.ts'
import { MANY_SCHEMA } from './schemas.ts'

const ANSWERS: readonly AnswerContract[] = [
  {
    status: 200,
    description: 'How many entries matched, and how many of them have changed.',
    schema: MANY_SCHEMA,
    name: 'manyResult',
    headers: ['Cache-Control', 'Vary', 'Daybook-First-Seq', 'Daybook-Seq', 'Daybook-Dry-Run'],
  },
]
const ERRORS: readonly ErrorCode[] = [...WRITE_ERRORS, 'PRECONDITION_REQUIRED']

/** Changes and deletes all entries that match. */
export function manyRoutes(engine: Engine, collection: CollectionModel): readonly Route[] {
  return [updateManyRoute(engine, collection), deleteManyRoute(engine, collection)]
}

/** What both have in common. */
const sharedParts = ({ model }: Engine, collection: CollectionModel) =>
  ({
    path: '/api/:collection',
    resource: collection,
    protection: 'session',
    parameters: manyParameters(collection, model.locales),
    checksQuery: true,
    conditions: ['ifMatch', 'ifNoneMatch'],
    answers: ANSWERS,
    errors: ERRORS,
  }) as const

function updateManyRoute(engine: Engine, collection: CollectionModel): Route {
  return defineRoute({
    ...sharedParts(engine, collection),
    method: 'PATCH',
    operationId: 'patchMany',
    action: 'update',
    summary: `Merges the body into every entry that matches, in one transaction (RFC 7396); ${MAX_MANY} at most.`,
    body: jsonBody('The fields to change.', collection.schemas.update, [MERGE_PATCH]),
    run: async ({ access, body, conditions, query }) => {
      const context = await writeContext(engine, access, { locale: query.partial.locale })
      return toReply(await updateMany(context, { collection, query }, body, preconditions(conditions)), query.values)
    },
  })
}

function deleteManyRoute(engine: Engine, collection: CollectionModel): Route {
  return defineRoute({
    ...sharedParts(engine, collection),
    method: 'DELETE',
    operationId: 'deleteMany',
    action: 'delete',
    summary: `Deletes every entry that matches, in one transaction; ${MAX_MANY} at most.`,
    run: async ({ access, conditions, query }) => {
      const context = await writeContext(engine, access)
      return toReply(await deleteMany(context, { collection, query }, preconditions(conditions)), query.values)
    },
  })
}

function toReply(
  { collection, matched, changed, firstSeq, seq = 0 }: ManyResult,
  { dryRun }: { readonly dryRun?: string | undefined },
): Reply {
  const headers = {
    ...PRIVATE,
    ...headersOfChanges(firstSeq, seq),
    ...(dryRun === 'true' ? { 'Daybook-Dry-Run': 'true' } : {}),
  }
  return { status: 200, json: JSON.stringify({ collection, matched, changed }), headers }
}
