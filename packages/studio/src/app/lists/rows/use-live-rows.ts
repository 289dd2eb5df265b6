import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { useStudio } from '../../api/studio.ts'
import type { LoadedRows, RowPage } from './use-rows.ts'

/** The changes of a list since it was loaded. */
export interface LiveRows {
  /** The number of new entries that match. */
  readonly added: number
  readonly removed: number
  /** Refreshes rendered rows in place. */
  readonly refresh: (ids?: readonly string[]) => void
}

/** The delay in which changes are collected for one request, in milliseconds. */
const BATCH_DELAY_MS = 100

/** Applies changes by others to the rows in place, and counts new entries. */
export function useLiveRows(collection: string, { reader, pagesKey, total }: LoadedRows): LiveRows {
  const { changes, connection } = useStudio()
  const queries = useQueryClient()
  const [matching, setMatching] = useState<number>()
  const pages = queries.getQueriesData<RowPage>({ queryKey: pagesKey })
  const removed = pages.reduce((sum, [, page]) => sum + (page?.removedIds?.length ?? 0), 0)

  const refresh = useCallback(
    async (changedIds: ReadonlySet<string> | undefined, signal: AbortSignal): Promise<void> => {
      const shown = queries.getQueriesData<RowPage>({ queryKey: pagesKey, type: 'active' })
      const shownIds = shown.flatMap(([, page]) => page?.items.map(({ id }) => id) ?? [])
      const ids = changedIds ? shownIds.filter((id) => changedIds.has(id)) : shownIds
      if (ids.length === 0) return
      const items = await reader.readRows(ids, signal)
      const refreshedIds = new Set(ids)
      queries.setQueriesData<RowPage>({ queryKey: pagesKey }, (page) => page && updatePage(page, refreshedIds, items))
    },
    [queries, pagesKey, reader],
  )
  const [controller] = useState(() => ({ current: new AbortController() }))
  useEffect(() => {
    controller.current = new AbortController()
    const { signal } = controller.current
    const changedIds = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isUpdating = false
    const update = async (): Promise<void> => {
      timer = undefined
      isUpdating = true
      const ids = new Set(changedIds)
      changedIds.clear()
      try {
        await refresh(ids, signal)
        setMatching(await reader.countRows(signal))
      } catch (error) {
        connection.noteError(error)
      }
      isUpdating = false
      if (changedIds.size > 0) scheduleUpdate()
    }
    // Updates never overlap, since a count can be slow.
    const scheduleUpdate = (): void => {
      if (!isUpdating && !signal.aborted) timer ??= setTimeout(() => void update(), BATCH_DELAY_MS)
    }
    const end = changes.subscribe((change) => {
      if (change.collection !== collection) return
      changedIds.add(change.id)
      scheduleUpdate()
    })
    return () => {
      end()
      clearTimeout(timer)
      controller.current.abort()
    }
  }, [changes, collection, connection, controller, refresh, reader])
  const remaining = (total ?? 0) - removed
  return {
    added: matching === undefined || total === undefined ? 0 : Math.max(0, matching - remaining),
    removed,
    refresh: useCallback(
      (ids) => {
        refresh(ids && new Set(ids), controller.current.signal).catch((error: unknown) => connection.noteError(error))
      },
      [refresh, controller, connection],
    ),
  }
}

function updatePage(
  page: RowPage,
  refreshedIds: ReadonlySet<string>,
  items: ReadonlyMap<string, RowPage['items'][number]>,
): RowPage {
  if (!page.items.some(({ id }) => refreshedIds.has(id))) return page
  const missing = page.items.filter(({ id }) => refreshedIds.has(id) && !items.has(id)).map(({ id }) => id)
  const removedIds = new Set([...(page.removedIds ?? []).filter((id) => !items.has(id)), ...missing])
  return { ...page, items: page.items.map((item) => items.get(item.id) ?? item), removedIds: [...removedIds] }
}
