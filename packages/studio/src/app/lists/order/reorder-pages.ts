import type { QueryClient, QueryKey } from '@tanstack/react-query'
import type { RowPage } from '../rows/use-rows.ts'

/**
 * Moves a row in the loaded pages. Cursors of changed pages are dropped, since other rows are at their ends.
 *
 * @returns false if rows between are not loaded, so that the list has to be loaded again
 */
export function reorderPages(
  queries: QueryClient,
  pagesKey: QueryKey,
  size: number,
  from: number,
  to: number,
): boolean {
  const first = Math.floor(Math.min(from, to) / size)
  const last = Math.floor(Math.max(from, to) / size)
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const pages = numbers.map((number) => queries.getQueryData<RowPage>([...pagesKey, number]))
  if (!pages.every((page) => page !== undefined)) return false
  const items = pages.flatMap((page) => page.items)
  const start = first * size
  const [moved] = items.splice(from - start, 1)
  if (!moved) return false
  items.splice(to - start, 0, moved)
  for (const [index, number] of numbers.entries()) {
    const page = pages[index]
    if (!page) continue
    const pageItems = items.slice(index * size, index * size + page.items.length)
    queries.setQueryData<RowPage>([...pagesKey, number], { ...page, items: pageItems, nextCursor: null })
  }
  return true
}
