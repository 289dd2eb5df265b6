import type { Scalar } from '../fields/field.ts'
import { isStorableText } from '../fields/text.ts'
import type { FilterableField } from '../model/model.ts'

/** Values of the sort keys where a page ended; by relevance, the number of matches before the next one. */
export type CursorPosition = readonly (string | number | null)[]

/** Writes where a page ended as an opaque text. */
export function encodeCursor(fingerprint: string, position: CursorPosition): string {
  return Buffer.from(JSON.stringify([fingerprint, ...position])).toString('base64url')
}

const FOREIGN = 'is not one that this service gave; start from the first page'

/**
 * Reads a cursor. A client can write any text: no value of it goes further that no stored entry has in its place.
 *
 * @param keys of the order that the cursor goes on in; none: by relevance
 * @returns where the page ended, or in words what is wrong with the cursor
 */
export function decodeCursor(
  cursor: string,
  fingerprint: string,
  keys: readonly FilterableField[],
): CursorPosition | string {
  const [given, ...position] = parseCursor(cursor)
  if (typeof given !== 'string') return FOREIGN
  if (given !== fingerprint) return 'belongs to another query; start this one from its first page'
  const isKnown = isPosition(position, keys) && encodeCursor(fingerprint, position) === cursor
  return isKnown ? position : FOREIGN
}

function parseCursor(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

function isPosition(position: readonly unknown[], keys: readonly FilterableField[]): position is CursorPosition {
  const [rank] = position
  if (keys.length === 0) return position.length === 1 && Number.isSafeInteger(rank) && Number(rank) >= 0
  return position.length === keys.length && keys.every((by, index) => isKeyValue(position[index], by))
}

/** Whether a value can be a sort key of a stored entry. */
function isKeyValue(value: unknown, by: FilterableField): boolean {
  if (value === null) return !by.isNeverNull
  // Every other field may hold a value of its scalar type that only an older config took, and its cursor must go on.
  if (by.isServiceMade) return typeof value === 'string' && by.fromQuery(value) === value
  return SORT_KEYS[by.scalar](value)
}

/** Whether a value can be a sort key, by type. */
const SORT_KEYS: Readonly<Record<Scalar, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string' && isStorableText(value),
  number: Number.isFinite,
  boolean: (value) => value === 0 || value === 1,
}
