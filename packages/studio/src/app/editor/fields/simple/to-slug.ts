/** The most characters of a slug that is made; the service adds a number where it is taken. */
const LONGEST = 190

/** A text as a part of an address, as the service makes it: `Crème brûlée, twice` gives `creme-brulee-twice`. */
export function toSlug(text: string): string {
  const lower = text
    .normalize('NFKD')
    .replace(/([a-z])\p{Mn}+/giu, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\p{M}'’]/gu, '')
  const words = lower.match(/[\p{L}\p{N}]+/gu) ?? []
  return Array.from(words.join('-')).slice(0, LONGEST).join('').replace(/-$/, '')
}
