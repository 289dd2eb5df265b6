/** Where somebody was in a list. */
export interface ListPlace {
  /** How far it was scrolled, in pixels. */
  readonly offset: number
  /** The entry that was opened. */
  readonly opened: string | undefined
}

const NAME = 'daybook-studio-place:'

/** Where somebody was in each list, for as long as the tab is open: a list that is come back to is as it was left. */
export const listPlaces = {
  /** @param address of the list, with its search */
  get(address: string): ListPlace | undefined {
    const text = sessionStorage.getItem(NAME + address)
    return text === null ? undefined : JSON.parse(text)
  },

  set(address: string, place: ListPlace): void {
    sessionStorage.setItem(NAME + address, JSON.stringify(place))
  },
}
