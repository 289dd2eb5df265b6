import { isStorableText, UNSTORABLE_TEXT_MESSAGE } from '../fields/text.ts'
import type { Violation } from '../issues.ts'
import type { CollectionModel, LocalesModel } from '../model/model.ts'
import { AGGREGATE_PARAMETER, type Aggregate, readAggregates } from './aggregates.ts'
import { type CursorPosition, decodeCursor } from './cursor.ts'
import { documentParameters } from './document-query.ts'
import { DRY_RUN_PARAMETERS, draftParameters } from './draft-query.ts'
import { readSelection, type Selection } from './expansion.ts'
import { writeLocaleParameter } from './locale-parameters.ts'
import {
  countParameter,
  enumParameter,
  type Faults,
  namesParameter,
  type Parameter,
  type ParametersOf,
  type Query,
  type QueryOf,
  textParameter,
} from './parameters.ts'
import {
  DEFAULT_LIMIT,
  listFingerprint,
  MAX_SORT_KEYS,
  NULLS,
  readSort,
  type SortBy,
  statusParameter,
} from './sort-order.ts'
import { type Condition, type ParsedWhere, type QueryScope, readWhereNode, WHERE_PARAMETER } from './where.ts'

/** The maximum length of `q`, in characters. */
export const MAX_SEARCH_LENGTH = 256

export interface ListQuery {
  readonly limit: number
  readonly offset: number
  /** The sort keys, which end with the id, so that no two entries are equal. Empty to sort by relevance. */
  readonly sort: readonly SortBy[]
  readonly q: string | undefined
  /** The requested statuses; `undefined` for all that the caller can see. */
  readonly statuses: readonly string[] | undefined
  readonly selection: Selection
  /** The filter. */
  readonly where: Condition | undefined
  readonly aggregates: readonly Aggregate[]
  /** True if entries are returned with their drafts. */
  readonly isDraft: boolean
  /** The position at the end of the previous page. */
  readonly after: CursorPosition | undefined
  /** Identifies the query without the page. Cursors contain it. */
  readonly fingerprint: string
}

export const SEARCH_PARAMETER: Parameter<string> = textParameter(
  `Words that must all be found, in up to ${MAX_SEARCH_LENGTH} characters; the last one may be the beginning of a word.`,
  { maxLength: MAX_SEARCH_LENGTH },
  checkSearch,
)

/** Parameters that are the same for every collection. */
const COMMON_PARAMETERS: ParametersOf<{
  offset: number
  cursor: string
  sort: readonly string[]
  nulls: string
  q: string
}> = {
  offset: countParameter('The number of entries to skip; not together with cursor.', { default: 0 }),
  cursor: textParameter('`nextCursor` of the previous page; not together with offset.'),
  sort: {
    ...namesParameter(
      `Up to ${MAX_SORT_KEYS} fields to sort by, each once; a leading - descends. By default -createdAt, or rank in an orderable collection, and with q the best match first.`,
      {},
    ),
    nameKind: 'sortKeys',
  },
  nulls: enumParameter(
    'With sort: entries without a value come first or last, for each field of sort. By default first, and last for a field that descends.',
    NULLS,
  ),
  q: SEARCH_PARAMETER,
}

/**
 * Returns the parameters of a list of a collection.
 *
 * @param ofDocuments the parameters that lists share with single documents
 */
export const listParameters = (
  { maxLimit, status }: Pick<CollectionModel, 'maxLimit' | 'status'>,
  locales: LocalesModel | undefined,
  ofDocuments: ReturnType<typeof documentParameters> = documentParameters(locales),
): ParametersOf<{
  limit: number
  offset: number
  cursor: string
  sort: readonly string[]
  nulls: string
  q: string
  status: readonly string[]
  where: ParsedWhere
  aggregate: readonly string[]
  draft: string
}> &
  ReturnType<typeof documentParameters> => ({
  limit: countParameter(
    `The number of entries to return, at most ${maxLimit}; a larger number is reduced to it, and 0 returns only the count.`,
    { default: Math.min(DEFAULT_LIMIT, maxLimit) },
  ),
  ...COMMON_PARAMETERS,
  status: statusParameter(status),
  ...ofDocuments,
  where: WHERE_PARAMETER,
  aggregate: AGGREGATE_PARAMETER,
  ...draftParameters({ status }),
})

export type ListParameters = QueryOf<ReturnType<typeof listParameters>>

function checkSearch(q: string): Violation | undefined {
  const limit = MAX_SEARCH_LENGTH
  if (q.length > limit) return ['maxLength', `must be at most ${limit} characters long`, { limit }]
  return isStorableText(q) ? undefined : ['character', UNSTORABLE_TEXT_MESSAGE]
}

/**
 * Checks the query of a list against the caller's access.
 *
 * @param scope the fields that the caller can use; others count as unknown
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readListQuery(collection: CollectionModel, query: Query<ListParameters>, scope: QueryScope): ListQuery {
  return query.check((values, faults) => toListQuery(collection, values, scope, faults))
}

function toListQuery(
  collection: CollectionModel,
  values: ListParameters,
  scope: QueryScope,
  faults: Faults,
): ListQuery {
  const where = values.where && readWhereNode(faults, values.where.root, collection, scope)
  const q = values.q?.trim() === '' ? undefined : values.q
  const statuses = values.status && [...new Set(values.status)].sort()
  const order = readSort(faults, { sort: 'sort', nulls: 'nulls' }, collection, values, scope)
  const sort = q === undefined || values.sort ? order : []
  const fingerprint = listFingerprint(collection, { sort, q, statuses, where: values.where?.name })
  return Object.freeze({
    limit: Math.min(values.limit ?? DEFAULT_LIMIT, collection.maxLimit),
    offset: values.offset ?? 0,
    sort,
    q,
    statuses,
    selection: readSelection(faults, collection, values, scope),
    where,
    isDraft: values.draft === 'true',
    aggregates: values.aggregate
      ? readAggregates(faults, collection, values.aggregate, scope.hiddenFields(collection))
      : [],
    after: readCursor(faults, values, fingerprint, sort),
    fingerprint,
  })
}

function readCursor(
  faults: Faults,
  { cursor, offset }: ListParameters,
  fingerprint: string,
  sort: readonly SortBy[],
): ListQuery['after'] {
  if (cursor === undefined) return undefined
  if (offset !== undefined) {
    const message = 'is not allowed together with offset. Leave one of them out.'
    faults.add('cursor', 'exclusive', message, { with: 'offset' })
  }
  const position = decodeCursor(
    cursor,
    fingerprint,
    sort.map(({ by }) => by),
  )
  if (typeof position !== 'string') return position
  faults.add('cursor', 'cursor', position)
  return undefined
}

/** Returns the parameters of a bulk write: those that filter a list, with `where` required. */
export function bulkParameters(
  collection: CollectionModel,
  locales: LocalesModel | undefined,
): ParametersOf<{
  where: ParsedWhere
  q: string
  status: readonly string[]
  locale: string
  dryRun: string
}> {
  const { where, q, status } = listParameters(collection, locales)
  return {
    where: {
      ...where,
      isRequired: true,
      advice: 'is required. Write where[field][operator]=value, or where[id][exists]=true for every entry.',
    },
    q,
    status,
    ...writeLocaleParameter(locales),
    ...DRY_RUN_PARAMETERS,
  }
}

export type BulkParameters = QueryOf<ReturnType<typeof bulkParameters>>
