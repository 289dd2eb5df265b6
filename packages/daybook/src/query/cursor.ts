/** Values of the sort keys where a page ended. */
export type CursorPosition = readonly (string | number | null)[]

/** Writes where a page ended as an opaque text. */
export function encodeCursor(fingerprint: string, position: CursorPosition): string {
  return Buffer.from(JSON.stringify([fingerprint, ...position])).toString('base64url')
}

/** Reads a cursor; a text says what is wrong with it. */
export function decodeCursor(cursor: string, fingerprint: string): CursorPosition | string {
  const parts = parse(cursor)
  if (!parts) return 'is not one that this service gave; start from the first page'
  const [given, ...position] = parts
  if (given !== fingerprint) return 'belongs to another query; start this one from its first page'
  return position
}

function parse(cursor: string): CursorPosition | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isPosition = Array.isArray(parts) && parts.length > 1 && parts.every(isKeyValue)
    return isPosition ? parts : undefined
  } catch {
    return undefined
  }
}

const isKeyValue = (value: unknown): boolean =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
