/** A scroll position in a list. */
export interface ListPosition {
  /** The number of rows above the visible part, possibly fractional. */
  readonly top: number
  /** The number of entries at that time. */
  readonly total: number
  /** The entry that was opened, and its row. */
  readonly opened: { readonly id: string; readonly index: number }
  /** The cursor of the page with that row; absent for the first page. */
  readonly page?: { readonly number: number; readonly cursor: string } | undefined
}

const KEY_PREFIX = 'daybook-studio-place:'

/** Stores the positions of lists in this tab when an entry is opened, so that they can be restored on return, also after a reload. */
export const listPositions = {
  /** @param listKey identifies the list with its search */
  get(listKey: string): ListPosition | undefined {
    const text = sessionStorage.getItem(KEY_PREFIX + listKey)
    return text === null ? undefined : JSON.parse(text)
  },

  set(listKey: string, position: ListPosition): void {
    sessionStorage.setItem(KEY_PREFIX + listKey, JSON.stringify(position))
  },

  forget(listKey: string): void {
    sessionStorage.removeItem(KEY_PREFIX + listKey)
  },
}
