import { type QueryClient, type QueryKey, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { StudioCollection } from '../../model/studio-model.ts'
import { keys } from '../../talk/keys.ts'
import type { ListItem } from '../../talk/list-page.ts'
import { useStudio } from '../../talk/studio.ts'
import type { RowsQuery } from '../list-query.ts'
import type { ListPlace } from './list-places.ts'
import { type PageStart, type RowPage, RowSource } from './row-pages.ts'
import type { RowRange } from './scroll-window.ts'

/** A row: `undefined` where it is not loaded yet. */
export interface ListRow {
  readonly item: ListItem
  /** Whether it was deleted, or hidden, since it was read. */
  readonly isGone: boolean
}

/** The rows of a list, as far as they are loaded. */
export interface LoadedRows {
  /** How many entries match; `undefined`: not known yet. */
  readonly total: number | undefined
  readonly rowAt: (index: number) => ListRow | undefined
  /** The entry of a row that was loaded, whether it is drawn or not. */
  readonly idAt: (index: number) => string | undefined
  readonly error: unknown
  readonly source: RowSource
  /** Under which the pages are kept. */
  readonly pagesKey: QueryKey
  /** Where the page of a row begins. */
  readonly pageOf: (index: number) => ListPlace['page']
  /** Asks again for what could not be loaded. */
  readonly retry: () => void
}

const PAGE = 50

/** Rows are changed in their places, and asked for again where somebody wants the list anew: nothing else may move them. */
const STEADY = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnMount: false,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
} as const

/**
 * The rows of a collection, page by page, as they come into sight. Pages follow each other by cursor; one that is jumped to is asked for
 * by its number.
 */
export function useRows(
  { key, maxLimit }: StudioCollection,
  query: RowsQuery,
  range: RowRange,
  place: ListPlace | undefined,
): LoadedRows {
  const { client } = useStudio()
  const queries = useQueryClient()
  const source = useMemo(
    () => new RowSource(client, key, query, Math.min(PAGE, Math.max(1, maxLimit))),
    [client, key, query, maxLimit],
  )
  const { size } = source
  const [pagesKey] = useState(() => begin(queries, [...keys.list(key, query), 'page'], place))
  const numbers = pagesIn(range, size)
  const pages = useQueries({
    queries: numbers.map((number) => ({
      queryKey: [...pagesKey, number],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        source.page(startOf(queries, pagesKey, number, { size, place }), signal),
      ...STEADY,
    })),
  })
  const total = useRef<number | undefined>(place?.total)
  total.current = pages.find(({ data }) => data)?.data?.total ?? total.current
  const rowAt = (index: number): ListRow | undefined => {
    const number = Math.floor(index / size)
    const page = pages[numbers.indexOf(number)]?.data ?? queries.getQueryData<RowPage>([...pagesKey, number])
    const item = page?.items[index % size]
    return page && item && { item, isGone: page.gone?.includes(item.id) === true }
  }
  const idAt = (index: number): string | undefined =>
    queries.getQueryData<RowPage>([...pagesKey, Math.floor(index / size)])?.items[index % size]?.id
  const pageOf = useCallback(
    (index: number) => {
      const number = Math.floor(index / size)
      const start = startOf(queries, pagesKey, number, { size, place })
      return 'cursor' in start ? { number, cursor: start.cursor } : undefined
    },
    [queries, pagesKey, size, place],
  )
  return {
    total: total.current,
    rowAt,
    idAt,
    error: pages.find(({ error }) => error)?.error,
    source,
    pagesKey,
    pageOf,
    retry: () => {
      for (const { isError, refetch } of pages) if (isError) void refetch()
    },
  }
}

/** A list that is come back to is as it was left; any other visit begins anew. */
function begin(queries: QueryClient, pagesKey: QueryKey, place: ListPlace | undefined): QueryKey {
  if (!place) queries.removeQueries({ queryKey: pagesKey })
  return pagesKey
}

function pagesIn({ first, last }: RowRange, size: number): readonly number[] {
  const from = Math.floor(first / size)
  const to = Math.max(from, Math.floor(last / size))
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}

function startOf(
  queries: QueryClient,
  pagesKey: QueryKey,
  number: number,
  { size, place }: { readonly size: number; readonly place: ListPlace | undefined },
): PageStart {
  if (number === 0) return {}
  const before = queries.getQueryData<RowPage>([...pagesKey, number - 1])
  if (before?.nextCursor) return { cursor: before.nextCursor }
  if (place?.page?.number === number) return { cursor: place.page.cursor }
  return { offset: number * size }
}
