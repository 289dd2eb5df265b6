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

/** The parts that the batch route needs. */
export interface BatchParts {
  readonly engine: ContentContext
  /** The number of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: number
}

/** The route that runs several writes in one transaction. */
export function batchRoutes({ engine, trustProxy }: BatchParts): readonly Route[] {
  const { collections, locales } = engine.model
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
      run: async ({ access, body, headers: conditions, query, request }) => {
        const { locale, dryRun } = query.values
        if (dryRun === 'true') {
          const { results } = await runBatch(await createWriteContext(engine, access, { locale, isDry: true }), body)
          return buildDryRunResponse(200, resultsText(results.map(withoutTag)))
        }
        const names = namedIn(body)
        const what = {
          request: ['batch', body, ...(locale === undefined ? [] : [locale])],
          collections: [...collections.values()].filter(({ key }) => names.includes(key)),
          listEntries: entriesInReply,
        }
        const repetition = { engine, access, key: conditions.idempotencyKey, request, trustProxy }
        return withIdempotency(repetition, what, toReply, async (transact) =>
          runBatch(await createWriteContext(engine, access, { locale, transact }), body),
        )
      },
    }),
  ]
}

/** Returns the collections in the operations of a batch, which may be malformed. */
function namedIn(body: unknown): readonly unknown[] {
  const operations = isRecord(body) && Array.isArray(body.operations) ? body.operations : []
  return operations.map((one) => (isRecord(one) ? one.collection : undefined))
}

function entriesInReply(stored: string): readonly ResponseEntry[] {
  const { results }: { results: readonly (ResponseEntry & { readonly entry?: unknown })[] } = JSON.parse(stored)
  return results.filter(({ entry }) => entry !== undefined)
}

/** Removes the tag of a dry run's result, which has no revision. */
const withoutTag = (result: BatchResult): ShownResult =>
  result.answer ? { ...result, answer: { json: result.answer.json } } : result

/** The part of a result that is in the response. */
type ShownResult = Omit<BatchResult, 'answer'> & { readonly answer?: { readonly json: string; readonly tag?: string } }

function resultsText(results: readonly ShownResult[]): string {
  const parts = results.map(({ op, collection, id, answer }) => {
    const etag = answer?.tag === undefined ? '' : `,"etag":${JSON.stringify(answer.tag)}`
    const entry = answer ? `${etag},"entry":${answer.json}` : ''
    return `{"op":"${op}","collection":"${collection}","id":"${id}"${entry}}`
  })
  return `{"results":[${parts.join(',')}]}`
}

function toReply({ results, firstSeq }: CommittedWrites<BatchResult>): TextResponse {
  const seq = Math.max(0, ...results.map((result) => result.seq))
  return {
    status: 200,
    json: resultsText(results),
    headers: { ...PRIVATE_HEADERS, ...buildChangeHeaders(firstSeq, seq) },
  }
}
