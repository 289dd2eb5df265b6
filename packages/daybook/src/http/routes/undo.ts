import type { Engine } from '../../content/engine.ts'
import { writeContext } from '../../content/writes/index.ts'
import { invalid } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import { type Issue, issueAt } from '../../issues.ts'
import { undo } from '../../journal/undo/undo.ts'
import { MAX_UNDONE, type UndoRange } from '../../journal/undo/undo-plan.ts'
import { DRY_RUN } from '../../query/draft-query.ts'
import { jsonBody } from '../body.ts'
import { defineRoute, type Route, WRITE_ERRORS } from '../contract.ts'
import { dryReply, headersOfChanges, PRIVATE } from '../respond.ts'
import { UNDO_BODY, UNDO_REPORT } from './schemas.ts'

/** Undoes changes of many documents. */
export function undoRoutes({ engine }: { readonly engine: Engine }): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/cms/undo',
      operationId: 'undoChanges',
      protection: 'session',
      summary: `Undoes the changes of a range of the journal by new ones, in one transaction; ${MAX_UNDONE} at most.`,
      parameters: DRY_RUN,
      conditions: ['ifMatch', 'ifNoneMatch'],
      body: jsonBody('Which changes.', UNDO_BODY),
      answers: [
        {
          status: 200,
          description: 'What was undone, and which documents stay as they are.',
          schema: UNDO_REPORT,
          name: 'undoReport',
          headers: ['Cache-Control', 'Vary', 'Daybook-First-Seq', 'Daybook-Seq', 'Daybook-Dry-Run'],
        },
      ],
      errors: WRITE_ERRORS,
      run: async ({ access, body, query }) => {
        const isDry = query.values.dryRun === 'true'
        const range = readRange(body)
        const { report, firstSeq } = await undo(await writeContext(engine, access, { isDry }), range)
        const json = JSON.stringify(report)
        if (isDry) return dryReply(200, json)
        const seq = Math.max(0, ...report.undone.map((one) => one.seq))
        return { status: 200, json, headers: { ...PRIVATE, ...headersOfChanges(firstSeq, seq) } }
      },
    }),
  ]
}

/** @throws VALIDATION_ERROR */
function readRange(body: unknown): UndoRange {
  const given: Readonly<Record<string, unknown>> = isRecord(body) ? body : {}
  const { from, to, actor, ...others } = given
  const isNumber = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1
  const issues: Issue[] = [
    ...(isRecord(body) ? [] : [issueAt('/', 'type', 'must be an object', { types: ['object'] })]),
    ...Object.keys(others).map((key) => issueAt(`/${key}`, 'unknown_field', 'there is no such field')),
    ...(isNumber(from)
      ? []
      : [issueAt('/from', 'type', 'must be the number of a change, 1 or more', { types: ['integer'] })]),
    ...(to === undefined || isNumber(to)
      ? []
      : [
          issueAt('/to', 'type', 'must be the number of a change, or left out for the last one', {
            types: ['integer'],
          }),
        ]),
    ...(actor === undefined || (typeof actor === 'string' && actor !== '')
      ? []
      : [issueAt('/actor', 'type', 'must be the subject of an actor, or left out for any', { types: ['string'] })]),
  ]
  if (issues.length > 0) throw invalid(issues)
  return { from, to, actor } as UndoRange
}
