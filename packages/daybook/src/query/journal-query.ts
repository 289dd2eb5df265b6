import { parseDateTime } from '../fields/date.ts'
import type { CollectionModel, LocalesModel } from '../model/model.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { PAGE_PARAMETERS } from './document-query.ts'
import { type LocaleQuery, localeParameters } from './locale-parameters.ts'
import {
  countParameter,
  enumParameter,
  namesParameter,
  type Parameter,
  type ParametersOf,
  type Query,
  textParameter,
} from './parameters.ts'
import { DEFAULT_LIMIT } from './sort-order.ts'

export const VERSIONS_PARAMETERS: ParametersOf<{ limit: number; cursor: string }> = {
  limit: PAGE_PARAMETERS.limit,
  cursor: textParameter('`nextCursor` of the previous page.'),
}

/** The parameter that makes a list one of deleted entries. */
export const DELETED_PARAMETERS: ParametersOf<{ deleted: string }> = {
  deleted: enumParameter(
    'With `true`, and a session, lists the deleted entries that the caller can restore, the last one first, with their titles and the time and author of the deletion. Of the other parameters, only limit and cursor can be added.',
    ['true', 'false'],
  ),
}

/** A page of the deleted entries of a collection. */
export interface DeletedPage {
  readonly limit: number
  /** The number that all their deletions are below. */
  readonly before: number
}

/**
 * Reads the parameters of a list of deleted entries.
 *
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readDeletedQuery(
  collection: CollectionModel,
  query: Query<{ readonly limit?: number | undefined; readonly cursor?: string | undefined }>,
): DeletedPage {
  return query.check(({ limit = Math.min(DEFAULT_LIMIT, collection.maxLimit), cursor, ...more }, faults) => {
    if (limit === 0) faults.add('limit', 'minimum', 'must be at least 1 with deleted=true', { limit: 1 })
    for (const name of Object.keys(more))
      if (name !== 'deleted')
        faults.add(name, 'exclusive', 'is not allowed with deleted=true, which takes only limit and cursor', {
          with: 'deleted',
        })
    const position = cursor === undefined ? [Number.MAX_SAFE_INTEGER] : decodeCursor(cursor, cursorName(collection), [])
    if (typeof position === 'string') faults.add('cursor', 'cursor', position)
    return { limit: Math.min(limit, collection.maxLimit), before: Number(position[0]) }
  })
}

/** Returns the cursor of the page of deleted entries after a deletion. */
export const encodeDeletedCursor = (collection: CollectionModel, seq: number): string =>
  encodeCursor(cursorName(collection), [seq])

const cursorName = ({ key }: CollectionModel): string => `deleted ${key}`

export interface VersionQuery extends LocaleQuery {
  readonly against?: number | undefined
}

export const versionParameters = (
  locales: LocalesModel | undefined,
): ParametersOf<{ against: number }> & ReturnType<typeof localeParameters> => ({
  against: countParameter(
    'The number of another version: the response contains the changes from that version to this one, as a JSON Patch.',
  ),
  ...localeParameters(locales),
})

/** The default number of items on a page of a feed. */
export const DEFAULT_FEED_PAGE = 100
const MAX_FEED_PAGE = 1000

const COLLECTIONS = namesParameter('Keys of collections, and `globals`. By default all that the caller can read.', {
  pattern: '^[a-z][a-zA-Z0-9_]*$',
})
const LIMIT = countParameter('The maximum number of items to return.', {
  default: DEFAULT_FEED_PAGE,
  minimum: 1,
  maximum: MAX_FEED_PAGE,
})

export const FEED_PARAMETERS: ParametersOf<{ since: string; collections: readonly string[]; limit: number }> = {
  since: textParameter(
    'The token `next` of the previous page. Without it, the feed begins with everything that exists.',
  ),
  collections: COLLECTIONS,
  limit: LIMIT,
}

export const EVENT_PARAMETERS: ParametersOf<{ since: string; collections: readonly string[] }> = {
  since: textParameter('A token to continue from, if `Last-Event-ID` is not sent. Without either, events begin now.'),
  collections: COLLECTIONS,
}

const timeParameter = (description: string): Parameter<string> =>
  textParameter(description, { format: 'date-time' }, (text) =>
    parseDateTime(text) === undefined
      ? ['format', 'must be a time in ISO 8601, such as 2026-11-20T09:30:00Z', { format: 'date-time' }]
      : undefined,
  )

/** @param actions the names of the actions of the journal */
export const journalParameters = (
  actions: readonly string[],
): ParametersOf<{
  since: number
  before: number
  from: string
  until: string
  actions: readonly string[]
  actor: string
  collections: readonly string[]
  limit: number
}> => ({
  since: countParameter('A number of the journal: later records are listed.', { default: 0 }),
  before: countParameter('A number of the journal: earlier records are listed, the newest first; not with `since`.'),
  from: timeParameter('A time in ISO 8601: records of that time or later are listed.'),
  until: timeParameter('A time in ISO 8601: records before that time are listed.'),
  actions: namesParameter('Actions, such as `publish`. By default all.', { enum: actions }),
  actor: textParameter('The subject of the actor of the changes.'),
  collections: COLLECTIONS,
  limit: LIMIT,
})
