import { getIdentity } from '../auth/adapter.ts'
import { mayExport } from '../auth/scopes.ts'
import type { ExportStreams } from '../content/export-streams.ts'
import { DaybookError } from '../errors.ts'
import { readSince } from '../query/entry-query.ts'
import type { Reply } from './respond.ts'
import type { RouteRequest } from './routes.ts'

const HEADERS = {
  'Content-Type': 'application/x-ndjson',
  'Cache-Control': 'private, no-store',
  Vary: 'Authorization, Cookie, Origin',
}

/**
 * Answers with the lines of an export. No rule of the config is asked: a service principal sees all that is stored.
 *
 * @throws FORBIDDEN for people, and for tokens without the scope `export`
 */
export async function exportContent({ caller, query }: RouteRequest, streams: ExportStreams): Promise<Reply> {
  const since = readSince(query)
  if (getIdentity(caller)?.actorType !== 'service') {
    throw new DaybookError('FORBIDDEN', 'Only a service principal may export.')
  }
  if (!mayExport(caller)) throw new DaybookError('FORBIDDEN', 'This token has not the scope "export".')
  return { status: 200, content: await streams.open(since), headers: HEADERS }
}
