const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPENING_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/** A member of a JSON object: its key, and its value as JSON text. */
export interface Member {
  readonly key: string
  readonly text: string
}

/** A part of the JSON text of an object: one member, or the text of adjacent members with the commas between them. */
export type Part = Member | string

/**
 * Splits the JSON text of an object into parts without parsing its values.
 *
 * @param text the text as `JSON.stringify` writes it, without spaces
 * @param keys all keys of the object in order, of letters, digits and underscores
 * @param isIncluded returns true for the keys of the returned members
 * @param separate the keys of members that become separate parts
 * @returns `undefined` if the text has other keys, or has them in another order
 */
export function splitMembers(
  text: string,
  keys: readonly string[],
  isIncluded: (key: string) => boolean,
  separate: ReadonlySet<string>,
): Part[] | undefined {
  const parts: Part[] = []
  const last = keys.findLastIndex(isIncluded)
  // The start of adjacent members that become one part; 0 if the previous member is not among them.
  let adjacent = 0
  let at = 1
  for (let index = 0; index <= last; index++) {
    const key = keys[index] as string
    if (!isKeyAt(text, at, key)) return undefined
    const start = at + key.length + 3
    const end = findEndOfValue(text, start)
    const isPart = isIncluded(key)
    const isAdjacent = isPart && !separate.has(key)
    if (isAdjacent) adjacent ||= at
    else if (adjacent > 0) {
      parts.push(text.slice(adjacent, at - 1))
      adjacent = 0
    }
    if (isPart && !isAdjacent) parts.push({ key, text: text.slice(start, end) })
    at = end + 1
  }
  if (adjacent > 0) parts.push(text.slice(adjacent, at - 1))
  return parts
}

/** Joins parts of an object into its JSON text. The keys need no escapes. */
export const joinParts = (parts: readonly Part[]): string =>
  `{${parts.map((part) => (typeof part === 'string' ? part : `"${part.key}":${part.text}`)).join(',')}}`

function isKeyAt(text: string, at: number, key: string): boolean {
  const end = at + 1 + key.length
  return text.startsWith(key, at + 1) && text.charCodeAt(end) === QUOTE && text.charCodeAt(end + 1) === COLON
}

function findEndOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return findEndOfString(text, start)
  if (first === OPENING_BRACE || first === OPENING_BRACKET) return findEndOfNested(text, start)
  let end = start + 1
  while (end < text.length && text.charCodeAt(end) !== COMMA && text.charCodeAt(end) !== CLOSING_BRACE) end += 1
  return end
}

/** The string ends at the next quote that is not escaped. `indexOf` finds it faster than a loop over characters. */
function findEndOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote > 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote < 0 ? text.length : quote + 1
}

function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1
  while (text.charCodeAt(before) === BACKSLASH) before -= 1
  return (quote - before) % 2 === 0
}

function findEndOfNested(text: string, start: number): number {
  let depth = 0
  let at = start
  do {
    const code = text.charCodeAt(at)
    if (code === OPENING_BRACE || code === OPENING_BRACKET) depth += 1
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) depth -= 1
    at = code === QUOTE ? findEndOfString(text, at) : at + 1
  } while (depth > 0 && at < text.length)
  return at
}
