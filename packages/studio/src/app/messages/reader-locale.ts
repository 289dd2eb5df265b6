/**
 * How the reader writes dates and numbers in a language of the Studio: in the manner of their country, as far as the browser says it.
 *
 * @param language a language of the Studio, such as `en`
 * @param preferred what the browser prefers, the first one most
 * @returns a locale, such as `en-GB`; the language itself where the browser prefers none of it
 */
export const readerLocale = (language: string, preferred: readonly string[] = navigator.languages): string =>
  preferred.find((locale) => locale.split('-')[0] === language && isLocale(locale)) ?? language

/** Some browsers name locales as their system does, such as `en-US@posix`, which `Intl` refuses. */
function isLocale(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length > 0
  } catch {
    return false
  }
}

/** Writes counts in the texts of a language. */
export function countsIn(language: string): (count: number) => string {
  const locale = readerLocale(language)
  return (count) => count.toLocaleString(locale)
}
