import type { Engine } from '../../content/engine.ts'
import { readGlobal } from '../../content/reads/index.ts'
import { execute, GlobalTarget, parseUpdate, prepareUpdate, writeContext } from '../../content/writes/index.ts'
import type { GlobalModel } from '../../model/model.ts'
import { DRY_RUN } from '../../query/draft-query.ts'
import { documentParameters } from '../../query/entry-query.ts'
import { writtenLocale } from '../../query/locale.ts'
import { jsonBody } from '../body.ts'
import { preconditions } from '../conditions.ts'
import {
  defineReadRoute,
  defineRoute,
  READ_ERRORS,
  type Route,
  readAnswers,
  WRITE_ERRORS,
  writeAnswer,
} from '../contract.ts'
import { dryReply, writeReply } from '../respond.ts'
import { historyRoutes } from './history.ts'

/** The parts that the routes of globals need. */
export interface GlobalParts {
  readonly engine: Engine
}

/** Reads and changes of each global. */
export function globalRoutes(parts: GlobalParts): readonly Route[] {
  return [...parts.engine.model.globals.values()].flatMap((global) => [
    getGlobalRoute(parts, global),
    putRoute(parts, global),
    ...historyRoutes(parts.engine, global),
  ])
}

const PATH = '/api/globals/:key'

function getGlobalRoute({ engine }: GlobalParts, global: GlobalModel): Route {
  return defineReadRoute({
    method: 'GET',
    path: PATH,
    operationId: 'getGlobal',
    resource: global,
    protection: 'public',
    summary: 'Reads a global.',
    parameters: documentParameters(engine.model.locales),
    checksQuery: true,
    conditions: ['ifMatch', 'ifNoneMatch', 'minSeq'],
    answers: readAnswers('The global; its fields are empty until it is first written.', global.schemas.read),
    errors: READ_ERRORS,
    read: ({ access, conditions, query }) =>
      readGlobal(engine.sourceFor(access, conditions.minSeq), access, global, query),
  })
}

function putRoute({ engine }: GlobalParts, global: GlobalModel): Route {
  const { locales } = engine.model
  return defineRoute({
    method: 'PUT',
    path: PATH,
    operationId: 'putGlobal',
    resource: global,
    protection: 'session',
    action: 'update',
    summary: 'Changes the fields of a global that the body names.',
    parameters: { ...writtenLocale(locales), ...DRY_RUN },
    conditions: ['ifMatch', 'ifNoneMatch'],
    body: jsonBody('The fields to change.', global.schemas.update),
    answers: [writeAnswer(200, 'The stored global.', global.schemas.read)],
    errors: [...WRITE_ERRORS, 'PRECONDITION_REQUIRED'],
    run: async ({ access, body, conditions, query }) => {
      const { locale, dryRun } = query.values
      const isDry = dryRun === 'true'
      const context = await writeContext(engine, access, { locale, isDry })
      const options = preconditions(conditions)
      const target = new GlobalTarget(context, global, options)
      const update = parseUpdate(context, global, body)
      const answer = await execute(context, () => prepareUpdate(context, target, update, options))
      return isDry ? dryReply(200, answer.json) : writeReply(200, answer)
    },
  })
}
