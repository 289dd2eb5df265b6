import { LRUCache } from 'lru-cache'
import type { CollectionModel } from '../../model/model.ts'
import { encodeCursor } from '../../query/cursor.ts'
import { listExpandedCollections } from '../../query/expansion.ts'
import { type ListParameters, readListQuery } from '../../query/list-query.ts'
import type { Query } from '../../query/parameters.ts'
import { relatedCollections } from '../../query/where.ts'
import type { Counters } from '../../store/reads/counters-reader.ts'
import type { Page } from '../../store/reads/page.ts'
import type { EntryRow } from '../../store/rows.ts'
import { type NarrowedSearch, narrowSearch } from '../../store/search.ts'
import { toSearchTerms } from '../../store/search-words.ts'
import type { Access } from '../access/access.ts'
import { resolveCallerScope } from '../access/caller-scope.ts'
import { requireSession } from '../access/draft-access.ts'
import type { ContentContext } from '../context.ts'
import { localizeRows, requireLocale, resolveCollection } from '../locales/locale.ts'
import { formatAggregates } from './aggregates.ts'
import { hashCacheKey, toDocumentTag, toSelectionKey, withLinksPart } from './etags.ts'
import { findLinksPart, presentExpanded } from './expand.ts'
import { isSelfContained, present } from './present.ts'
import { appendDraftInfo, readDrafts } from './present-draft.ts'
import { linkableCollections, resolveLinks, toLinksPart } from './resolve-links.ts'
import type { ResolvedListQuery } from './resolved-list-query.ts'
import { type LazyResponse, toSurrogateKeys } from './response.ts'

/** The maximum number of cached resolutions of one query, which differ by collection and access. */
const MAX_RESOLVED = 20

/**
 * Reads a page of the matching entries that the caller may see. The tag takes one row. The entries are read by `read`, which is not
 * called if the client or the response cache has the response with this tag (`http/cache.ts`).
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function readList(
  context: ContentContext,
  access: Access,
  collection: CollectionModel,
  parameters: Query<ListParameters>,
): Promise<LazyResponse> {
  const query = await resolveListQuery(context, access, collection, parameters)
  // The revisions are read before the entries, so that the tag is never newer than the entries.
  const listRevisions = await readListRevisions(context, query)
  return {
    tag: createListTag(query, listRevisions),
    surrogateKeys: () =>
      toSurrogateKeys(collection.key, [
        ...query.dependencies.related,
        ...query.dependencies.ruleCollections,
        ...(listRevisions.linksPart === undefined ? [] : linkableCollections(query.scope)),
      ]),
    read: async () => {
      const { counters } = listRevisions
      const total = await countMatches(context, query, listRevisions)
      const size = { matching: total, visible: countEntries(counters, query.statuses), total: countEntries(counters) }
      const { rows, end } =
        query.limit === 0 || query.offset >= total
          ? EMPTY_PAGE
          : await context.store.read.lists.page(query.collection, {
              ...query,
              hasAuthors: query.projection.hasAuthors ?? false,
              size,
            })
      const items = await presentEntries(context, access, query, listRevisions, rows)
      const hasCounters = hasExactCounters(query, counters)
      const aggregates =
        query.aggregates.length > 0 && (await formatAggregates({ context, query, ...listRevisions, size, hasCounters }))
      return formatList(query, total, items, end, aggregates)
    },
  }
}

const EMPTY_PAGE: Page = { rows: [], end: undefined }

/**
 * Authorizes a list request, and resolves its query for the caller. The result is cached for callers with the same access.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function resolveListQuery(
  { listCache: { resolvedQueries } }: ContentContext,
  access: Access,
  collection: CollectionModel,
  parameters: Query<ListParameters>,
): Promise<ResolvedListQuery> {
  await access.authorizeRead(collection)
  const accessKey = await access.cacheKey()
  if (accessKey === undefined) return applyAccess(access, collection.key, parameters)
  const cache = resolvedQueries.get(parameters) ?? new LRUCache<string, ResolvedListQuery>({ max: MAX_RESOLVED })
  resolvedQueries.set(parameters, cache)
  const cacheKey = `${collection.key} ${accessKey}`
  const query = cache.get(cacheKey) ?? (await applyAccess(access, collection.key, parameters))
  cache.set(cacheKey, query)
  return query
}

async function applyAccess(access: Access, key: string, parameters: Query<ListParameters>): Promise<ResolvedListQuery> {
  const choice = requireLocale(access.model, parameters.partial, access)
  const collection = resolveCollection(access.model, key, choice)
  if (parameters.partial.draft === 'true') requireSession(access, collection)
  const scope = await resolveCallerScope(access, choice)
  const query = readListQuery(collection, parameters, scope)
  const { fingerprint, limit, offset, after, q, selection, aggregates, isDraft } = query
  const visible = scope.narrow(collection, query.statuses, query.where)
  const hidden = scope.hiddenFields(collection)
  const related = [...relatedCollections(query.where), ...listExpandedCollections(selection)]
  const callerKeys = [scope.cacheKeyPart([collection, ...related]), choice]
  return {
    ...query,
    collection,
    scope,
    statuses: visible.statuses,
    ...(q === undefined ? { search: undefined, where: visible.where } : resolveSearch(collection, q, visible, hidden)),
    projection: { hidden, select: selection.select, hasAuthors: scope.canSeeAuthors(collection) },
    isSelfContained: isSelfContained(selection, choice),
    dependencies: { related, ruleCollections: scope.getRuleCollections([collection, ...related]) },
    matchesCacheKey: hashCacheKey(collection.schemaHash, fingerprint, callerKeys),
    etagPart: hashCacheKey(
      collection.schemaHash,
      fingerprint,
      limit,
      offset,
      after,
      toSelectionKey(selection),
      callerKeys,
      ...aggregates.map(({ name }) => name),
      ...(isDraft ? ['draft'] : []),
    ),
  }
}

/** Resolves a search for a caller who can see entries of these statuses, without the hidden fields. */
export function resolveSearch(
  collection: CollectionModel,
  q: string,
  { statuses, where }: Pick<ResolvedListQuery, 'statuses' | 'where'>,
  hidden: ReadonlySet<string>,
): NarrowedSearch {
  const fields = collection.searchable.map(({ key }) => key).filter((key) => !hidden.has(key))
  return narrowSearch(collection, { terms: toSearchTerms(q), fields, statuses, filterWords: [] }, where)
}

