import { getIdentity } from '../../auth/adapter.ts'
import { canExport } from '../../auth/scopes.ts'
import type { ExportStreams } from '../../content/transfer/index.ts'
import { DaybookError } from '../../errors.ts'
import { EXPORT_PARAMETERS } from '../../query/document-query.ts'
import { COMMON_ERRORS, defineRoute, type Route } from '../contract.ts'
import { PRIVATE_HEADERS } from '../response.ts'

export interface ExportParts {
  readonly streams: ExportStreams
}

const LINES = 'application/x-ndjson'

/** The route of the export, if it is enabled. No access rule applies: a service principal sees everything. */
export function exportRoutes({ streams }: ExportParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/export',
      operationId: 'exportContent',
      protection: 'session',
      summary: 'Exports all content as lines of JSON, to a service principal only.',
      parameters: EXPORT_PARAMETERS,
      requestHeaders: ['ifMatch', 'ifNoneMatch'],
      responses: [
        {
          status: 200,
          description: 'One JSON document per line; the last line contains the counts.',
          mediaType: LINES,
          schema: { type: 'string' },
          headers: ['Cache-Control', 'Vary'],
        },
      ],
      errors: [...COMMON_ERRORS, 'UNAUTHORIZED', 'FORBIDDEN'],
      run: async ({ access: { caller }, query }) => {
        if (getIdentity(caller)?.actorType !== 'service') {
          throw new DaybookError('FORBIDDEN', 'Only a service principal is allowed to export.')
        }
        if (!canExport(caller)) throw new DaybookError('FORBIDDEN', 'This token does not have the scope "export".')
        const { since, people } = query.values
        const content = await streams.open({ since, includesAuthors: people !== 'false' })
        return { status: 200, content, headers: { ...PRIVATE_HEADERS, 'Content-Type': LINES } }
      },
    }),
  ]
}
