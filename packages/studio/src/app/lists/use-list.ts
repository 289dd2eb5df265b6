import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query'
import type { StudioCollection } from '../model/studio-model.ts'
import { keys } from '../talk/keys.ts'
import type { ListItem, ListPage } from '../talk/live.ts'
import { useStudio } from '../talk/studio.ts'

/** What the address of a list says. */
export interface ListSearch {
  /** Words that must all be found. */
  readonly q?: string | undefined
}

/** Reads what the address of a list says; what means nothing is left out. */
export const readListSearch = ({ q }: Readonly<Record<string, unknown>>): ListSearch =>
  typeof q === 'string' && q.trim() !== '' ? { q } : {}

/** A list as far as it is loaded. */
export interface LoadedList {
  /** How many entries match; `undefined`: not known yet. */
  readonly total: number | undefined
  readonly items: readonly ListItem[]
  readonly error: unknown
  readonly isLoading: boolean
  /** Loads the next page, where there is one that is not under way. */
  readonly loadMore: () => void
  readonly reload: () => void
}

/** How many entries are asked for at once. */
const PAGE = 50

/** The entries of a collection, page by page: only what the columns show is asked for. */
export function useList(collection: StudioCollection, { q }: ListSearch): LoadedList {
  const { client } = useStudio()
  const { key, titleField, statusField, maxLimit } = collection
  const columns = [titleField, statusField, 'updatedAt'].filter((one) => one !== undefined && one !== null)
  const query = {
    select: columns,
    sort: '-updatedAt',
    limit: Math.min(PAGE, maxLimit),
    ...(q === undefined ? {} : { q }),
    ...(statusField === null ? {} : { draft: true }),
  }
  const list = useInfiniteQuery<ListPage, Error, InfiniteData<ListPage>, readonly unknown[], string | null>({
    queryKey: keys.list(key, query),
    queryFn: async ({ pageParam, signal }) =>
      // The columns come from the model, which types know nothing of.
      (await client.collections[key]?.findMany({ ...query, cursor: pageParam } as object, {
        signal,
      })) as unknown as ListPage,
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = list
  return {
    total: data?.pages[0]?.total,
    items: data?.pages.flatMap(({ items }) => items) ?? [],
    error,
    isLoading: isPending,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    reload: () => void refetch(),
  }
}
