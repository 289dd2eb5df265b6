import { type PointerEvent as ReactPointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** The place over which a dragged row is. */
export interface DropPlace {
  /** The row under the pointer. */
  readonly index: number
  /** The part of that row: its upper quarter, its middle, or its lower quarter. */
  readonly part: 'before' | 'on' | 'after'
}

/** A drag in progress. */
export interface RowDragState {
  readonly from: number
  readonly place: DropPlace
}

export interface RowDrag {
  /** `undefined` if nothing is dragged. */
  readonly state: RowDragState | undefined
  /** Begins a drag when the pointer has moved a little. */
  readonly onGrip: (index: number, event: ReactPointerEvent<HTMLElement>) => void
  /** True if the last press on a grip was a drag, so that it opens no menu. */
  readonly wasDrag: () => boolean
}

interface RowDragOptions {
  readonly body: RefObject<HTMLElement | null>
  readonly count: number
  /** The height of a row, in pixels. */
  readonly row: number
  /** The distance by which rows are rendered above their nominal position, in pixels. */
  readonly shift: number
  readonly onDrop: (from: number, place: DropPlace) => void
}

/** The distance in pixels from which a press becomes a drag. */
const THRESHOLD = 4
/** The height of the zones at the edges of the page in which dragging scrolls, in pixels. */
const SCROLL_ZONE = 56
const SCROLL_STEP = 14

/** Drags rows by their grips, with a mouse, a pen or a finger. Escape cancels; near the edges of the page, it scrolls. */
export function useRowDrag(options: RowDragOptions): RowDrag {
  const [state, setState] = useState<RowDragState>()
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  const wasDrag = useRef(false)
  const stop = useRef<() => void>(undefined)
  useEffect(() => () => stop.current?.(), [])

  const onGrip = useCallback((from: number, event: ReactPointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return
    wasDrag.current = false
    const startY = event.clientY
    let y = startY
    let current: RowDragState | undefined
    let frame = 0
    const update = (): void => {
      const place = findPlace(latest.current, y)
      if (!place) return
      current = { from, place }
      setState(current)
    }
    const scroll = (): void => {
      const scroller = latest.current.body.current?.closest('main')
      if (!scroller || !current) return
      const { top, bottom } = scroller.getBoundingClientRect()
      const step = y < top + SCROLL_ZONE ? -SCROLL_STEP : y > bottom - SCROLL_ZONE ? SCROLL_STEP : 0
      if (step !== 0) {
        scroller.scrollTop += step
        update()
      }
      frame = requestAnimationFrame(scroll)
    }
    const onMove = (move: PointerEvent): void => {
      y = move.clientY
      if (!current && Math.abs(y - startY) < THRESHOLD) return
      if (!current) {
        wasDrag.current = true
        frame = requestAnimationFrame(scroll)
      }
      update()
    }
    const end = (isDropped: boolean): void => {
      cancelAnimationFrame(frame)
      controller.abort()
      stop.current = undefined
      if (current && isDropped) latest.current.onDrop(from, current.place)
      setState(undefined)
    }
    const controller = new AbortController()
    const { signal } = controller
    window.addEventListener('pointermove', onMove, { signal })
    window.addEventListener('pointerup', () => end(true), { signal })
    window.addEventListener('pointercancel', () => end(false), { signal })
    window.addEventListener(
      'keydown',
      (press) => {
        if (press.key !== 'Escape') return
        press.preventDefault()
        end(false)
      },
      { signal, capture: true },
    )
    stop.current = () => end(false)
  }, [])
  return { state, onGrip, wasDrag: useCallback(() => wasDrag.current, []) }
}

function findPlace({ body, count, row, shift }: RowDragOptions, y: number): DropPlace | undefined {
  const top = body.current?.getBoundingClientRect().top
  if (top === undefined || count === 0) return undefined
  const position = Math.min(Math.max((y - top + shift) / row, 0), count - 0.001)
  const index = Math.floor(position)
  const offset = position - index
  return { index, part: offset < 0.3 ? 'before' : offset > 0.7 ? 'after' : 'on' }
}
