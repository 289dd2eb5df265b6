import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { StudioCollection } from '../../../../model/studio-model.ts'
import { keys } from '../../../../talk/keys.ts'
import type { ListItem, ListPage } from '../../../../talk/live.ts'
import { useStudio } from '../../../../talk/studio.ts'
import { useSettled } from '../../../../ui/use-settled.ts'
import { titleQuery } from '../client-titles.ts'

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

/** The entries of a collection that have some words, page by page; an older search is given up. */
export function useChoices(collection: StudioCollection, typed: string): Choices {
  const { client } = useStudio()
  const q = useSettled(typed.trim(), SEARCH_MS)
  const query = {
    ...titleQuery(collection),
    sort: '-updatedAt',
    limit: Math.min(PAGE, collection.maxLimit),
    ...(q === '' || !collection.searchable ? {} : { q }),
  }
  const list = useInfiniteQuery<ListPage, Error, InfiniteData<ListPage>, readonly unknown[], string | null>({
    queryKey: keys.choices(collection.key, query),
    queryFn: async ({ pageParam, signal }) =>
      // The fields come from the model, which types know nothing of.
      (await client.collections[collection.key]?.findMany({ ...query, cursor: pageParam } as object, {
        signal,
      })) as unknown as ListPage,
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  })
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
