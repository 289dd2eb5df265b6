/** The distance that the pointer moves before a drag begins, in pixels. */
const MIN_DISTANCE_PX = 4
/** The distance from the edge at which the page scrolls, and the step per frame, in pixels. */
const EDGE_PX = 64
const SCROLL_PX = 14

export interface DragOptions {
  /** The element whose children are the items. */
  readonly list: HTMLElement
  readonly item: HTMLElement
  /** The line that marks the drop position. */
  readonly mark: HTMLElement
  /** Called after a drop. @param gap the number of items above the drop position */
  readonly onDrop: (gap: number) => void
}

/**
 * Drags an item of a list by mouse or touch. Escape cancels.
 *
 * This is not react-aria's `useDragAndDrop`, which needs a `GridList`. Its arrow keys and typeahead would interfere with the forms inside the
 * rows, touch would need a long press, and it adds about 40 KiB (gzip) to an editor with a budget of 60. Keyboard users move items by their menus,
 * or by Alt with arrow keys.
 */
export function dragItem(start: PointerEvent, { list, item, mark, onDrop }: DragOptions): void {
  const scroller = list.closest('main') ?? document.documentElement
  const ending = new AbortController()
  const { signal } = ending
  let y = start.clientY
  let gap: number | undefined
  let frame = 0
  const show = (): void => {
    gap = findGap(list, y)
    item.dataset.dragged = ''
    mark.hidden = false
    mark.style.insetBlockStart = `${getMarkTop(list, gap)}px`
  }
  const scroll = (): void => {
    const { top, bottom } = scroller.getBoundingClientRect()
    const step =
      y < Math.max(top, 0) + EDGE_PX ? -SCROLL_PX : y > Math.min(bottom, innerHeight) - EDGE_PX ? SCROLL_PX : 0
    if (step !== 0 && gap !== undefined) {
      scroller.scrollBy({ top: step, behavior: 'instant' })
      show()
    }
    frame = requestAnimationFrame(scroll)
  }
  const end = (): void => {
    ending.abort()
    cancelAnimationFrame(frame)
    delete item.dataset.dragged
    mark.hidden = true
  }
  const onMove = (event: PointerEvent): void => {
    y = event.clientY
    if (gap !== undefined || Math.abs(y - start.clientY) > MIN_DISTANCE_PX) show()
  }
  const onUp = (): void => {
    end()
    if (gap !== undefined) onDrop(gap)
  }
  addEventListener('pointermove', onMove, { signal })
  addEventListener('pointerup', onUp, { signal })
  addEventListener('pointercancel', end, { signal })
  addEventListener('keydown', (event) => event.key === 'Escape' && end(), { signal })
  frame = requestAnimationFrame(scroll)
}

const getItems = (list: HTMLElement): readonly Element[] => [...list.querySelectorAll(':scope > [data-item]')]

/** Counts the items whose centre is above a vertical position on the screen. */
function findGap(list: HTMLElement, y: number): number {
  const items = getItems(list)
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const { top, height } = items[middle]?.getBoundingClientRect() ?? { top: 0, height: 0 }
    if (top + height / 2 < y) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the position of a gap within the list. */
function getMarkTop(list: HTMLElement, gap: number): number {
  const items = getItems(list)
  const { top } = list.getBoundingClientRect()
  const next = items[gap]
  return next ? next.getBoundingClientRect().top - top : (items.at(-1)?.getBoundingClientRect().bottom ?? top) - top
}
