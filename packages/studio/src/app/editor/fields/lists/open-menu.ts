/** The menu of a list that is open. */
export type OpenMenu =
  | { readonly kind: 'item'; readonly id: string; readonly anchor: HTMLElement }
  | { readonly kind: 'insert'; readonly index: number; readonly anchor: HTMLElement }
