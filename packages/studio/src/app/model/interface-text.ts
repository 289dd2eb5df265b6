import type { InterfaceText } from 'daybook'

/** The language of texts that have none for the user. */
const DEFAULT_LANGUAGE = 'en'

/**
 * Returns a text of the config in the user's language: that of the locale, its language, English, or the first one.
 *
 * @param locale the user's locale, such as `de-CH`
 */
export function getText(text: InterfaceText, locale: string): string
export function getText(text: InterfaceText | undefined, locale: string): string | undefined
export function getText(text: InterfaceText | undefined, locale: string): string | undefined {
  if (text === undefined || typeof text === 'string') return text
  const texts = new Map(Object.entries(text).map(([tag, value]) => [tag.toLowerCase(), value]))
  const tags = [...listTags(locale.toLowerCase()), DEFAULT_LANGUAGE]
  return tags.map((tag) => texts.get(tag)).find((value) => value !== undefined) ?? Object.values(text)[0]
}

/** Lists a language tag and those that are less specific: `zh-Hant-TW`, `zh-Hant`, `zh`. */
function listTags(locale: string): readonly string[] {
  const parts = locale.split('-')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
}
