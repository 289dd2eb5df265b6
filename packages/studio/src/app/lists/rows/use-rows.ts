import { DaybookError } from '@daybook/client'
import { type QueryClient, type QueryKey, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { ListItem, ListPage, StudioClient } from '../../api/client.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import type { StudioCollection } from '../../model/studio-model.ts'
import type { RowFilter, RowsQuery } from '../rows-query.ts'
import type { ListPosition } from './list-positions.ts'
import type { RowRange } from './row-window.ts'

export interface ListRow {
  readonly item: ListItem
  /** True if the entry was deleted or hidden since it was loaded. */
  readonly isRemoved: boolean
}

export interface LoadedRows {
  /** The number of matching entries; `undefined` until it is loaded. */
  readonly total: number | undefined
  readonly rowAt: (index: number) => ListRow | undefined
  /** Returns the id of a loaded row, rendered or not. */
  readonly idAt: (index: number) => string | undefined
  /** Returns the ids of all loaded rows. */
  readonly loadedIds: () => readonly string[]
  readonly error: unknown
  readonly reader: RowReader
  /** The prefix of the keys of cached pages. */
  readonly pagesKey: QueryKey
  /** Returns the cursor of the page with a row, if it has one. */
  readonly getPage: (index: number) => ListPosition['page']
  /** Reloads failed pages. */
  readonly retry: () => void
}

const PAGE = 50

/** Pages are never reloaded by themselves, so that no row moves: live changes update rows in place. */
const STEADY = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnMount: false,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
} as const

/**
 * Loads the rows of a collection page by page as they come into view. Adjacent pages are loaded by cursor, distant ones by offset.
 */
export function useRows(
  { key, maxLimit }: StudioCollection,
  query: RowsQuery,
  range: RowRange,
  position: ListPosition | undefined,
): LoadedRows {
  const { client } = useStudio()
  const queries = useQueryClient()
  const reader = useMemo(
    () => new RowReader(client, key, query, Math.min(PAGE, Math.max(1, maxLimit))),
    [client, key, query, maxLimit],
  )
  const { size } = reader
  const [pagesKey] = useState(() => preparePages(queries, [...queryKeys.list(key, query), 'page'], position))
  const numbers = listPages(range, size)
  const pages = useQueries({
    queries: numbers.map((number) => ({
      queryKey: [...pagesKey, number],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        reader.readPage(findStart(queries, pagesKey, number, { size, position }), signal),
      ...STEADY,
    })),
  })
  const total = useRef<number | undefined>(position?.total)
  total.current = pages.find(({ data }) => data)?.data?.total ?? total.current
  const rowAt = (index: number): ListRow | undefined => {
    const number = Math.floor(index / size)
    const page = pages[numbers.indexOf(number)]?.data ?? queries.getQueryData<RowPage>([...pagesKey, number])
    const item = page?.items[index % size]
    return page && item && { item, isRemoved: page.removedIds?.includes(item.id) === true }
  }
  const idAt = (index: number): string | undefined =>
    queries.getQueryData<RowPage>([...pagesKey, Math.floor(index / size)])?.items[index % size]?.id
  const getPage = useCallback(
    (index: number) => {
      const number = Math.floor(index / size)
      const start = findStart(queries, pagesKey, number, { size, position })
      return 'cursor' in start ? { number, cursor: start.cursor } : undefined
    },
    [queries, pagesKey, size, position],
  )
  return {
    total: total.current,
    rowAt,
    idAt,
    loadedIds: () =>
      queries
        .getQueriesData<RowPage>({ queryKey: pagesKey })
        .flatMap(
          ([, page]) => page?.items.filter(({ id }) => !page.removedIds?.includes(id)).map(({ id }) => id) ?? [],
        ),
    error: pages.find(({ error }) => error)?.error,
    reader,
    pagesKey,
    getPage,
    retry: () => {
      for (const { isError, refetch } of pages) if (isError) void refetch()
    },
  }
}

/** Drops the cached pages, unless a position is restored. */
function preparePages(queries: QueryClient, pagesKey: QueryKey, position: ListPosition | undefined): QueryKey {
  if (!position) queries.removeQueries({ queryKey: pagesKey })
  return pagesKey
}

function listPages({ first, last }: RowRange, size: number): readonly number[] {
  const from = Math.floor(first / size)
  const to = Math.max(from, Math.floor(last / size))
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

function findStart(
  queries: QueryClient,
  pagesKey: QueryKey,
  number: number,
  { size, position }: { readonly size: number; readonly position: ListPosition | undefined },
): PageStart {
  if (number === 0) return {}
  const previous = queries.getQueryData<RowPage>([...pagesKey, number - 1])
  if (previous?.nextCursor) return { cursor: previous.nextCursor }
  if (position?.page?.number === number) return { cursor: position.page.cursor }
  return { offset: number * size }
}

/** A page of rows with the ids of those that were removed since, which keep their places. */
export interface RowPage extends ListPage {
  readonly removedIds?: readonly string[]
}

type PageStart = { readonly cursor: string } | { readonly offset: number } | Record<never, never>

class RowReader {
  readonly #client: StudioClient
  readonly #collection: string
  readonly #query: RowsQuery
  /** The number of rows in a page. */
  readonly size: number

  constructor(client: StudioClient, collection: string, query: RowsQuery, size: number) {
    this.#client = client
    this.#collection = collection
    this.#query = query
    this.size = size
  }

  readPage(start: PageStart, signal: AbortSignal): Promise<RowPage> {
    return this.#find({ ...this.#query, ...start, limit: this.size }, signal)
  }

  /** Reads rows again, without those that are gone. */
  async readRows(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ListItem>> {
    const items = new Map<string, ListItem>()
    const { select, include, draft } = this.#query
    for (let start = 0; start < ids.length; start += this.size) {
      const chunk = ids.slice(start, start + this.size)
      const query = { select, include, draft, where: { id: { in: chunk } }, limit: chunk.length }
      for (const item of (await this.#find(query, signal)).items) items.set(item.id, item)
    }
    return items
  }

  async countRows(signal: AbortSignal): Promise<number> {
    const { q, status, where }: RowFilter = this.#query
    return (await this.#find({ q, status, where, limit: 0 }, signal)).total
  }

  async #find(query: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<RowPage> {
    try {
      return await this.#request(query, signal)
    } catch (error) {
      // The service limits the references in a response. Show the rows without titles of related entries.
      const { include } = query
      const isTooMany = error instanceof DaybookError && error.status === 400 && Array.isArray(include)
      if (!isTooMany || include.length === 0) throw error
      const select = (query.select as readonly string[]).map((path) => path.split('.')[0])
      return this.#request({ ...query, select: [...new Set(select)], include: [] }, signal)
    }
  }

  async #request(query: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<RowPage> {
    // The static types do not know the columns of the model.
    return (await this.#client.collections[this.#collection]?.findMany(query as object, {
      signal,
    })) as unknown as RowPage
  }
}