interface ListRevisions {
  readonly counters: Counters
  /** The part of the tag for links to documents; `undefined` if no entry has any. */
  readonly linksPart: string | undefined
  /** The revisions of all collections, the listed one first. For a caller without a session, only visible changes count. */
  readonly revisions: readonly number[]
}

async function readListRevisions(
  { store }: ContentContext,
  { collection, isDraft, scope, dependencies }: ResolvedListQuery,
): Promise<ListRevisions> {
  const current = store.read.counters.current()
  const counters = await current.of(collection.key)
  const revision = scope.seesPublishedOnly(collection) ? counters.visibleSeq : counters.seq
  const drafts = isDraft ? [counters.draftSeq] : []
  // Drafts are not counted.
  const hasLinks = counters.linked > 0 || isDraft
  const linksPart = hasLinks
    ? await toLinksPart(scope, current)
    : await findLinksPart(dependencies.related, scope, current)
  return {
    counters,
    linksPart,
    revisions: [revision, ...drafts, ...(await scope.readRevisions(current, dependencies))],
  }
}

function createListTag(
  { etagPart }: ResolvedListQuery,
  { revisions: [revision = 0, ...otherRevisions], linksPart }: ListRevisions,
): string {
  const tag = toDocumentTag(revision, otherRevisions.length === 0 ? etagPart : hashCacheKey(etagPart, otherRevisions))
  return withLinksPart(tag, linksPart)
}

/**
 * Counts the matching entries on all pages. Counting the matches of a filter or a search can be expensive, so the number is cached
 * until something that it depends on changes.
 */
export async function countMatches(
  context: ContentContext,
  query: ResolvedListQuery,
  listRevisions?: ListRevisions,
): Promise<number> {
  const { counters, revisions } = listRevisions ?? (await readListRevisions(context, query))
  const { collection, search, where, statuses, matchesCacheKey } = query
  if (hasExactCounters(query, counters)) return countEntries(counters, statuses)
  const { totals, runningCounts } = context.listCache
  const cacheKey = `${matchesCacheKey} ${revisions.join()}`
  const cached = totals.get(cacheKey)
  if (cached !== undefined) return cached
  return runningCounts.run(cacheKey, async () => {
    const total = await context.store.read.lists.count(collection, { search, where, statuses })
    totals.set(cacheKey, total)
    return total
  })
}

/**
 * Returns true if the counters of the collection count the entries of a list. They count by the status in the default locale, which may
 * differ from the status in the locale of the list.
 */
const hasExactCounters = ({ search, where, collection }: ResolvedListQuery, { partlyPublished }: Counters): boolean =>
  search === undefined && where === undefined && (collection.table === collection.key || partlyPublished === 0)

function countEntries({ counts }: Counters, statuses: readonly string[] = Object.keys(counts)): number {
  return statuses.reduce((total, status) => total + (counts[status] ?? 0), 0)
}

/** Creates the JSON texts of entries with the documents that the request includes. */
async function presentEntries(
  context: ContentContext,
  access: Access,
  { collection, scope, selection, projection, isSelfContained, isDraft }: ResolvedListQuery,
  { revisions, linksPart }: ListRevisions,
  rows: readonly EntryRow[],
): Promise<readonly string[]> {
  const drafts = isDraft ? await readDrafts(context, access, collection, rows, scope.localeChoice) : undefined
  const shownRows =
    drafts?.map(({ row }) => row) ?? (await localizeRows(context, access, collection, rows, scope.localeChoice))
  const texts = isSelfContained
    ? (await resolveLinks(context, scope, collection, shownRows)).map((row) => present(collection, row, projection))
    : await presentExpanded({ context, scope, revisions, linksPart }, collection, shownRows, selection)
  return drafts ? texts.map((text, index) => appendDraftInfo(text, drafts[index]?.draftInfo ?? {})) : texts
}

/** @param aggregates the JSON text of the aggregates; `false` if none are requested */
function formatList(
  { collection, limit, offset, fingerprint }: ResolvedListQuery,
  total: number,
  items: readonly string[],
  end: Page['end'],
  aggregates: string | false,
): string {
  const name = collection.holdsFiles ? '' : `"collection":"${collection.key}",`
  const nextCursor = end ? JSON.stringify(encodeCursor(fingerprint, end)) : 'null'
  const page = `"total":${total},"limit":${limit},"offset":${offset},"items":[${items.join(',')}],"nextCursor":${nextCursor}`
  return `{${name}${page}${aggregates ? `,"aggregates":${aggregates}` : ''}}`
}
