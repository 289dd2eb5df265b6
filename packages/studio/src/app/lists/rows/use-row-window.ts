import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import {
  computeScroll,
  computeShift,
  getTopRow,
  getTotalHeight,
  getVisibleRows,
  type RowRange,
  type ScrollSizes,
} from './row-window.ts'

/** The rows to render, and their shift. */
interface RowWindow extends RowRange {
  /** The distance by which rows are rendered above their nominal position, in pixels. */
  readonly shift: number
}

/** The rendered part of a list of rows with equal height. */
export interface RenderedRows {
  readonly range: RowWindow
  /** The height of the element that contains all rows, in pixels. */
  readonly height: number
  /** The height of a row, in pixels. */
  readonly row: number
  /** Returns the number of rows above the visible part, possibly fractional. */
  readonly top: () => number
  /** Scrolls until a row is the first visible one. */
  readonly show: (top: number) => void
  /** Scrolls as little as needed to make a row visible. */
  readonly reveal: (index: number) => void
}

/** The number of rows rendered on each side of the visible ones. */
const MARGIN = 8
/** The height of a row until it is measured, in pixels. */
const ROW_PX = 48

/**
 * Renders only visible rows, scrolled with the page.
 *
 * @param body contains the rows; its first child has the height of a row
 * @param start the first visible row at first
 */
export function useRowWindow(body: RefObject<HTMLElement | null>, count: number, start: number): RenderedRows {
  const [row, setRow] = useState(ROW_PX)
  const [range, setRange] = useState<RowWindow>({
    first: Math.floor(start),
    last: Math.floor(start) + MARGIN,
    shift: 0,
  })
  const scrolled = useRef({ scrollTop: 0, shift: 0 })
  const sizes = useCallback((): ScrollSizes => {
    const scroller = findScroller(body.current)
    return { count, row, viewport: scroller?.clientHeight ?? 0, above: measureOffset(body.current, scroller) }
  }, [body, count, row])

  const update = useCallback(() => {
    const scroller = findScroller(body.current)
    if (!scroller) return
    const { scrollTop } = scroller
    const currentSizes = sizes()
    const shift = computeShift(scrolled.current.shift, scrolled.current.scrollTop, scrollTop, currentSizes)
    scrolled.current = { scrollTop, shift }
    const next = { ...getVisibleRows(scrollTop, shift, currentSizes, MARGIN), shift }
    setRange((current) => (isSame(current, next) ? current : next))
  }, [body, sizes])

  const show = useCallback(
    (top: number) => {
      const scroller = findScroller(body.current)
      if (!scroller) return
      scrolled.current = computeScroll(top, sizes())
      scroller.scrollTop = scrolled.current.scrollTop
      scrolled.current = { ...scrolled.current, scrollTop: scroller.scrollTop }
      update()
    },
    [body, sizes, update],
  )

  useLayoutEffect(() => {
    const height = body.current?.firstElementChild?.getBoundingClientRect().height
    if (height !== undefined && height > 0) setRow(height)
  }, [body])
  const isPlaced = useRef(start === 0)
  useLayoutEffect(() => {
    if (!isPlaced.current && count > 0) {
      isPlaced.current = true
      show(start)
    } else update()
  }, [update, show, start, count])
  useEffect(() => {
    const scroller = findScroller(body.current)
    const probe = body.current?.firstElementChild
    if (!scroller || !probe) return
    const observer = new ResizeObserver(() => {
      setRow(probe.getBoundingClientRect().height || ROW_PX)
      update()
    })
    observer.observe(scroller)
    observer.observe(probe)
    scroller.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      scroller.removeEventListener('scroll', update)
    }
  }, [body, update])
  const top = (): number => getTopRow(scrolled.current.scrollTop, scrolled.current.shift, sizes())
  const reveal = (index: number): void => {
    const currentTop = top()
    const { viewport } = sizes()
    const next = Math.min(Math.max(currentTop, index + 1 - Math.floor(viewport / row)), index)
    if (next !== currentTop) show(next)
  }
  return { range, height: getTotalHeight({ count, row }), row, top, show, reveal }
}

const findScroller = (element: HTMLElement | null): HTMLElement | null => element?.closest('main') ?? null

const measureOffset = (body: HTMLElement | null, scroller: HTMLElement | null): number =>
  body && scroller ? body.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop : 0

const isSame = (a: RowWindow, b: RowWindow): boolean => a.first === b.first && a.last === b.last && a.shift === b.shift
