import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useRef } from 'react'

/** How many rows beyond those that are seen are drawn, and how near the end the next page is asked for. */
const OVERSCAN = 6

/** Rows of which only those that are seen are drawn. */
export interface VirtualRows {
  /** The element that scrolls. */
  readonly box: RefObject<HTMLDivElement | null>
  readonly rows: Virtualizer<HTMLDivElement, Element>
}

/**
 * Draws only the rows that are seen, and loads more when the last of them come into sight.
 *
 * @param rowPx the height of a row until it is measured, in pixels
 */
export function useVirtualRows(count: number, rowPx: number, loadMore: () => void): VirtualRows {
  const box = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer<HTMLDivElement, Element>({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
  })
  const last = rows.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= count - OVERSCAN) loadMore()
  }, [last, count, loadMore])
  return { box, rows }
}
