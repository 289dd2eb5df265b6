/** Where somebody was in a list. */
export interface ListPosition {
  /** How many rows were scrolled out at the top; part of a row counts. */
  readonly top: number
  /** How many entries the list had. */
  readonly total: number
  /** The entry that was opened, and the number of its row. */
  readonly opened: { readonly id: string; readonly index: number }
  /** Where the page that it is on begins; the first one begins nowhere. */
  readonly page?: { readonly number: number; readonly cursor: string } | undefined
}

const NAME = 'daybook-studio-place:'

/** Where somebody was in each list when an entry was opened: who comes back finds it as it was, also after a reload. */
export const listPositions = {
  /** @param address of the list, with its search */
  get(address: string): ListPosition | undefined {
    const text = sessionStorage.getItem(NAME + address)
    return text === null ? undefined : JSON.parse(text)
  },

  set(address: string, place: ListPosition): void {
    sessionStorage.setItem(NAME + address, JSON.stringify(place))
  },

  /** A list that is come to in another way begins at its top. */
  forget(address: string): void {
    sessionStorage.removeItem(NAME + address)
  },
}
