const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPENING_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/**
 * Members of an object, as JSON text: each as it stands in the object's own text, which is not parsed.
 *
 * @param text an object as `JSON.stringify` writes it, without space between its parts
 * @param keys all keys that the object has, in order; letters, digits and underscores alone
 * @returns `undefined` when the text has other keys, or has them in another order
 */
export function pickMembers(
  text: string,
  keys: readonly string[],
  isPicked: (key: string) => boolean,
): string | undefined {
  const last = keys.findLastIndex(isPicked)
  if (last < 0) return '{}'
  let picked = ''
  // Where members begin that stand side by side and are picked together; 0: the member before is not picked.
  let from = 0
  let at = 1
  for (let index = 0; index <= last; index++) {
    const key = keys[index] as string
    if (!isKeyAt(text, at, key)) return undefined
    if (!isPicked(key)) {
      picked += from > 0 ? text.slice(from, at) : ''
      from = 0
    } else if (from === 0) from = at
    at = endOfValue(text, at + key.length + 3) + 1
  }
  return `{${picked}${text.slice(from, at - 1)}}`
}

function isKeyAt(text: string, at: number, key: string): boolean {
  const end = at + 1 + key.length
  return text.startsWith(key, at + 1) && text.charCodeAt(end) === QUOTE && text.charCodeAt(end + 1) === COLON
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return endOfString(text, start)
  if (first === OPENING_BRACE || first === OPENING_BRACKET) return endOfNested(text, start)
  let end = start + 1
  while (end < text.length && text.charCodeAt(end) !== COMMA && text.charCodeAt(end) !== CLOSING_BRACE) end += 1
  return end
}

/** The next quote that is not escaped ends a string; most of them have no other, and what finds it is faster than a loop. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote > 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote < 0 ? text.length : quote + 1
}

function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1
  while (text.charCodeAt(before) === BACKSLASH) before -= 1
  return (quote - before) % 2 === 0
}

function endOfNested(text: string, start: number): number {
  let depth = 0
  let at = start
  do {
    const code = text.charCodeAt(at)
    if (code === OPENING_BRACE || code === OPENING_BRACKET) depth += 1
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) depth -= 1
    at = code === QUOTE ? endOfString(text, at) : at + 1
  } while (depth > 0 && at < text.length)
  return at
}
