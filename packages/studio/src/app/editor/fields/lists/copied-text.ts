import { isRecord } from '../../saving/saved-field.ts'
import type { Items } from './list-changes.ts'

/** Says of a text that it holds items. */
const TYPE = 'daybook/items'

/** Items as a text, for clipboards. */
export const toText = (items: Items): string => JSON.stringify({ type: TYPE, version: 1, items })

/** Reads items from a text; `undefined`: it holds something else. */
export function itemsIn(text: string): Items | undefined {
  if (!text.includes(TYPE)) return undefined
  try {
    const read: unknown = JSON.parse(text)
    return isRecord(read) && read.type === TYPE && Array.isArray(read.items) ? read.items : undefined
  } catch {
    return undefined
  }
}
