/** How many words a reader reads in a minute. */
const WORDS_A_MINUTE = 200

/** How many minutes it takes to read all texts of a document; at least one. */
export function minutesToRead(document: unknown): number {
  return Math.max(1, Math.ceil(wordsIn(document) / WORDS_A_MINUTE))
}

function wordsIn(value: unknown): number {
  if (typeof value === 'string') return value.split(/\s+/).filter((word) => word !== '').length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((words: number, one) => words + wordsIn(one), 0)
}
