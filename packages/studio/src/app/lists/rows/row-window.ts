/** The sizes of a list of rows with equal height, in pixels. */
export interface ScrollSizes {
  readonly count: number
  readonly row: number
  /** The height of the visible part of the page. */
  readonly viewport: number
  /** The height of the content above the rows. */
  readonly above: number
}

/** A range of rows, numbered from 0. */
export interface RowRange {
  readonly first: number
  readonly last: number
}

/** The maximum height of an element that every browser renders exactly, in pixels. */
export const MAX_HEIGHT = 15_000_000

/** Returns the height of all rows, limited to what browsers support. In a taller list, a jump of the scrollbar skips rows; small steps do not. */
export const getTotalHeight = ({ count, row }: Pick<ScrollSizes, 'count' | 'row'>): number =>
  Math.min(count * row, MAX_HEIGHT)

const fitsBrowser = (sizes: ScrollSizes): boolean => sizes.count * sizes.row <= MAX_HEIGHT

/** Computes the shift after scrolling, by which rows are rendered above their nominal position. @param shift before scrolling */
export function computeShift(shift: number, from: number, to: number, sizes: ScrollSizes): number {
  if (fitsBrowser(sizes)) return 0
  const { count, row, viewport, above } = sizes
  const position = to - above
  const end = MAX_HEIGHT - viewport
  const maxShift = count * row - MAX_HEIGHT
  if (position <= 0) return 0
  if (position >= end) return maxShift
  // A wheel, keys and touch scroll in small steps; a scrollbar jumps.
  const isNear = Math.abs(to - from) <= 3 * viewport
  const nextShift = isNear ? shift : (position / end) * maxShift
  return Math.min(Math.max(nextShift, 0), maxShift)
}

/** Computes the scroll position and the shift at which a row is the first visible one. */
export function computeScroll(top: number, sizes: ScrollSizes): { readonly scrollTop: number; readonly shift: number } {
  const { count, row, viewport, above } = sizes
  const offset = Math.max(0, Math.min(top * row, count * row - viewport))
  if (fitsBrowser(sizes)) return { scrollTop: above + offset, shift: 0 }
  const position = (offset / (count * row - viewport)) * (MAX_HEIGHT - viewport)
  return { scrollTop: above + position, shift: offset - position }
}

/** Returns the number of rows above the visible part, possibly fractional. */
export const getTopRow = (scrollTop: number, shift: number, { row, above }: ScrollSizes): number =>
  Math.max(0, scrollTop - above + shift) / row

/** Returns the visible rows with `margin` more on each side. */
export function getVisibleRows(scrollTop: number, shift: number, sizes: ScrollSizes, margin: number): RowRange {
  const { count, row, viewport } = sizes
  const top = getTopRow(scrollTop, shift, sizes)
  const first = Math.max(0, Math.floor(top) - margin)
  const last = Math.min(count - 1, Math.ceil(top + viewport / row) + margin)
  return { first, last }
}
