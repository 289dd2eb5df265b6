import type { ContentContext } from '../../content/context.ts'
import { createWriteContext } from '../../content/writes/index.ts'
import { validationError } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import { createIssue, type Issue } from '../../issues.ts'
import { undo } from '../../journal/undo/undo.ts'
import { MAX_UNDONE, type UndoRange } from '../../journal/undo/undo-plan.ts'
import { unknownName } from '../../nearest.ts'
import { DRY_RUN_PARAMETERS } from '../../query/draft-query.ts'
import { jsonBody } from '../body.ts'
import { defineRoute, type Route, WRITE_ERRORS } from '../contract.ts'
import { buildChangeHeaders, buildDryRunResponse, PRIVATE_HEADERS } from '../response.ts'
import { UNDO_BODY, UNDO_REPORT_SCHEMA } from './schemas.ts'

export interface UndoParts {
  readonly context: ContentContext
}

export function undoRoutes({ context }: UndoParts): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/cms/undo',
      operationId: 'undoChanges',
      protection: 'session',
      summary: `Undoes a range of changes of the journal with new changes, in one transaction; at most ${MAX_UNDONE}.`,
      parameters: DRY_RUN_PARAMETERS,
      requestHeaders: ['ifMatch', 'ifNoneMatch'],
      body: jsonBody('The range of changes.', UNDO_BODY),
      responses: [
        {
          status: 200,
          description: 'The undone changes, and the documents that stay unchanged.',
          schema: UNDO_REPORT_SCHEMA,
          name: 'undoReport',
          headers: ['Cache-Control', 'Vary', 'Daybook-First-Seq', 'Daybook-Seq', 'Daybook-Dry-Run'],
        },
      ],
      errors: WRITE_ERRORS,
      run: async ({ access, body, query }) => {
        const isDry = query.values.dryRun === 'true'
        const range = readRange(body)
        const { report, firstSeq } = await undo(await createWriteContext(context, access, { isDry }), range)
        const json = JSON.stringify(report)
        if (isDry) return buildDryRunResponse(200, json)
        const seq = Math.max(0, ...report.undone.map((document) => document.seq))
        return { status: 200, json, headers: { ...PRIVATE_HEADERS, ...buildChangeHeaders(firstSeq, seq) } }
      },
    }),
  ]
}

/** @throws VALIDATION_ERROR */
function readRange(body: unknown): UndoRange {
  const members: Readonly<Record<string, unknown>> = isRecord(body) ? body : {}
  const { from, to, actor, ...unknownMembers } = members
  const isNumber = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1
  const issues: Issue[] = [
    ...(isRecord(body) ? [] : [createIssue('/', 'type', 'must be an object', { types: ['object'] })]),
    ...Object.keys(unknownMembers).map((key) =>
      createIssue(`/${key}`, 'unknown_field', unknownName('field', key.slice(0, 64))),
    ),
    ...(isNumber(from)
      ? []
      : [createIssue('/from', 'type', 'must be the number of a change, 1 or more', { types: ['integer'] })]),
    ...(to === undefined || isNumber(to)
      ? []
      : [
          createIssue('/to', 'type', 'must be the number of a change, or left out for the last one', {
            types: ['integer'],
          }),
        ]),
    ...(actor === undefined || (typeof actor === 'string' && actor !== '')
      ? []
      : [createIssue('/actor', 'type', 'must be the subject of an actor, or left out for any', { types: ['string'] })]),
  ]
  if (issues.length > 0) throw validationError(issues)
  return { from, to, actor } as UndoRange
}
