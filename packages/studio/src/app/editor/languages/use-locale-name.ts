import { useTexts } from '../../messages/messages.tsx'

/** Names languages in the reader's own. */
export function useLocaleName(): (locale: string) => string {
  const { language } = useTexts()
  return (locale) => {
    try {
      const name = new Intl.DisplayNames(language, { type: 'language' }).of(locale) ?? locale
      return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
    } catch {
      // Locales of a config need not be languages that browsers know.
      return locale
    }
  }
}
