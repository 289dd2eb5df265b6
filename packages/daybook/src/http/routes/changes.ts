import { ANONYMOUS } from '../../auth/adapter.ts'
import type { AuthGuard } from '../../auth/guard.ts'
import { Access } from '../../content/access/access.ts'
import type { ContentContext } from '../../content/context.ts'
import type { ChangesFeed } from '../../journal/feed/changes-feed.ts'
import { listJournal } from '../../journal/journal-page.ts'
import type { LiveFeed } from '../../journal/live/live-feed.ts'
import type { Model } from '../../model/model.ts'
import { DEFAULT_FEED_PAGE, EVENT_PARAMETERS, FEED_PARAMETERS, journalParameters } from '../../query/journal-query.ts'
import { SIDE_ACTIONS, STATE_ACTIONS } from '../../store/journal-actions.ts'
import { COMMON_ERRORS, defineRoute, type Route } from '../contract.ts'
import { type HttpRequest, toAuthContext } from '../request.ts'
import { PRIVATE_HEADERS } from '../response.ts'
import { CHANGES_SCHEMA, JOURNAL_SCHEMA } from './schemas.ts'

export interface ChangesParts {
  readonly context: ContentContext
  readonly feed: ChangesFeed
  readonly live: LiveFeed
  readonly auth: AuthGuard
  readonly model: Model
  readonly trustProxy: number
}

const EVENTS = 'text/event-stream'

export function changesRoutes(parts: ChangesParts): readonly Route[] {
  return [listRoute(parts), eventsRoute(parts), journalRoute(parts)]
}

function journalRoute({ context }: ChangesParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/cms/journal',
    operationId: 'listJournal',
    protection: 'session',
    summary: 'Lists the changes of documents that the caller may read, with time and actor.',
    parameters: journalParameters([...STATE_ACTIONS, ...SIDE_ACTIONS]),
    requestHeaders: [],
    responses: [
      {
        status: 200,
        description:
          'Changes in order, or with `before` the newest first. If `next` equals the `since` or `before` of the request, there are no more.',
        schema: JOURNAL_SCHEMA,
        name: 'journal',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    errors: [...COMMON_ERRORS, 'UNAUTHORIZED', 'GONE'],
    run: async ({ access, query }) => {
      const filter = query.check((values, faults) => {
        if (values.since !== undefined && values.before !== undefined)
          faults.add('before', 'exclusive', 'is not allowed with since', { with: 'since' })
        return values
      })
      const { since = 0, limit = DEFAULT_FEED_PAGE, from, until, ...more } = filter
      const page = await listJournal(context, access, {
        ...more,
        since,
        limit,
        from: from === undefined ? undefined : Date.parse(from),
        until: until === undefined ? undefined : Date.parse(until),
      })
      return { status: 200, json: JSON.stringify(page), headers: PRIVATE_HEADERS }
    },
  })
}

function listRoute({ feed }: ChangesParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/cms/changes',
    operationId: 'listChanges',
    protection: 'public',
    summary: 'Lists the documents that the caller may see, and their changes since a token.',
    parameters: FEED_PARAMETERS,
    requestHeaders: [],
    responses: [
      {
        status: 200,
        description: 'The changes. Without items, and with the token of the request as `next`, nothing has changed.',
        schema: CHANGES_SCHEMA,
        name: 'changes',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    errors: [...COMMON_ERRORS, 'GONE'],
    run: async ({ access, query }) => {
      const { since, collections, limit = DEFAULT_FEED_PAGE } = query.values
      const { items, next } = await feed.readPage(access, { since, collections, limit })
      const json = `{"items":[${items.map((item) => item.json).join(',')}],"next":${JSON.stringify(next)}}`
      return { status: 200, json, headers: PRIVATE_HEADERS }
    },
  })
}

function eventsRoute(parts: ChangesParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/cms/events',
    operationId: 'streamEvents',
    protection: 'public',
    summary: 'Streams changes as Server-Sent Events.',
    parameters: EVENT_PARAMETERS,
    requestHeaders: ['lastEventId'],
    responses: [
      {
        status: 200,
        description:
          'Events `upsert` and `delete` with an item of the changes feed as data and its token as id; `presence`; and `reset`, after which the client has to restart with `details.restart`.',
        mediaType: EVENTS,
        schema: { type: 'string' },
        headers: ['Cache-Control', 'Vary', 'X-Accel-Buffering'],
      },
    ],
    errors: COMMON_ERRORS,
    run: async ({ access, query, headers, request }) => {
      const { collections, since } = query.values
      const { lastEventId } = headers
      const content = await parts.live.open({
        access,
        authenticate: makeAuthenticator(parts, access, request),
        collections: collections && [...new Set(collections)].sort(),
        since: lastEventId ?? since,
        sinceName: lastEventId === undefined ? 'since' : 'Last-Event-ID',
      })
      return {
        status: 200,
        content,
        headers: { ...PRIVATE_HEADERS, 'Content-Type': EVENTS, 'X-Accel-Buffering': 'no' },
      }
    },
  })
}

/** Returns a function that identifies the caller of a request again. */
function makeAuthenticator(
  { auth, model, trustProxy }: ChangesParts,
  access: Access,
  request: HttpRequest,
): () => Promise<Access> {
  const context = access.isAuthenticated ? toAuthContext(request, trustProxy) : undefined
  return async () => new Access(model, context ? await auth.resolveCaller(context) : ANONYMOUS)
}
