/** Whether every store keeps and compares a text as it is: PostgreSQL takes no NUL, and UTF-8 no half of a surrogate pair. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** The message about a text that a store cannot take. */
export const UNSTORABLE = 'must not hold NUL or half of a surrogate pair'
