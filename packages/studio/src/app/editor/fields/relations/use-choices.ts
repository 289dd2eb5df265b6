import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { StudioClient } from '../../../api/client.ts'
import type { ListItem, ListPage } from '../../../api/live-changes.ts'
import { queryKeys } from '../../../api/query-keys.ts'
import { useStudio } from '../../../api/studio.ts'
import type { StudioCollection } from '../../../model/studio-model.ts'
import { useDebounced } from '../../../ui/use-debounced.ts'
import { buildTitleQuery } from './use-title.ts'

/** Entries to choose from, as far as they are loaded. */
export interface Choices {
  readonly items: readonly ListItem[]
  readonly total: number | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** Whether the items are those of former words. */
  readonly isStale: boolean
  readonly loadMore: () => void
  readonly reload: () => void
}

/** How long after the last key a search begins, in milliseconds. */
const SEARCH_MS = 150
const PAGE = 40

/** How the entries of a collection that have some words are asked for, page by page. */
export function buildChoicesQuery(client: StudioClient, collection: StudioCollection, q = '') {
  const query = {
    ...buildTitleQuery(collection),
    sort: '-updatedAt',
    limit: Math.min(PAGE, collection.maxLimit),
    ...(q === '' || !collection.searchable ? {} : { q }),
  }
  return infiniteQueryOptions({
    queryKey: queryKeys.choices(collection.key, query),
    queryFn: async ({ pageParam, signal }) =>
      // The fields come from the model, which types know nothing of.
      (await client.collections[collection.key]?.findMany({ ...query, cursor: pageParam } as object, {
        signal,
      })) as unknown as ListPage,
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }: ListPage) => nextCursor,
  })
}

/** The entries of a collection that have some words; an older search is given up. */
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
