/** A text for people who work with the content: one for everybody, or one for each language, such as `{ en: 'Title', de: 'Titel' }`. */
export type InterfaceText = string | Readonly<Record<string, string>>

/** The language of a text for programs, and of people whose language has no text. */
const DEFAULT_LANGUAGE = 'en'

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

/** Returns true if a text is a language tag (BCP 47). */
function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** Checks a label or a description. Returns the message of the fault if it is invalid. */
export function interfaceTextRule(value: unknown): string | undefined {
  if (isText(value)) return undefined
  const texts = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  const invalidTag = texts.map(([tag]) => tag).find((tag) => !isLanguageTag(tag))
  if (invalidTag !== undefined) return `has "${invalidTag}", which is not a language tag. Use one such as en or de-CH`
  return texts.length > 0 && texts.every(([, text]) => isText(text))
    ? undefined
    : "must be a non-empty string, or one for each language, such as { en: 'Title', de: 'Titel' }"
}

/** Returns the text for programs: the English one, else the first. */
export function getDefaultText(text: InterfaceText): string {
  return typeof text === 'string' ? text : (text[DEFAULT_LANGUAGE] ?? Object.values(text)[0] ?? '')
}
