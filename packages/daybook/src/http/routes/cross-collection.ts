import type { ContentContext } from '../../content/context.ts'
import { listDrafts, listSchedules } from '../../content/drafts/index.ts'
import { searchCollections } from '../../content/reads/index.ts'
import { listBrokenLinks } from '../../content/writes/index.ts'
import type { JsonSchema } from '../../fields/field.ts'
import { draftsParameters, schedulesParameters, searchParameters } from '../../query/cross-collection.ts'
import { PAGE_PARAMETERS, readPageBounds } from '../../query/document-query.ts'
import { COMMON_ERRORS, defineRoute, type Route } from '../contract.ts'
import { PRIVATE_HEADERS } from '../response.ts'
import { BROKEN_LINKS_SCHEMA, buildCursorPageSchema, buildTitleSchema, objectSchema } from './schemas.ts'

export interface CrossCollectionParts {
  readonly context: ContentContext
}

export function crossCollectionRoutes(parts: CrossCollectionParts): readonly Route[] {
  return [searchRoute(parts), draftsRoute(parts), schedulesRoute(parts), brokenLinksRoute(parts)]
}

const TIME: JsonSchema = { type: 'string', format: 'date-time' }

const searchRoute = ({ context }: CrossCollectionParts): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/cms/search',
    operationId: 'searchContent',
    protection: 'public',
    summary: 'Searches all collections that the caller may read.',
    parameters: searchParameters(context.model.locales),
    requestHeaders: ['minSeq'],
    responses: [
      {
        status: 200,
        description: 'The best match of each collection, then the second best of each; at most 10 of each collection.',
        schema: objectSchema({ items: { type: 'array', items: buildTitleSchema() } }),
        name: 'found',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    errors: [...COMMON_ERRORS, 'UNAUTHORIZED'],
    run: async ({ access, headers, query }) => {
      const items = await searchCollections(context.resolveReplica(access, headers.minSeq), access, query.values)
      return { status: 200, json: JSON.stringify({ items }), headers: PRIVATE_HEADERS }
    },
  })

const draftsRoute = ({ context }: CrossCollectionParts): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/cms/drafts',
    operationId: 'listDrafts',
    protection: 'session',
    summary: 'Lists the entries with drafts, in all collections that the caller may read.',
    parameters: draftsParameters(context.model.locales),
    requestHeaders: [],
    responses: [
      {
        status: 200,
        description: 'The drafts, the last saved ones first.',
        schema: buildCursorPageSchema(buildTitleSchema({ at: TIME }, { actor: { type: ['string', 'null'] } })),
        name: 'drafts',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    errors: [...COMMON_ERRORS, 'UNAUTHORIZED'],
    run: async ({ access, query }) => {
      const page = await listDrafts(context, access, query.values)
      return { status: 200, json: JSON.stringify(page), headers: PRIVATE_HEADERS }
    },
  })

const schedulesRoute = ({ context }: CrossCollectionParts): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/cms/schedules',
    operationId: 'listSchedules',
    protection: 'session',
    summary: 'Lists scheduled publications, in all collections that the caller may read.',
    parameters: schedulesParameters(context.model.locales),
    requestHeaders: [],
    responses: [
      {
        status: 200,
        description:
          'Entries with their times, the earliest first. With a cursor, a page may have fewer items than `limit`.',
        schema: buildCursorPageSchema(
          buildTitleSchema(
            { action: { enum: ['publish', 'unpublish'] }, at: TIME },
            { actor: { type: 'string' }, locales: { type: 'array', items: { type: 'string' } } },
          ),
        ),
        name: 'schedules',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    errors: [...COMMON_ERRORS, 'UNAUTHORIZED'],
    run: async ({ access, query }) => {
      const page = await listSchedules(context, access, query.values)
      return { status: 200, json: JSON.stringify(page), headers: PRIVATE_HEADERS }
    },
  })

const brokenLinksRoute = ({ context }: CrossCollectionParts): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/cms/broken-links',
    operationId: 'listBrokenLinks',
    protection: 'session',
    summary:
      'Lists links in Markdown to entries and files that do not exist, in all documents that the caller may read.',
    parameters: PAGE_PARAMETERS,
    requestHeaders: [],
    responses: [
      {
        status: 200,
        description: 'One page of links.',
        schema: BROKEN_LINKS_SCHEMA,
        name: 'brokenLinks',
        headers: ['Cache-Control', 'Vary'],
      },
    ],
    errors: [...COMMON_ERRORS, 'UNAUTHORIZED'],
    run: async ({ access, query }) => {
      const page = await listBrokenLinks(context, access, readPageBounds(query))
      return { status: 200, json: JSON.stringify(page), headers: PRIVATE_HEADERS }
    },
  })
