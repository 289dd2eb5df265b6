import { toPlainLetters } from './fold.ts'

export const MAX_SLUG_LENGTH = 200
/** The length reserved for the number that makes a slug unique. */
const NUMBER_LENGTH = 8

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const APOSTROPHES = /['’]/g
const WORDS = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/** Marks around a character, such as the key around `1️⃣`. */
const ENCLOSING = /\p{Me}/gu

/** Returns true if a path segment has the form of a UUID (RFC 9562), and so is looked up as an id. */
export function isUuidShaped(segment: string): boolean {
  return UUID.test(segment)
}

/**
 * Creates a slug from a text: `Crème brûlée, twice` gives `creme-brulee-twice`, `Łódź` gives `lodz`. Scripts other than Latin keep their
 * letters and marks. The slug is empty if the text has neither letters nor digits.
 */
export function slugify(text: string): string {
  const plain = toPlainLetters(text).replace(APOSTROPHES, '').replace(ENCLOSING, '').normalize('NFC')
  const words = (plain.match(WORDS) ?? []).join('-')
  const slug = [...words]
    .slice(0, MAX_SLUG_LENGTH - NUMBER_LENGTH)
    .join('')
    .replace(/-$/, '')
  return isUuidShaped(slug) ? `n-${slug}` : slug
}
