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

/** The longest `q`, in characters. */
export const MAX_SEARCH_LENGTH = 256

/** A list request, checked against the model. */
export interface ListQuery {
  readonly limit: number
  readonly offset: number
  /** Always ends with the id, so that no two entries are equal. Empty: by relevance. */
  readonly sort: readonly SortBy[]
  readonly q: string | undefined
  /** The statuses asked for; `undefined`: any that the reader may see. */
  readonly statuses: readonly string[] | undefined
  /** The selected fields of each entry. */
  readonly selection: Selection
  /** The filter. */
  readonly where: Condition | undefined
  /** What is worked out over all that is found. */
  readonly aggregates: readonly Aggregate[]
  /** Whether entries are answered as their working copies have them. */
  readonly isDraft: boolean
  /** Where the page before ended. */
  readonly after: CursorPosition | undefined
  /** Names what is listed, whatever page of it: cursors hold it. */
  readonly fingerprint: string
}

/** The words of a search. */
export const SEARCH_PARAMETER: Parameter<string> = textParameter(
  `Words that must all be found, in up to ${MAX_SEARCH_LENGTH} characters; the last one may be the beginning of a word.`,
  { maxLength: MAX_SEARCH_LENGTH },
  checkSearch,
)

/** Parameters that say the same of every collection. */
const OF_EVERY_LIST: ParametersOf<{
  offset: number
  cursor: string
  sort: readonly string[]
  nulls: string
  q: string
}> = {
  offset: countParameter('How many entries to skip; not together with cursor.', { default: 0 }),
  cursor: textParameter('`nextCursor` of the page before, as it was given; not together with offset.'),
  sort: {
    ...namesParameter(
      `Up to ${MAX_SORT_KEYS} fields to sort by, each once; a leading - descends. By default -createdAt, and with q the best match first.`,
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
 * The parameters of a list of a collection.
 *
 * @param ofDocuments those that lists have in common with single documents
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
    `How many entries to answer, at most ${maxLimit}: a larger number is brought down to it, and 0 gives the count alone.`,
    { default: Math.min(DEFAULT_LIMIT, maxLimit) },
  ),
  ...OF_EVERY_LIST,
  status: statusParameter(status),
  ...ofDocuments,
  where: WHERE_PARAMETER,
  aggregate: AGGREGATE_PARAMETER,
  ...draftParameters({ status }),
})

/** The query parameters of a list. */
export type ListParameters = QueryOf<ReturnType<typeof listParameters>>

function checkSearch(q: string): Violation | undefined {
  const limit = MAX_SEARCH_LENGTH
  if (q.length > limit) return ['maxLength', `must have at most ${limit} characters`, { limit }]
  return isStorableText(q) ? undefined : ['character', UNSTORABLE_TEXT_MESSAGE]
}

/**
 * Checks what is asked of a list against what the reader may see.
 *
 * @param scope what the reader may ask about; fields outside of it answer as unknown ones do
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function readListQuery(collection: CollectionModel, query: Query<ListParameters>, scope: QueryScope): ListQuery {
  return query.check((asked, faults) => readAsked(collection, asked, scope, faults))
}

function readAsked(collection: CollectionModel, asked: ListParameters, scope: QueryScope, faults: Faults): ListQuery {
  const where = asked.where && readWhereNode(faults, asked.where.root, collection, scope)
  const q = asked.q?.trim() === '' ? undefined : asked.q
  const statuses = asked.status && [...new Set(asked.status)].sort()
  const order = readSort(faults, { sort: 'sort', nulls: 'nulls' }, collection, asked, scope)
  const sort = q === undefined || asked.sort ? order : []
  const fingerprint = listFingerprint(collection, { sort, q, statuses, where: asked.where?.name })
  return Object.freeze({
    limit: Math.min(asked.limit ?? DEFAULT_LIMIT, collection.maxLimit),
    offset: asked.offset ?? 0,
    sort,
    q,
    statuses,
    selection: readSelection(faults, collection, asked, scope),
    where,
    isDraft: asked.draft === 'true',
    aggregates: asked.aggregate
      ? readAggregates(faults, collection, asked.aggregate, scope.hiddenFields(collection))
      : [],
    after: readCursor(faults, asked, fingerprint, sort),
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
    const message = 'leave offset out: a cursor already says where to go on'
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

/** The parameters of a write of all entries that match: those of a list that narrow it, and `where` has to be there. */
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
      advice: 'must say which entries, as where[field][operator]=value; where[id][exists]=true is every entry',
    },
    q,
    status,
    ...writeLocaleParameter(locales),
    ...DRY_RUN_PARAMETERS,
  }
}

/** The query parameters of a write of all entries that match. */
export type BulkParameters = QueryOf<ReturnType<typeof bulkParameters>>
