import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useRef } from 'react'

/** The number of rows rendered outside the viewport, also the distance to the end at which more rows are loaded. */
const OVERSCAN = 6

export interface VirtualRows {
  /** The element that scrolls. */
  readonly box: RefObject<HTMLDivElement | null>
  readonly rows: Virtualizer<HTMLDivElement, Element>
}

/**
 * Renders only visible rows, and loads more when the last rows come into view.
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
