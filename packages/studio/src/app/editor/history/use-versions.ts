import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { FullVersion, HistoryCalls, Version, VersionPage } from './versions.ts'

/** How many versions are asked for at once. */
const PAGE = 50

/** The versions of a document as far as they are loaded, newest first. */
export interface LoadedVersions {
  readonly items: readonly Version[]
  readonly error: unknown
  readonly isLoading: boolean
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly reload: () => void
}

/** Loads versions page by page. @param key of the document, for what is kept of answers */
export function useVersions(key: readonly string[], calls: HistoryCalls): LoadedVersions {
  const versions = useInfiniteQuery<VersionPage, Error, InfiniteData<VersionPage>, readonly string[], string | null>({
    queryKey: [...key, 'versions'],
    queryFn: ({ pageParam, signal }) => calls.list({ limit: PAGE, cursor: pageParam }, { signal }),
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 0,
  })
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = versions
  return {
    items: data?.pages.flatMap(({ items }) => items) ?? [],
    error,
    isLoading: isPending,
    hasMore: hasNextPage,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    reload: () => void refetch(),
  }
}

/** Two versions beside each other; `undefined` while they are loaded. */
export interface ComparedVersions {
  readonly version: FullVersion | undefined
  /** `null`: there is none before. */
  readonly before: FullVersion | null | undefined
  readonly error: unknown
}

/** Loads a version, and the one before it. */
export function useComparedVersions(
  key: readonly string[],
  calls: HistoryCalls,
  versions: LoadedVersions,
  revision: number | undefined,
): ComparedVersions {
  const { items, hasMore, loadMore } = versions
  const index = items.findIndex((one) => one.revision === revision)
  const isLast = index === items.length - 1
  useEffect(() => {
    // What comes before the last one that is loaded is on the next page; so is a version that an address names.
    if (revision !== undefined && hasMore && (index < 0 || isLast)) loadMore()
  })
  const former = index < 0 ? undefined : items[index + 1]?.revision
  const load = (wanted: number | undefined) => ({
    queryKey: [...key, 'version', wanted ?? 0],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => calls.get(wanted ?? 0, { signal }),
    enabled: wanted !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const one = useQuery(load(revision))
  const other = useQuery(load(former))
  const isFirst = index >= 0 && isLast && !hasMore
  return { version: one.data, before: isFirst ? null : other.data, error: one.error ?? other.error }
}
