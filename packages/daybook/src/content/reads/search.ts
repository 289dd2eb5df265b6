import type { CollectionModel } from '../../model/model.ts'
import { DEFAULT_SEARCH_LIMIT, type SearchParameters } from '../../query/cross-collection.ts'
import { unknownCollection } from '../../query/parameters.ts'
import type { Access } from '../access/access.ts'
import { type CallerScope, resolveCallerScope } from '../access/caller-scope.ts'
import type { ContentContext } from '../context.ts'
import { requireLocale } from '../locales/locale.ts'
import { resolveSearch } from './list.ts'
import { type TitledEntry, toTitledEntry } from './titled-entry.ts'

const MAX_RESULTS_PER_COLLECTION = 10
/** The number of collections that are searched at the same time. */
const CONCURRENT_SEARCHES = 8
/** The sizes for the query planner, which are unknown here: counting would cost more than reading one page of each collection. */
const UNKNOWN_SIZE = { matching: 0, visible: 0, total: 0 }

/**
 * Searches all collections that the caller may read. The best match of each comes first, then the second best of each. The search ends
 * once the best matches of the searched collections fill the response.
 *
 * @throws VALIDATION_ERROR; INTERNAL_ERROR if a rule fails
 */
export async function searchCollections(
  context: ContentContext,
  access: Access,
  parameters: SearchParameters,
): Promise<readonly TitledEntry[]> {
  const { q = '', limit = DEFAULT_SEARCH_LIMIT } = parameters
  const scope = await resolveCallerScope(access, requireLocale(context.model, parameters, access))
  const collections = requireReadableCollections(scope, parameters.collections)
  const matchLists: (readonly TitledEntry[])[] = []
  for (let at = 0; at < collections.length && matchLists.length < limit; at += CONCURRENT_SEARCHES) {
    const batch = collections.slice(at, at + CONCURRENT_SEARCHES)
    const batchMatches = await Promise.all(
      batch.map((collection) =>
        searchCollection(context, scope, collection, q, Math.min(limit, MAX_RESULTS_PER_COLLECTION)),
      ),
    )
    matchLists.push(...batchMatches.filter((matches) => matches.length > 0))
  }
  return interleave(matchLists).slice(0, limit)
}

/** @throws VALIDATION_ERROR for a collection that the caller may not read */
function requireReadableCollections(
  scope: CallerScope,
  keys: readonly string[] | undefined,
): readonly CollectionModel[] {
  const all = [...scope.collections.keys()].flatMap((key) => scope.readableCollection(key) ?? [])
  const unknown = keys?.find((key) => all.every((collection) => collection.key !== key))
  if (unknown !== undefined) throw unknownCollection(unknown)
  return keys ? all.filter(({ key }) => keys.includes(key)) : all
}

async function searchCollection(
  context: ContentContext,
  scope: CallerScope,
  collection: CollectionModel,
  words: string,
  limit: number,
): Promise<readonly TitledEntry[]> {
  const hidden = scope.hiddenFields(collection)
  const visible = scope.narrow(collection, undefined)
  const { rows } = await context.store.read.lists.page(collection, {
    ...resolveSearch(collection, words, visible, hidden),
    statuses: visible.statuses,
    sort: [],
    limit,
    offset: 0,
    after: undefined,
    hasAuthors: false,
    size: UNKNOWN_SIZE,
  })
  return rows.map((row) => toTitledEntry(collection, row, hidden))
}

/** Interleaves lists: the first item of each, then the second of each, and so on. */
function interleave<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat()
}
