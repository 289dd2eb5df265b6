/** The sizes of a list of rows of one height, in pixels. */
export interface ScrollSizes {
  /** How many rows there are. */
  readonly count: number
  /** The height of a row. */
  readonly row: number
  /** The height of what is seen of the page. */
  readonly viewport: number
  /** The height of what stands above the rows. */
  readonly above: number
}

/** Rows by their numbers, from 0. */
export interface RowRange {
  readonly first: number
  readonly last: number
}

/** The tallest element that every browser draws exactly, in pixels. */
export const MAX_HEIGHT = 15_000_000

/** The height of all rows. Where it is more than a browser can draw, scrolling far skips rows, and scrolling a little does not. */
export const getTotalHeight = ({ count, row }: Pick<ScrollSizes, 'count' | 'row'>): number =>
  Math.min(count * row, MAX_HEIGHT)

const isWhole = (sizes: ScrollSizes): boolean => sizes.count * sizes.row <= MAX_HEIGHT

/** How far rows are drawn above where their number says, after scrolling. @param shift how far they were */
export function computeShift(shift: number, from: number, to: number, sizes: ScrollSizes): number {
  if (isWhole(sizes)) return 0
  const { count, row, viewport, above } = sizes
  const place = to - above
  const end = MAX_HEIGHT - viewport
  const most = count * row - MAX_HEIGHT
  if (place <= 0) return 0
  if (place >= end) return most
  // A wheel, keys and a finger move a little; a scrollbar jumps.
  const isNear = Math.abs(to - from) <= 3 * viewport
  const wanted = isNear ? shift : (place / end) * most
  return Math.min(Math.max(wanted, 0), most)
}

/** Where to scroll to, and how far rows are shifted there, so that a row is the first one that is seen. */
export function computeScroll(top: number, sizes: ScrollSizes): { readonly scrollTop: number; readonly shift: number } {
  const { count, row, viewport, above } = sizes
  const wanted = Math.max(0, Math.min(top * row, count * row - viewport))
  if (isWhole(sizes)) return { scrollTop: above + wanted, shift: 0 }
  const place = (wanted / (count * row - viewport)) * (MAX_HEIGHT - viewport)
  return { scrollTop: above + place, shift: wanted - place }
}

/** How many rows are scrolled out at the top. */
export const getTopRow = (scrollTop: number, shift: number, { row, above }: ScrollSizes): number =>
  Math.max(0, scrollTop - above + shift) / row

/** The rows that are seen, and some around them. @param around how many */
export function getVisibleRows(scrollTop: number, shift: number, sizes: ScrollSizes, around: number): RowRange {
  const { count, row, viewport } = sizes
  const top = getTopRow(scrollTop, shift, sizes)
  const first = Math.max(0, Math.floor(top) - around)
  const last = Math.min(count - 1, Math.ceil(top + viewport / row) + around)
  return { first, last }
}
