import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { FullVersion, HistoryCalls, Version, VersionPage } from './versions.ts'

const PAGE_SIZE = 50

/** The loaded versions of a document, newest first. */
export interface LoadedVersions {
  readonly items: readonly Version[]
  readonly error: unknown
  readonly isLoading: boolean
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly reload: () => void
}

/** Loads versions page by page. @param key the query key of the document */
export function useVersions(key: readonly string[], calls: HistoryCalls): LoadedVersions {
  const versions = useInfiniteQuery<VersionPage, Error, InfiniteData<VersionPage>, readonly string[], string | null>({
    queryKey: [...key, 'versions'],
    queryFn: ({ pageParam, signal }) => calls.list({ limit: PAGE_SIZE, cursor: pageParam }, { signal }),
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

/** A version and its predecessor; `undefined` while they load. */
export interface ComparedVersions {
  readonly version: FullVersion | undefined
  /** `null` if there is no earlier version. */
  readonly before: FullVersion | null | undefined
  readonly error: unknown
}

/** Loads a version and the one to compare it with. @param against its revision; `undefined` for the version before */
export function useComparedVersions(
  key: readonly string[],
  calls: HistoryCalls,
  versions: LoadedVersions,
  revision: number | undefined,
  against: number | undefined,
): ComparedVersions {
  const { items, hasMore, loadMore } = versions
  const index = items.findIndex((version) => version.revision === revision)
  const isLast = index === items.length - 1
  useEffect(() => {
    // The predecessor of the last loaded version is on the next page, and a version named in the URL may be.
    if (revision !== undefined && hasMore && (index < 0 || isLast)) loadMore()
  })
  const previousRevision = against ?? (index < 0 ? undefined : items[index + 1]?.revision)
  const buildOptions = (wantedRevision: number | undefined) => ({
    queryKey: [...key, 'version', wantedRevision ?? 0],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => calls.get(wantedRevision ?? 0, { signal }),
    enabled: wantedRevision !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const version = useQuery(buildOptions(revision))
  const previous = useQuery(buildOptions(previousRevision))
  const isFirst = against === undefined && index >= 0 && isLast && !hasMore
  return { version: version.data, before: isFirst ? null : previous.data, error: version.error ?? previous.error }
}
