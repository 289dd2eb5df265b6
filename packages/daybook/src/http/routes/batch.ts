import type { ContentContext } from '../../content/context.ts'
import {
  type BatchResult,
  type CommittedWrites,
  createWriteContext,
  MAX_OPERATIONS,
  runBatch,
} from '../../content/writes/index.ts'
import { isRecord } from '../../fields/field.ts'
import { DRY_RUN_PARAMETERS } from '../../query/draft-query.ts'
import { writeLocaleParameter } from '../../query/locale-parameters.ts'
import { jsonBody } from '../body.ts'
import { defineRoute, type Route, WRITE_ERRORS } from '../contract.ts'
import { IDEMPOTENCY_ERRORS, type ResponseEntry, withIdempotency } from '../idempotency.ts'
import { buildChangeHeaders, buildDryRunResponse, PRIVATE_HEADERS, type TextResponse } from '../response.ts'
import { BATCH_RESULTS_SCHEMA, batchSchema } from './schemas.ts'

export interface BatchParts {
  readonly context: ContentContext
  /** The number of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: number
}

/** The route that runs several writes in one transaction. */
export function batchRoutes({ context, trustProxy }: BatchParts): readonly Route[] {
  const { collections, locales } = context.model
  return [
    defineRoute({
      method: 'POST',
      path: '/api/cms/batch',
      operationId: 'runBatch',
      protection: 'session',
      summary: 'Creates, updates and deletes entries in one transaction: all operations are stored, or none.',
      parameters: { ...writeLocaleParameter(locales), ...DRY_RUN_PARAMETERS },
      requestHeaders: ['ifMatch', 'ifNoneMatch', 'idempotencyKey'],
      body: jsonBody('The operations, in order.', batchSchema(MAX_OPERATIONS)),
      responses: [
        {
          status: 200,
          description: 'The result of each operation.',
          schema: BATCH_RESULTS_SCHEMA,
          name: 'batchResults',
          headers: [
            'Cache-Control',
            'Vary',
            'Daybook-First-Seq',
            'Daybook-Seq',
            'Daybook-Dry-Run',
            'Idempotency-Replayed',
          ],
        },
      ],
      errors: [...WRITE_ERRORS, ...IDEMPOTENCY_ERRORS, 'PRECONDITION_REQUIRED'],
      run: async ({ access, body, headers, query, request }) => {
        const { locale, dryRun } = query.values
        if (dryRun === 'true') {
          const { results } = await runBatch(await createWriteContext(context, access, { locale, isDry: true }), body)
          return buildDryRunResponse(200, formatResults(results, true))
        }
        const collectionKeys = listNamedCollections(body)
        const write = {
          request: ['batch', body, ...(locale === undefined ? [] : [locale])],
          collections: [...collections.values()].filter(({ key }) => collectionKeys.includes(key)),
          listEntries: listStoredEntries,
        }
        const options = { context, access, key: headers.idempotencyKey, request, trustProxy }
        return withIdempotency(options, write, toResponse, async (transact) =>
          runBatch(await createWriteContext(context, access, { locale, transact }), body),
        )
      },
    }),
  ]
}

function listNamedCollections(body: unknown): readonly unknown[] {
  const operations = isRecord(body) && Array.isArray(body.operations) ? body.operations : []
  return operations.map((operation) => (isRecord(operation) ? operation.collection : undefined))
}

function listStoredEntries(stored: string): readonly ResponseEntry[] {
  const { results }: { results: readonly (ResponseEntry & { readonly entry?: unknown })[] } = JSON.parse(stored)
  return results.filter(({ entry }) => entry !== undefined)
}

/** @param isDry true for a dry run, whose entries have no revision and so no tag */
function formatResults(results: readonly BatchResult[], isDry = false): string {
  const parts = results.map(({ op, collection, id, entry }) => {
    const etag = !entry || isDry ? '' : `,"etag":${JSON.stringify(entry.tag)}`
    const members = entry ? `${etag},"entry":${entry.json}` : ''
    return `{"op":"${op}","collection":"${collection}","id":"${id}"${members}}`
  })
  return `{"results":[${parts.join(',')}]}`
}

function toResponse({ results, firstSeq }: CommittedWrites<BatchResult>): TextResponse {
  const seq = Math.max(0, ...results.map((result) => result.seq))
  return {
    status: 200,
    json: formatResults(results),
    headers: { ...PRIVATE_HEADERS, ...buildChangeHeaders(firstSeq, seq) },
  }
}
