/** Removes capitals and accents. */
export const normalize = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()

/** Splits a text into normalized words. */
export const splitWords = (text: string): readonly string[] =>
  normalize(text)
    .split(/[\s/]+/)
    .filter(Boolean)

/**
 * Rates how well a text matches words, each of which must be in it, perhaps with a typo.
 *
 * @returns 0 if the text begins with the first word, 1 if it contains all, 2 or more with typos; `undefined` if it does not match
 */
export function rateMatch(text: string, words: readonly string[]): number | undefined {
  const whole = normalize(text)
  const parts = splitWords(text)
  let typos = 0
  for (const word of words) {
    if (whole.includes(word)) continue
    const distance = Math.min(...parts.map((part) => countTypos(word, part)))
    if (distance > getTolerance(word)) return undefined
    typos += distance
  }
  if (typos > 0) return 1 + typos
  return whole.startsWith(words[0] ?? '') ? 0 : 1
}

/** The number of typos that a word may have: short words would match too much. */
const getTolerance = ({ length }: string): number => (length < 4 ? 0 : length < 8 ? 1 : 2)

/**
 * Counts the letters that are wrong, missing, added or swapped (optimal string alignment) between a typed word and the beginning of
 * another.
 */
function countTypos(typed: string, word: string): number {
  let before: readonly number[] = []
  let previous = Array.from({ length: word.length + 1 }, (_, column) => column)
  for (let row = 1; row <= typed.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= word.length; column += 1) {
      const isSame = typed[row - 1] === word[column - 1]
      const isSwapped = typed[row - 1] === word[column - 2] && typed[row - 2] === word[column - 1]
      current.push(
        Math.min(
          at(previous, column) + 1,
          at(current, column - 1) + 1,
          at(previous, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = previous
    previous = current
  }
  return Math.min(...previous)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY
