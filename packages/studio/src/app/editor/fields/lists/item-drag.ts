/** How far the pointer moves before an item does, in pixels. */
const SLACK_PX = 4
/** How near the edge of the page it scrolls, and how fast, in pixels. */
const EDGE_PX = 64
const SCROLL_PX = 14

/** What moving by pointer needs to know of a list. */
export interface DragOptions {
  /** The element whose children are the items. */
  readonly list: HTMLElement
  readonly item: HTMLElement
  /** The line that shows where the item would go. */
  readonly mark: HTMLElement
  /** Called when it is dropped. @param gap the number of items above the place where it was dropped */
  readonly onDrop: (gap: number) => void
}

/**
 * Moves an item of a list after the pointer, mouse or finger, until it is let go. Escape ends it without a move.
 *
 * This is not react-aria's `useDragAndDrop`: that needs a `GridList`, whose arrow keys and typeahead belong to its rows, and the rows here hold
 * forms; a finger would have to press long before it drags; and it adds about 40 KiB (gzip) to an editor that may add 60 in all. By keyboard,
 * items are moved by their menus, and by Alt with the arrows.
 */
export function dragItem(start: PointerEvent, place: DragOptions): void {
  const { list, item, mark, onDrop } = place
  const scroller = list.closest('main') ?? document.documentElement
  const ending = new AbortController()
  const { signal } = ending
  let y = start.clientY
  let gap: number | undefined
  let frame = 0
  const show = (): void => {
    gap = gapAt(list, y)
    item.dataset.dragged = ''
    mark.hidden = false
    mark.style.insetBlockStart = `${markTop(list, gap)}px`
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
    if (gap !== undefined || Math.abs(y - start.clientY) > SLACK_PX) show()
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

const itemsIn = (list: HTMLElement): readonly Element[] => [...list.querySelectorAll(':scope > [data-item]')]

/** How many items have their middles above a height on the screen. */
function gapAt(list: HTMLElement, y: number): number {
  const items = itemsIn(list)
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

/** The height of a gap within the list. */
function markTop(list: HTMLElement, gap: number): number {
  const items = itemsIn(list)
  const { top } = list.getBoundingClientRect()
  const next = items[gap]
  return next ? next.getBoundingClientRect().top - top : (items.at(-1)?.getBoundingClientRect().bottom ?? top) - top
}
