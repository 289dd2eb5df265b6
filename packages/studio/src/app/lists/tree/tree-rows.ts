import type { ListItem } from '../../api/client.ts'

/** A loaded page of the children of an entry, or of the roots. */
export interface LevelPage {
  readonly items: readonly ListItem[]
  /** The number of all children. */
  readonly total: number
  /** The number of children of each item; absent for none. */
  readonly childCounts: ReadonlyMap<string, number>
}

/** The children of an entry. */
export interface Level {
  /** The loaded pages, `undefined` for one that is loading. */
  readonly pages: readonly (LevelPage | undefined)[]
}

/** The row of an entry in a tree. */
export interface EntryTreeRow {
  readonly kind: 'entry'
  readonly id: string
  readonly item: ListItem
  /** The id of the parent; `null` for a root. */
  readonly parent: string | null
  /** From 1. */
  readonly level: number
  /** The position among its siblings, from 0. */
  readonly position: number
  readonly siblings: number
  readonly childCount: number
  readonly isOpen: boolean
}

/** A row in place of children that are not loaded yet. */
export interface MoreTreeRow {
  readonly kind: 'more'
  readonly id: string
  readonly parent: string | null
  readonly level: number
  /** True while they are loading. */
  readonly isLoading: boolean
}

export type TreeRow = EntryTreeRow | MoreTreeRow

/** Lists the visible rows of a tree from its top. */
export function flattenTree(
  levels: ReadonlyMap<string | null, Level>,
  open: ReadonlySet<string>,
  parent: string | null = null,
  level = 1,
): readonly TreeRow[] {
  const pages = levels.get(parent)?.pages ?? []
  const missing = pages.indexOf(undefined)
  const loaded = pages.slice(0, missing < 0 ? pages.length : missing).filter((page) => page !== undefined)
  const items = loaded.flatMap((page) => page.items.map((item) => ({ item, page })))
  const rows = items.flatMap(({ item, page }, position): readonly TreeRow[] => {
    const childCount = page.childCounts.get(item.id) ?? 0
    const isOpen = childCount > 0 && open.has(item.id)
    const place = { parent, level, position, siblings: page.total }
    const row: EntryTreeRow = { kind: 'entry', id: item.id, item, ...place, childCount, isOpen }
    return isOpen ? [row, ...flattenTree(levels, open, item.id, level + 1)] : [row]
  })
  const isLoading = missing >= 0 || pages.length === 0
  const last = loaded.at(-1)
  const hasMore = last !== undefined && last.total > items.length && last.items.length > 0
  return isLoading || hasMore ? [...rows, { kind: 'more', id: `more ${parent}`, parent, level, isLoading }] : rows
}

/** Returns the siblings of a row on both sides, as far as they are loaded. */
export function findSiblings(
  rows: readonly TreeRow[],
  { parent, position }: EntryTreeRow,
): { readonly previous: EntryTreeRow | undefined; readonly next: EntryTreeRow | undefined } {
  const siblings = rows.filter((row) => row.kind === 'entry').filter((row) => row.parent === parent)
  return {
    previous: siblings.find((row) => row.position === position - 1),
    next: siblings.find((row) => row.position === position + 1),
  }
}

export const findRow = (rows: readonly TreeRow[], id: string | null): EntryTreeRow | undefined =>
  rows.find((row): row is EntryTreeRow => row.kind === 'entry' && row.id === id)

/** True if a row is another one, or is below it. */
export function isInside(rows: readonly TreeRow[], row: EntryTreeRow, ancestor: string): boolean {
  if (row.id === ancestor) return true
  const parent = row.parent === null ? undefined : findRow(rows, row.parent)
  return parent !== undefined && isInside(rows, parent, ancestor)
}
