import type { ContentContext } from '../../content/context.ts'
import { readGlobal } from '../../content/reads/index.ts'
import { createWriteContext, execute, GlobalTarget, parseUpdate, prepareUpdate } from '../../content/writes/index.ts'
import type { GlobalModel } from '../../model/model.ts'
import { documentParameters } from '../../query/document-query.ts'
import { DRY_RUN_PARAMETERS } from '../../query/draft-query.ts'
import { writeLocaleParameter } from '../../query/locale-parameters.ts'
import { jsonBody } from '../body.ts'
import {
  defineReadRoute,
  defineRoute,
  describeReadResponses,
  describeWriteResponse,
  READ_ERRORS,
  type Route,
  WRITE_ERRORS,
} from '../contract.ts'
import { getPreconditions } from '../request-headers.ts'
import { buildDryRunResponse, buildWriteResponse } from '../response.ts'
import { historyRoutes } from './history.ts'

export interface GlobalParts {
  readonly context: ContentContext
}

export function globalRoutes(parts: GlobalParts): readonly Route[] {
  return [...parts.context.model.globals.values()].flatMap((global) => [
    getGlobalRoute(parts, global),
    putRoute(parts, global),
    ...historyRoutes(parts.context, global),
  ])
}

const PATH = '/api/globals/:key'

function getGlobalRoute({ context }: GlobalParts, global: GlobalModel): Route {
  return defineReadRoute({
    method: 'GET',
    path: PATH,
    operationId: 'getGlobal',
    resource: global,
    protection: 'public',
    summary: 'Reads a global.',
    parameters: documentParameters(context.model.locales),
    checksQuery: true,
    requestHeaders: ['ifMatch', 'ifNoneMatch', 'minSeq'],
    responses: describeReadResponses(
      'The global; its fields are empty until it is first written.',
      global.schemas.read,
    ),
    errors: READ_ERRORS,
    read: ({ access, headers, query }) =>
      readGlobal(context.resolveReplica(access, headers.minSeq), access, global, query),
  })
}

function putRoute({ context }: GlobalParts, global: GlobalModel): Route {
  const { locales } = context.model
  return defineRoute({
    method: 'PUT',
    path: PATH,
    operationId: 'putGlobal',
    resource: global,
    protection: 'session',
    action: 'update',
    summary: 'Updates the fields of a global that the body contains.',
    parameters: { ...writeLocaleParameter(locales), ...DRY_RUN_PARAMETERS },
    requestHeaders: ['ifMatch', 'ifNoneMatch'],
    body: jsonBody('The fields to change.', global.schemas.update),
    responses: [describeWriteResponse(200, 'The stored global.', global.schemas.read)],
    errors: [...WRITE_ERRORS, 'PRECONDITION_REQUIRED'],
    run: async ({ access, body, headers, query }) => {
      const { locale, dryRun } = query.values
      const isDry = dryRun === 'true'
      const writeContext = await createWriteContext(context, access, { locale, isDry })
      const options = getPreconditions(headers)
      const target = new GlobalTarget(writeContext, global, options)
      const update = parseUpdate(writeContext, global, body)
      const document = await execute(writeContext, () => prepareUpdate(writeContext, target, update, options))
      return isDry ? buildDryRunResponse(200, document.json) : buildWriteResponse(200, document)
    },
  })
}
