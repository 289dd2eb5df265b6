/** The reading speed, in words per minute. */
const WORDS_A_MINUTE = 200

/** Returns the time to read all texts of a document, in minutes, at least 1. */
export function minutesToRead(document: unknown): number {
  return Math.max(1, Math.ceil(wordsIn(document) / WORDS_A_MINUTE))
}

function wordsIn(value: unknown): number {
  if (typeof value === 'string') return value.split(/\s+/).filter((word) => word !== '').length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((words: number, item) => words + wordsIn(item), 0)
}
