import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { keys } from '../../talk/keys.ts'
import type { ListPage } from '../../talk/live.ts'
import { useStudio } from '../../talk/studio.ts'
import { ASSETS, type Asset } from './asset.ts'
import { type AssetDemands, type AssetSearch, assetQuery } from './asset-search.ts'

/** A list of files as far as it is loaded. */
export interface LoadedAssets {
  /** How many files match; `undefined`: not known yet. */
  readonly total: number | undefined
  readonly items: readonly Asset[]
  readonly error: unknown
  readonly isLoading: boolean
  /** Whether files may have come since that the list does not have. */
  readonly isOutdated: boolean
  /** Loads the next page, where there is one that is not under way. */
  readonly loadMore: () => void
  /** Loads the list anew, from its beginning. */
  readonly reload: () => void
}

/** How many files are asked for at once. */
const PAGE = 60

/** The files that match, page by page. */
export function useAssets(search: AssetSearch, demands: AssetDemands = {}): LoadedAssets {
  const { client } = useStudio()
  const queries = useQueryClient()
  const query = { ...assetQuery(search, demands), limit: PAGE }
  const queryKey = keys.list(ASSETS, query)
  const list = useInfiniteQuery<ListPage, Error, InfiniteData<ListPage>, readonly unknown[], string | null>({
    queryKey,
    queryFn: async ({ pageParam, signal }) =>
      // What is asked for is known only here, which types know nothing of.
      (await client.assets.list({ ...query, cursor: pageParam } as object, { signal })) as unknown as ListPage,
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const { data, error, isPending, hasNextPage, isFetchingNextPage, isFetching, fetchNextPage, dataUpdatedAt } = list
  const isDoubtful = !isFetching && queries.getQueryState(queryKey)?.isInvalidated === true
  const isOutdated = useOutdated(query, data, isDoubtful ? dataUpdatedAt : undefined)
  return {
    total: data?.pages[0]?.total,
    items: (data?.pages.flatMap(({ items }) => items) ?? []) as unknown as readonly Asset[],
    error,
    isLoading: isPending,
    isOutdated,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    reload: () => void queries.resetQueries({ queryKey }),
  }
}

/** How long after the last change a list is compared with what is there, in milliseconds. */
const COMPARE_MS = 400

/**
 * Whether a list begins otherwise by now. Files that are in it change in their places; others may have come.
 *
 * @param changedAt when the last change was told; `undefined`: nothing has changed
 */
function useOutdated(query: object, list: InfiniteData<ListPage> | undefined, changedAt: number | undefined): boolean {
  const { client } = useStudio()
  const [isOutdated, setIsOutdated] = useState(false)
  const first = list?.pages[0]
  const name = JSON.stringify(query)
  useEffect(() => {
    setIsOutdated(false)
    if (changedAt === undefined || !first) return
    const ending = new AbortController()
    const { signal } = ending
    const head = { ...JSON.parse(name), limit: 1 }
    const compare = async (): Promise<void> => {
      const { total, items } = await client.assets.list(head, { signal })
      if (!signal.aborted) setIsOutdated(total !== first.total || items[0]?.id !== first.items[0]?.id)
    }
    // What cannot be asked now is asked with the next change.
    const timer = setTimeout(() => void compare().catch(() => {}), COMPARE_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [client, name, first, changedAt])
  return isOutdated
}
