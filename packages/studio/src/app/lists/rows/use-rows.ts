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

/** A row: `undefined` where it is not loaded yet. */
export interface ListRow {
  readonly item: ListItem
  /** Whether it was deleted, or hidden, since it was read. */
  readonly isRemoved: boolean
}

/** The rows of a list, as far as they are loaded. */
export interface LoadedRows {
  /** How many entries match; `undefined`: not known yet. */
  readonly total: number | undefined
  readonly rowAt: (index: number) => ListRow | undefined
  /** The entry of a row that was loaded, whether it is drawn or not. */
  readonly idAt: (index: number) => string | undefined
  readonly error: unknown
  readonly reader: RowReader
  /** Under which the pages are kept. */
  readonly pagesKey: QueryKey
  /** Where the page of a row begins. */
  readonly getPage: (index: number) => ListPosition['page']
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
  place: ListPosition | undefined,
): LoadedRows {
  const { client } = useStudio()
  const queries = useQueryClient()
  const source = useMemo(
    () => new RowReader(client, key, query, Math.min(PAGE, Math.max(1, maxLimit))),
    [client, key, query, maxLimit],
  )
  const { size } = source
  const [pagesKey] = useState(() => begin(queries, [...queryKeys.list(key, query), 'page'], place))
  const numbers = pagesIn(range, size)
  const pages = useQueries({
    queries: numbers.map((number) => ({
      queryKey: [...pagesKey, number],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        source.readPage(startOf(queries, pagesKey, number, { size, place }), signal),
      ...STEADY,
    })),
  })
  const total = useRef<number | undefined>(place?.total)
  total.current = pages.find(({ data }) => data)?.data?.total ?? total.current
  const rowAt = (index: number): ListRow | undefined => {
    const number = Math.floor(index / size)
    const page = pages[numbers.indexOf(number)]?.data ?? queries.getQueryData<RowPage>([...pagesKey, number])
    const item = page?.items[index % size]
    return page && item && { item, isRemoved: page.removedIds?.includes(item.id) === true }
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
    reader: source,
    pagesKey,
    getPage: pageOf,
    retry: () => {
      for (const { isError, refetch } of pages) if (isError) void refetch()
    },
  }
}

/** A list that is come back to is as it was left; any other visit begins anew. */
function begin(queries: QueryClient, pagesKey: QueryKey, place: ListPosition | undefined): QueryKey {
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
  { size, place }: { readonly size: number; readonly place: ListPosition | undefined },
): PageStart {
  if (number === 0) return {}
  const before = queries.getQueryData<RowPage>([...pagesKey, number - 1])
  if (before?.nextCursor) return { cursor: before.nextCursor }
  if (place?.page?.number === number) return { cursor: place.page.cursor }
  return { offset: number * size }
}

/** A page of rows, and which of them are gone since it was read: they keep their places. */
export interface RowPage extends ListPage {
  readonly removedIds?: readonly string[]
}

/** Where a page begins. */
type PageStart = { readonly cursor: string } | { readonly offset: number } | Record<never, never>

/** The calls of one list. */
class RowReader {
  readonly #client: StudioClient
  readonly #collection: string
  readonly #query: RowsQuery
  /** How many rows a page has. */
  readonly size: number

  constructor(client: StudioClient, collection: string, query: RowsQuery, size: number) {
    this.#client = client
    this.#collection = collection
    this.#query = query
    this.size = size
  }

  /** One page. */
  readPage(start: PageStart, signal: AbortSignal): Promise<RowPage> {
    return this.#find({ ...this.#query, ...start, limit: this.size }, signal)
  }

  /** Some rows as they are now; those that are gone are left out. */
  async readRows(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ListItem>> {
    const found = new Map<string, ListItem>()
    const { select, include, draft } = this.#query
    for (let at = 0; at < ids.length; at += this.size) {
      const some = ids.slice(at, at + this.size)
      const query = { select, include, draft, where: { id: { in: some } }, limit: some.length }
      for (const item of (await this.#find(query, signal)).items) found.set(item.id, item)
    }
    return found
  }

  /** How many entries match now. */
  async countRows(signal: AbortSignal): Promise<number> {
    const { q, status, where }: RowFilter = this.#query
    return (await this.#find({ q, status, where, limit: 0 }, signal)).total
  }

  async #find(query: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<RowPage> {
    try {
      return await this.#ask(query, signal)
    } catch (error) {
      // An answer expands only so many references: without their titles, the rows are there at least.
      const { include } = query
      const isTooMany = error instanceof DaybookError && error.status === 400 && Array.isArray(include)
      if (!isTooMany || include.length === 0) throw error
      const select = (query.select as readonly string[]).map((path) => path.split('.')[0])
      return this.#ask({ ...query, select: [...new Set(select)], include: [] }, signal)
    }
  }

  async #ask(query: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<RowPage> {
    // The columns come from the model, which types know nothing of.
    return (await this.#client.collections[this.#collection]?.findMany(query as object, {
      signal,
    })) as unknown as RowPage
  }
}
