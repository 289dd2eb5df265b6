import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { StudioClient } from '../../../api/client.ts'
import type { ListItem, ListPage } from '../../../api/live-changes.ts'
import { queryKeys } from '../../../api/query-keys.ts'
import { useStudio } from '../../../api/studio.ts'
import type { StudioCollection } from '../../../model/studio-model.ts'
import { useDebounced } from '../../../ui/use-debounced.ts'
import { buildTitleQuery } from './use-title.ts'

export interface Choices {
  readonly items: readonly ListItem[]
  readonly total: number | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** True while the items are those of the previous search. */
  readonly isStale: boolean
  readonly loadMore: () => void
  readonly reload: () => void
}

/** The pause in typing before a search, in milliseconds. */
const SEARCH_MS = 150
const PAGE_SIZE = 40

/** Builds the paged query for the entries of a collection that match some words. */
export function buildChoicesQuery(client: StudioClient, collection: StudioCollection, q = '') {
  const query = {
    ...buildTitleQuery(collection),
    sort: '-updatedAt',
    limit: Math.min(PAGE_SIZE, collection.maxLimit),
    ...(q === '' || !collection.searchable ? {} : { q }),
  }
  return infiniteQueryOptions({
    queryKey: queryKeys.choices(collection.key, query),
    queryFn: async ({ pageParam, signal }) =>
      // The types do not know the fields, which come from the model.
      (await client.collections[collection.key]?.findMany({ ...query, cursor: pageParam } as object, {
        signal,
      })) as unknown as ListPage,
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }: ListPage) => nextCursor,
  })
}

/** Loads the entries of a collection that match some words. A new search cancels the previous one. */
export function useChoices(collection: StudioCollection, typed: string): Choices {
  const { client } = useStudio()
  const q = useDebounced(typed.trim(), SEARCH_MS)
  const list = useInfiniteQuery({ ...buildChoicesQuery(client, collection, q), placeholderData: keepPreviousData })
  const { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = list
  return {
    items: data?.pages.flatMap(({ items }) => items) ?? [],
    total: data?.pages[0]?.total,
    error,
    isLoading: isPending,
    isStale: isPlaceholderData || q !== typed.trim(),
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    reload: () => void refetch(),
  }
}
