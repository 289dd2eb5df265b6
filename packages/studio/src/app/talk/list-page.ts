/** An item of a list, as it was answered. */
export interface ListItem {
  readonly id: string
  readonly [key: string]: unknown
}

/** A page of a list, as it was answered. */
export interface ListPage {
  readonly total: number
  readonly items: readonly ListItem[]
  readonly nextCursor: string | null
}
