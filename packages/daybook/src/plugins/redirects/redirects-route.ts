import { etagOf, type PluginRoute } from '../../index.ts'
import type { Lists } from '../lists.ts'
import { answerPublic, publicAnswers } from '../public-answer.ts'
import { REDIRECT_STATUSES } from './options.ts'
import { redirectOf } from './redirect-book.ts'

const MEDIA_TYPE = 'application/json'
/** How long caches may keep the list without asking again, in seconds. */
const MAX_AGE = 60
/** How many redirects are read at once; the collection allows no more. */
const BATCH = 100

const SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      from: { type: 'string' },
      to: { type: 'string' },
      status: { type: 'integer', enum: REDIRECT_STATUSES.map(Number) },
    },
    required: ['from', 'to', 'status'],
  },
}

/** Answers `/redirects.json`: all redirects, for sites that are built ahead. */
export function redirectsRoute(lists: Lists): PluginRoute {
  return {
    method: 'GET',
    path: '/redirects.json',
    operationId: 'getAllRedirects',
    summary: 'Lists all redirects.',
    protection: 'public',
    answers: publicAnswers('All redirects, the oldest first.', MEDIA_TYPE, SCHEMA),
    run: async (request) =>
      answerPublic(request, {
        mediaType: MEDIA_TYPE,
        maxAge: MAX_AGE,
        madeOf: etagOf(await lists.list('redirects', { limit: 0 })),
        write: () => redirectsJson(lists),
      }),
  }
}

async function* redirectsJson(lists: Lists): AsyncGenerator<string> {
  const query = { select: ['from', 'to', 'status'], sort: 'createdAt', limit: BATCH }
  let separator = '['
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const list = await lists.list('redirects', { ...query, ...(cursor === undefined ? {} : { cursor }) })
    for (const redirect of list.items) {
      yield separator + JSON.stringify({ ...redirectOf(redirect), status: Number(redirect.status) })
      separator = ',\n'
    }
    cursor = list.nextCursor
  }
  yield separator === '[' ? '[]\n' : ']\n'
}
