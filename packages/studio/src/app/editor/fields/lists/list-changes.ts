/** The items of a list, in order. */
export type Items = readonly unknown[]

/** The items of a field's value; an empty field has none. */
export const toItems = (value: unknown): Items => (Array.isArray(value) ? value : [])

/** A list with further items in front of that at `index`. */
export const insertItems = (items: Items, index: number, added: Items): Items => items.toSpliced(index, 0, ...added)

/** A list without the item at `index`. */
export const removeItem = (items: Items, index: number): Items => items.toSpliced(index, 1)

/**
 * A list with one item in another place.
 *
 * @param to its index in the new list; beyond the ends is at the end
 */
export function moveItem(items: Items, from: number, to: number): Items {
  if (!(from in items)) return items
  const place = Math.max(0, Math.min(to, items.length - 1))
  return place === from ? items : items.toSpliced(from, 1).toSpliced(place, 0, items[from])
}
