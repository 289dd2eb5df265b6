import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { useStudio } from '../../api/studio.ts'
import type { LoadedRows, RowPage } from './use-rows.ts'

/** What has happened to a list since it was read. */
export interface LiveRows {
  /** How many entries match that were not there. */
  readonly added: number
  /** How many rows are gone. */
  readonly removed: number
  /** Reads rows again that are shown, in their places. */
  readonly refresh: (ids?: readonly string[]) => void
}

/** Changes that come together are asked about together, in milliseconds. */
const TOGETHER_MS = 100

/** Brings what others change into the rows, in their places, and counts what is new. */
export function useLiveRows(collection: string, { reader: source, pagesKey, total }: LoadedRows): LiveRows {
  const { changes, connection } = useStudio()
  const queries = useQueryClient()
  const [counted, setCounted] = useState<number>()
  const pages = queries.getQueriesData<RowPage>({ queryKey: pagesKey })
  const gone = pages.reduce((sum, [, page]) => sum + (page?.removedIds?.length ?? 0), 0)

  const refresh = useCallback(
    async (asked: ReadonlySet<string> | undefined, signal: AbortSignal): Promise<void> => {
      const shown = queries.getQueriesData<RowPage>({ queryKey: pagesKey, type: 'active' })
      const all = shown.flatMap(([, page]) => page?.items.map(({ id }) => id) ?? [])
      const ids = asked ? all.filter((id) => asked.has(id)) : all
      if (ids.length === 0) return
      const found = await source.readRows(ids, signal)
      const isAsked = new Set(ids)
      queries.setQueriesData<RowPage>({ queryKey: pagesKey }, (page) => page && changed(page, isAsked, found))
    },
    [queries, pagesKey, source],
  )
  const [ending] = useState(() => ({ current: new AbortController() }))
  useEffect(() => {
    ending.current = new AbortController()
    const { signal } = ending.current
    const news = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isLooking = false
    const look = async (): Promise<void> => {
      timer = undefined
      isLooking = true
      const ids = new Set(news)
      news.clear()
      try {
        await refresh(ids, signal)
        setCounted(await source.countRows(signal))
      } catch (error) {
        connection.noteError(error)
      }
      isLooking = false
      if (news.size > 0) lookLater()
    }
    // However fast others write, one look is under way: a count may take its time.
    const lookLater = (): void => {
      if (!isLooking && !signal.aborted) timer ??= setTimeout(() => void look(), TOGETHER_MS)
    }
    const end = changes.subscribe((change) => {
      if (change.collection !== collection) return
      news.add(change.id)
      lookLater()
    })
    return () => {
      end()
      clearTimeout(timer)
      ending.current.abort()
    }
  }, [changes, collection, connection, ending, refresh, source])
  const shown = (total ?? 0) - gone
  return {
    added: counted === undefined || total === undefined ? 0 : Math.max(0, counted - shown),
    removed: gone,
    refresh: useCallback(
      (ids) => {
        refresh(ids && new Set(ids), ending.current.signal).catch((error: unknown) => connection.noteError(error))
      },
      [refresh, ending, connection],
    ),
  }
}

function changed(
  page: RowPage,
  asked: ReadonlySet<string>,
  found: ReadonlyMap<string, RowPage['items'][number]>,
): RowPage {
  if (!page.items.some(({ id }) => asked.has(id))) return page
  const missing = page.items.filter(({ id }) => asked.has(id) && !found.has(id)).map(({ id }) => id)
  const gone = new Set([...(page.removedIds ?? []).filter((id) => !found.has(id)), ...missing])
  return { ...page, items: page.items.map((item) => found.get(item.id) ?? item), removedIds: [...gone] }
}
