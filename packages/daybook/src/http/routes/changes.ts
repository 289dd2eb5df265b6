import type { ChangesFeed } from '../../journal/feed/changes-feed.ts'
import { DEFAULT_FEED_PAGE, FEED_PARAMETERS } from '../../query/feed-query.ts'
import { defineRoute, PLAIN_ERRORS, type Route } from '../contract.ts'
import { PRIVATE } from '../respond.ts'
import { CHANGES_SCHEMA } from './schemas.ts'

/** The parts that the routes of the changes feed need. */
export interface ChangesParts {
  readonly feed: ChangesFeed
}

/** What changed since a token. */
export function changesRoutes({ feed }: ChangesParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/cms/changes',
      operationId: 'listChanges',
      protection: 'public',
      summary: 'Tells what the reader may see, and how it has changed since a token.',
      parameters: FEED_PARAMETERS,
      conditions: [],
      answers: [
        {
          status: 200,
          description: 'What has changed. Without items, and with the token of the request as `next`: nothing has.',
          schema: CHANGES_SCHEMA,
          name: 'changes',
          headers: ['Cache-Control', 'Vary'],
        },
      ],
      errors: [...PLAIN_ERRORS, 'GONE'],
      run: async ({ access, query }) => {
        const { since, collections, limit = DEFAULT_FEED_PAGE } = query.values
        const { items, next } = await feed.page(access, { since, collections, limit })
        const json = `{"items":[${items.map((one) => one.json).join(',')}],"next":${JSON.stringify(next)}}`
        return { status: 200, json, headers: PRIVATE }
      },
    }),
  ]
}
