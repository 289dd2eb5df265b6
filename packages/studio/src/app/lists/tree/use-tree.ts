import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ListPage, StudioClient } from '../../api/client.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import type { ListView } from '../list-view.ts'
import { flattenTree, type Level, type LevelPage, type TreeRow } from './tree-rows.ts'

/** The loaded part of a tree, and what is open. */
export interface Tree {
  /** The visible rows from the top; `undefined` until the roots are loaded. */
  readonly rows: readonly TreeRow[] | undefined
  readonly error: unknown
  readonly setOpen: (id: string, isOpen: boolean) => void
  /** Loads the next children of an entry, or the next roots. */
  readonly loadMore: (parent: string | null) => void
  /** Loads everything that is shown again. */
  readonly reload: () => Promise<void>
}

/** The maximum number of children in a page. */
const PAGE = 100
/** The delay in which changes are collected for one reload, in milliseconds. */
const BATCH_DELAY_MS = 150

/** Loads a tree level by level, as its entries are opened, and keeps it current. What is open is kept in this tab. */
export function useTree(view: ListView): Tree {
  const { collection, query } = view
  const { client, changes, connection } = useStudio()
  const queries = useQueryClient()
  const [open, setOpenIds] = useOpenIds(collection.key)
  const [pageCounts, setPageCounts] = useState<ReadonlyMap<string | null, number>>(new Map())
  const size = Math.min(PAGE, Math.max(1, collection.maxLimit))
  const levelsKey = useMemo(
    () => [...queryKeys.list(collection.key, { ...query, tree: true }), 'level'],
    [collection.key, query],
  )
  const pages = [null, ...open].flatMap((parent) =>
    Array.from({ length: pageCounts.get(parent) ?? 1 }, (_, page) => ({ parent, page })),
  )
  const results = useQueries({
    queries: pages.map(({ parent, page }) => ({
      queryKey: [...levelsKey, parent, page],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        readLevel(client, view, { parent, offset: page * size, limit: size }, signal),
    })),
  })
  const levels = new Map<string | null, Level>()
  for (const [index, { parent }] of pages.entries())
    levels.set(parent, { pages: [...(levels.get(parent)?.pages ?? []), results[index]?.data] })
  const reload = useCallback(() => queries.invalidateQueries({ queryKey: levelsKey }), [queries, levelsKey])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = changes.subscribe((change) => {
      if (change.collection !== collection.key) return
      clearTimeout(timer)
      timer = setTimeout(() => void reload().catch((error: unknown) => connection.noteError(error)), BATCH_DELAY_MS)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [changes, collection.key, connection, reload])
  // While levels load again, a moved entry would be in two of them, or in none.
  const isReloading = results.some(({ data, isFetching }) => data !== undefined && isFetching)
  const rows = useRef<readonly TreeRow[]>(undefined)
  if (results[0]?.data && !(isReloading && rows.current)) rows.current = flattenTree(levels, open)
  return {
    rows: rows.current,
    error: results.find(({ error }) => error)?.error,
    setOpen: setOpenIds,
    loadMore: (parent) => setPageCounts((counts) => new Map(counts).set(parent, (counts.get(parent) ?? 1) + 1)),
    reload,
  }
}

/** Keeps the ids of open entries in this tab. */
function useOpenIds(collection: string): readonly [ReadonlySet<string>, Tree['setOpen']] {
  const storageKey = `daybook-studio-open:${collection}`
  const [ids, setIds] = useState<ReadonlySet<string>>(
    () => new Set((sessionStorage.getItem(storageKey) ?? '').split(' ').filter((id) => id !== '')),
  )
  useEffect(() => sessionStorage.setItem(storageKey, [...ids].join(' ')), [storageKey, ids])
  const setOpen = useCallback((id: string, isOpen: boolean): void => {
    setIds((current) => (isOpen ? new Set([...current, id]) : new Set([...current].filter((other) => other !== id))))
  }, [])
  return [ids, setOpen]
}

interface LevelRequest {
  readonly parent: string | null
  readonly offset: number
  readonly limit: number
}

/** Reads a page of children, and the number of children of each of them. */
async function readLevel(
  client: StudioClient,
  { collection, query }: ListView,
  { parent, ...page }: LevelRequest,
  signal: AbortSignal,
): Promise<LevelPage> {
  const { key, parentField, orderable, titleField } = collection
  const field = parentField ?? ''
  const entries = client.collections[key]
  const { select, include, draft } = query
  const where = { [field]: parent === null ? { exists: false } : { eq: parent } }
  const sort = orderable ? 'rank' : (titleField ?? 'id')
  // The static types do not know the model.
  const list = (await entries?.findMany({ select, include, draft, where, sort, ...page } as object, {
    signal,
  })) as unknown as ListPage
  const ids = list.items.map(({ id }) => id)
  if (ids.length === 0) return { items: [], total: list.total, childCounts: new Map() }
  const counted = { limit: 0, where: { [field]: { in: ids } }, aggregate: `count:${field}` }
  const counts = (await entries?.findMany(counted as object, { signal })) as unknown as {
    readonly aggregates: Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>
  }
  const values = counts.aggregates[`count:${field}`] ?? []
  return {
    items: list.items,
    total: list.total,
    childCounts: new Map(values.map(({ value, count }) => [value, count])),
  }
}
