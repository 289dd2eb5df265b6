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

/** Which rows are to be drawn, and where. */
interface RowWindow extends RowRange {
  /** How far rows are drawn above where their number says, in pixels. */
  readonly shift: number
}

/** The drawn part of a list of rows of one height. */
export interface RenderedRows {
  readonly range: RowWindow
  /** Of the element that holds all rows. */
  readonly height: number
  /** Of one row. */
  readonly row: number
  /** How many rows are scrolled out at the top. */
  readonly top: () => number
  /** Scrolls until a row is the first one. */
  readonly show: (top: number) => void
  /** Scrolls no further than until a row is seen. */
  readonly reveal: (index: number) => void
}

/** How many rows beyond those that are seen are drawn. */
const AROUND = 8
/** The height of a row until it is measured, in pixels. */
const ROW_PX = 48

/**
 * Draws only the rows that are seen, in the page's own scrolling.
 *
 * @param body holds the rows; its first child has the height of one
 * @param count how many rows there are
 * @param start the row to begin at
 */
export function useRowWindow(body: RefObject<HTMLElement | null>, count: number, start: number): RenderedRows {
  const [row, setRow] = useState(ROW_PX)
  const [view, setView] = useState<RowWindow>({ first: Math.floor(start), last: Math.floor(start) + AROUND, shift: 0 })
  const scrolled = useRef({ scrollTop: 0, shift: 0 })
  const sizes = useCallback((): ScrollSizes => {
    const scroller = scrollerOf(body.current)
    return { count, row, viewport: scroller?.clientHeight ?? 0, above: distance(body.current, scroller) }
  }, [body, count, row])

  const look = useCallback(() => {
    const scroller = scrollerOf(body.current)
    if (!scroller) return
    const { scrollTop } = scroller
    const present = sizes()
    const shift = computeShift(scrolled.current.shift, scrolled.current.scrollTop, scrollTop, present)
    scrolled.current = { scrollTop, shift }
    const next = { ...getVisibleRows(scrollTop, shift, present, AROUND), shift }
    setView((before) => (isSame(before, next) ? before : next))
  }, [body, sizes])

  const show = useCallback(
    (top: number) => {
      const scroller = scrollerOf(body.current)
      if (!scroller) return
      scrolled.current = computeScroll(top, sizes())
      scroller.scrollTop = scrolled.current.scrollTop
      scrolled.current = { ...scrolled.current, scrollTop: scroller.scrollTop }
      look()
    },
    [body, sizes, look],
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
    } else look()
  }, [look, show, start, count])
  useEffect(() => {
    const scroller = scrollerOf(body.current)
    const probe = body.current?.firstElementChild
    if (!scroller || !probe) return
    const observer = new ResizeObserver(() => {
      setRow(probe.getBoundingClientRect().height || ROW_PX)
      look()
    })
    observer.observe(scroller)
    observer.observe(probe)
    scroller.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      scroller.removeEventListener('scroll', look)
    }
  }, [body, look])
  const top = (): number => getTopRow(scrolled.current.scrollTop, scrolled.current.shift, sizes())
  const reveal = (index: number): void => {
    const before = top()
    const { viewport } = sizes()
    const next = Math.min(Math.max(before, index + 1 - Math.floor(viewport / row)), index)
    if (next !== before) show(next)
  }
  return { range: view, height: getTotalHeight({ count, row }), row, top, show, reveal }
}

const scrollerOf = (element: HTMLElement | null): HTMLElement | null => element?.closest('main') ?? null

const distance = (body: HTMLElement | null, scroller: HTMLElement | null): number =>
  body && scroller ? body.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop : 0

const isSame = (a: RowWindow, b: RowWindow): boolean => a.first === b.first && a.last === b.last && a.shift === b.shift
