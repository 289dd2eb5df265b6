import { useRouter } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'
import { type ListPosition, listPositions } from './list-positions.ts'
import type { LiveRows } from './use-live-rows.ts'
import type { RenderedRows } from './use-row-window.ts'
import type { LoadedRows } from './use-rows.ts'

interface RestoreOptions {
  readonly listKey: string
  readonly position: ListPosition | undefined
  readonly rendered: RenderedRows
  readonly live: LiveRows
  readonly rows: LoadedRows
}

/** Events after which the position is no longer restored. */
const INTERRUPTING_EVENTS = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const

/** Restores the scroll position, focuses the entry that was opened once its row is rendered, and refreshes the rows. */
export function useRestoredPosition(
  body: RefObject<HTMLElement | null>,
  { listKey, position, rendered, live, rows }: RestoreOptions,
): void {
  const router = useRouter()
  const { show } = rendered
  const latestShow = useRef(show)
  useEffect(() => {
    latestShow.current = show
  }, [show])
  useEffect(() => {
    if (!position) return
    // The router scrolls to the top after a navigation.
    const end = router.subscribe('onRendered', () => latestShow.current(position.top))
    for (const move of INTERRUPTING_EVENTS) window.addEventListener(move, end, { once: true, passive: true })
    return () => {
      end()
      for (const move of INTERRUPTING_EVENTS) window.removeEventListener(move, end)
    }
  }, [router, position])
  const isDone = useRef(position === undefined)
  useEffect(() => {
    if (isDone.current || !position || !rows.rowAt(position.opened.index)) return
    const { id, index } = position.opened
    // If the entry has moved, focus the row in its old place.
    const link =
      body.current?.querySelector<HTMLElement>(`a[data-entry="${CSS.escape(id)}"]`) ??
      body.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)
    if (!link) return
    isDone.current = true
    link.focus({ preventScroll: true })
    listPositions.forget(listKey)
    live.refresh()
  })
}
