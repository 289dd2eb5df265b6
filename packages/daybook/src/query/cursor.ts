import type { Scalar } from '../fields/field.ts'
import { isStorableText } from '../fields/text.ts'
import type { FilterableField } from '../model/model.ts'

/** The values of the sort keys at the end of a page; for relevance, the number of matches so far. */
export type CursorPosition = readonly (string | number | null)[]

/** Encodes the position at the end of a page as an opaque text. */
export function encodeCursor(fingerprint: string, position: CursorPosition): string {
  return Buffer.from(JSON.stringify([fingerprint, ...position])).toString('base64url')
}

const FOREIGN = 'is invalid. Start again from the first page.'

/**
 * Decodes a cursor. Since clients can send any text, values that no stored entry could have are rejected.
 *
 * @param keys the sort keys of the query; none for relevance
 * @returns the position, or a message about an invalid cursor
 */
export function decodeCursor(
  cursor: string,
  fingerprint: string,
  keys: readonly FilterableField[],
): CursorPosition | string {
  const [cursorFingerprint, ...position] = parseCursor(cursor)
  if (typeof cursorFingerprint !== 'string') return FOREIGN
  if (cursorFingerprint !== fingerprint) return 'belongs to another query. Start this query from its first page.'
  const isValid = isPosition(position, keys) && encodeCursor(fingerprint, position) === cursor
  return isValid ? position : FOREIGN
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

/** True if a stored entry could have this value of a sort key. */
function isKeyValue(value: unknown, by: FilterableField): boolean {
  if (value === null) return !by.isNeverNull
  // Other fields may hold any value of their type, which an older config may have accepted.
  if (by.isServiceMade) return typeof value === 'string' && by.fromQuery(value) === value
  return SORT_KEYS[by.scalar](value)
}

/** Predicates for values of sort keys, by type. */
const SORT_KEYS: Readonly<Record<Scalar, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string' && isStorableText(value),
  number: Number.isFinite,
  boolean: (value) => value === 0 || value === 1,
}
