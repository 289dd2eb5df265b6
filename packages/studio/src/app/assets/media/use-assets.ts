import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { StudioClient } from '../../api/client.ts'
import type { ListItem, ListPage, LiveChange } from '../../api/live-changes.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { ASSETS } from '../../model/studio-model.ts'
import type { Asset } from './asset.ts'
import { type AssetConstraints, type AssetSearch, buildAssetQuery } from './asset-search.ts'
import { type Folders, type FolderTree, getFolders, isFolderPath, readFolders, toFolderTree } from './folders.ts'

/** The loaded part of a list of files. */
export interface LoadedAssets {
  /** The number of matching files; `undefined` until it is loaded. */
  readonly total: number | undefined
  readonly items: readonly Asset[]
  readonly error: unknown
  readonly isLoading: boolean
  /** True if there may be new files that the list does not show. */
  readonly isOutdated: boolean
  /** Loads the next page, unless there is none or it is loading. */
  readonly loadMore: () => void
  /** Reloads the list from the first page. */
  readonly reload: () => void
}

const PAGE = 60

export function useAssets(search: AssetSearch, constraints: AssetConstraints = {}): LoadedAssets {
  const { client } = useStudio()
  const queries = useQueryClient()
  const { tree, isPending: isTreePending } = useFolderTree()
  const query = { ...buildAssetQuery(search, constraints, tree), limit: PAGE }
  const queryKey = queryKeys.list(ASSETS, query)
  const list = useInfiniteQuery<ListPage, Error, AssetList, readonly unknown[], string | null>({
    queryKey,
    queryFn: async ({ pageParam, signal }) =>
      // The static types do not know the selected fields.
      (await client.assets.list({ ...query, cursor: pageParam } as object, { signal })) as unknown as ListPage,
    // The filter of a folder lists its subfolders.
    enabled: search.folder === undefined || !isTreePending,
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const newChanges = useLiveAssets(queryKey)
  const isOutdated = useOutdated(query, data, newChanges)
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
 * Applies live changes to the files of a list in place.
 *
 * @returns the number of changes to files that are not in the list
 */
function useLiveAssets(queryKey: readonly unknown[]): number {
  const { changes } = useStudio()
  const queries = useQueryClient()
  const [newChanges, setNewChanges] = useState(0)
  const serializedKey = JSON.stringify(queryKey)
  useEffect(() => {
    const key: readonly unknown[] = JSON.parse(serializedKey)
    return changes.subscribe((change) => {
      if (change.collection !== ASSETS) return
      const list = queries.getQueryData<AssetList>(key)
      if (list && hasAsset(list, change.id)) queries.setQueryData<AssetList>(key, applyChange(list, change))
      else setNewChanges((count) => count + 1)
    })
  }, [changes, queries, serializedKey])
  return newChanges
}

/** The delay between the last change and the check for new files, in milliseconds. */
const CHECK_DELAY_MS = 400

/**
 * Checks after changes to other files if the total or the first file of a list has changed.
 *
 * @param newChanges the number of changes to files that are not in the list
 */
function useOutdated(query: object, list: AssetList | undefined, newChanges: number): boolean {
  const { client } = useStudio()
  const [isOutdated, setIsOutdated] = useState(false)
  const first = list?.pages[0]
  const serializedQuery = JSON.stringify(query)
  useEffect(() => {
    setIsOutdated(false)
    if (newChanges === 0 || !first) return
    const controller = new AbortController()
    const { signal } = controller
    const firstOnly = { ...JSON.parse(serializedQuery), limit: 1 }
    const check = async (): Promise<void> => {
      const { total, items } = await client.assets.list(firstOnly, { signal })
      if (!signal.aborted) setIsOutdated(total !== first.total || items[0]?.id !== first.items[0]?.id)
    }
    // A failed check is repeated with the next change.
    const timer = setTimeout(() => void check().catch(() => {}), CHECK_DELAY_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [client, serializedQuery, first, newChanges])
  return isOutdated
}

type AssetList = InfiniteData<ListPage>

const hasAsset = ({ pages }: AssetList, id: string): boolean =>
  pages.some(({ items }) => items.some((item) => item.id === id))

const applyChange = (list: AssetList, change: LiveChange): AssetList => ({
  ...list,
  pages: list.pages.map((page) => applyToPage(page, change)),
})

function applyToPage(page: ListPage, { action, id, data = {} }: LiveChange): ListPage {
  if (action === 'delete') {
    return { ...page, total: Math.max(0, page.total - 1), items: page.items.filter((item) => item.id !== id) }
  }
  return { ...page, items: page.items.map((item) => (item.id === id ? mergeItem(item, data) : item)) }
}

const mergeItem = (item: ListItem, data: Readonly<Record<string, unknown>>): ListItem => ({
  ...Object.fromEntries(Object.entries(item).map(([key, value]) => [key, key in data ? data[key] : value])),
  id: item.id,
})

const NONE: Folders = { names: [], isPartial: false }

/** Loads the directories of all files; `tree` stays `undefined` if the request fails. */
function useFolderTree(): { readonly tree: FolderTree | undefined; readonly isPending: boolean } {
  const { client } = useStudio()
  const { data, isPending } = useQuery({
    queryKey: queryKeys.folderTree,
    queryFn: ({ signal }) => readTree(client, signal),
    // Lists also work without the tree.
    retry: false,
  })
  return { tree: data, isPending }
}

/** Loads the folders inside a folder; `undefined` is the top level. */
export function useFolders(folder: string | undefined): Folders {
  const { client } = useStudio()
  const { tree, isPending } = useFolderTree()
  const isComplete = tree !== undefined && !tree.isPartial
  const { data = NONE } = useQuery({
    queryKey: queryKeys.folder(folder),
    queryFn: ({ signal }) => readFolders((query) => listDirectories(client, query, signal), folder),
    enabled: !isPending && !isComplete && (folder === undefined || isFolderPath(folder)),
  })
  return isComplete ? getFolders(tree, folder) : data
}

async function readTree(client: StudioClient, signal: AbortSignal): Promise<FolderTree> {
  const query = { limit: 0, aggregate: { directory: 'count' } }
  const { aggregates } = (await client.assets.list(query as object, { signal })) as unknown as {
    readonly aggregates: { readonly 'count:directory': readonly { readonly value: unknown }[] }
  }
  return toFolderTree(aggregates['count:directory'])
}

async function listDirectories(client: StudioClient, query: object, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = (await client.assets.list(query, { signal })) as unknown as {
    readonly items: readonly { readonly directory: string }[]
  }
  return items.map(({ directory }) => directory)
}
