import { useRouter } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'
import { type ListPosition, listPositions } from './list-positions.ts'
import type { LiveRows } from './use-live-rows.ts'
import type { RenderedRows } from './use-row-window.ts'
import type { LoadedRows } from './use-rows.ts'

/** What is brought back to where it was. */
interface Return {
  readonly address: string
  readonly place: ListPosition | undefined
  readonly drawn: RenderedRows
  readonly live: LiveRows
  readonly rows: LoadedRows
}

/** What somebody does who has arrived. */
const MOVES = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const

/** Brings the focus back to the entry that was opened from here, once its row is drawn, and shows what has become of it. */
export function useRestoredPosition(
  body: RefObject<HTMLElement | null>,
  { address, place, drawn, live, rows }: Return,
): void {
  const router = useRouter()
  const { show } = drawn
  const latest = useRef(show)
  useEffect(() => {
    latest.current = show
  }, [show])
  useEffect(() => {
    if (!place) return
    // After a navigation, the router scrolls to the top.
    const end = router.subscribe('onRendered', () => latest.current(place.top))
    for (const move of MOVES) window.addEventListener(move, end, { once: true, passive: true })
    return () => {
      end()
      for (const move of MOVES) window.removeEventListener(move, end)
    }
  }, [router, place])
  const isDone = useRef(place === undefined)
  useEffect(() => {
    if (isDone.current || !place || !rows.rowAt(place.opened.index)) return
    const { id, index } = place.opened
    // Where it has moved, its place is what was left.
    const link =
      body.current?.querySelector<HTMLElement>(`a[data-entry="${CSS.escape(id)}"]`) ??
      body.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)
    if (!link) return
    isDone.current = true
    link.focus({ preventScroll: true })
    listPositions.forget(address)
    live.refresh()
  })
}
