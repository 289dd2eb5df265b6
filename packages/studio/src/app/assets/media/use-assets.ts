import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ListItem, ListPage, LiveChange } from '../../api/live-changes.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { ASSETS } from '../../model/studio-model.ts'
import type { Asset } from './asset.ts'
import { type AssetConstraints, type AssetSearch, buildAssetQuery } from './asset-search.ts'
import { useFolderTree } from './use-folders.ts'

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
export function useAssets(search: AssetSearch, demands: AssetConstraints = {}): LoadedAssets {
  const { client } = useStudio()
  const queries = useQueryClient()
  const { tree, isPending: isTreePending } = useFolderTree()
  const query = { ...buildAssetQuery(search, demands, tree), limit: PAGE }
  const queryKey = queryKeys.list(ASSETS, query)
  const list = useInfiniteQuery<ListPage, Error, AssetList, readonly unknown[], string | null>({
    queryKey,
    queryFn: async ({ pageParam, signal }) =>
      // What is asked for is known only here, which types know nothing of.
      (await client.assets.list({ ...query, cursor: pageParam } as object, { signal })) as unknown as ListPage,
    // The filter of a folder names those inside.
    enabled: search.folder === undefined || !isTreePending,
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const news = useLiveAssets(queryKey)
  const isOutdated = useOutdated(query, data, news)
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

/**
 * Brings changes of files into a list in their places; no file moves.
 *
 * @returns how many changes were of files that are not in it
 */
function useLiveAssets(queryKey: readonly unknown[]): number {
  const { changes } = useStudio()
  const queries = useQueryClient()
  const [news, setNews] = useState(0)
  const name = JSON.stringify(queryKey)
  useEffect(() => {
    const key: readonly unknown[] = JSON.parse(name)
    return changes.subscribe((change) => {
      if (change.collection !== ASSETS) return
      const list = queries.getQueryData<AssetList>(key)
      if (list && hasAsset(list, change.id)) queries.setQueryData<AssetList>(key, applyChange(list, change))
      else setNews((count) => count + 1)
    })
  }, [changes, queries, name])
  return news
}

/** How long after the last change a list is compared with what is there, in milliseconds. */
const COMPARE_MS = 400

/**
 * Whether a list begins otherwise by now. Files that are in it change in their places; others may have come.
 *
 * @param news how many changes may be missing in it
 */
function useOutdated(query: object, list: AssetList | undefined, news: number): boolean {
  const { client } = useStudio()
  const [isOutdated, setIsOutdated] = useState(false)
  const first = list?.pages[0]
  const name = JSON.stringify(query)
  useEffect(() => {
    setIsOutdated(false)
    if (news === 0 || !first) return
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
  }, [client, name, first, news])
  return isOutdated
}

/** A list of files, as far as it is loaded. */
type AssetList = InfiniteData<ListPage>

/** Whether a file is in a list. */
const hasAsset = ({ pages }: AssetList, id: string): boolean =>
  pages.some(({ items }) => items.some((item) => item.id === id))

/** A list after a change of a file that is in it. */
const applyChange = (list: AssetList, change: LiveChange): AssetList => ({
  ...list,
  pages: list.pages.map((page) => inPage(page, change)),
})

function inPage(page: ListPage, { action, id, data = {} }: LiveChange): ListPage {
  if (action === 'delete') {
    return { ...page, total: Math.max(0, page.total - 1), items: page.items.filter((item) => item.id !== id) }
  }
  return { ...page, items: page.items.map((item) => (item.id === id ? changed(item, data) : item)) }
}

/** Only what was asked for is in a list. */
const changed = (item: ListItem, data: Readonly<Record<string, unknown>>): ListItem => ({
  ...Object.fromEntries(Object.entries(item).map(([key, value]) => [key, key in data ? data[key] : value])),
  id: item.id,
})
