import { createContext, type ReactNode, useContext } from 'react'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import type { Messages } from './en.ts'
import { Formats, getUserLocale } from './formats.ts'

/** The languages of the Studio, each by its own name. */
export const LANGUAGES = [
  { id: 'en', label: 'English' },
  { id: 'de', label: 'Deutsch' },
] as const

/** A language of the Studio. */
export type Language = (typeof LANGUAGES)[number]['id']

/** What a language brings. */
export interface Texts {
  readonly language: Language
  /** The reader's manner of writing dates and numbers in that language, such as `en-GB`. */
  readonly locale: string
  readonly t: Messages
  readonly formats: Formats
}

/** Loads one language; the others are not asked for. */
export async function loadTexts(language: Language): Promise<Texts> {
  const t = language === 'de' ? (await import('./de.ts')).de : (await import('./en.ts')).en
  const locale = getUserLocale(language)
  return { language, locale, t, formats: new Formats(locale) }
}

/** The language of the page, which the service chose by a cookie or by what the browser asks for. */
export const pageLanguage = (): Language => (document.documentElement.lang === 'de' ? 'de' : 'en')

const TextsContext = createContext<Texts | undefined>(undefined)

/** The texts of the language that is in use: `const { t, formats } = useTexts()`. */
export function useTexts(): Texts {
  const texts = useContext(TextsContext)
  if (!texts) throw new Error('useTexts belongs inside TextsProvider')
  return texts
}

/** Gives its children {@link useTexts}. */
export function TextsProvider({ texts, children }: { readonly texts: Texts; readonly children: ReactNode }): ReactNode {
  return (
    <TextsContext value={texts}>
      <I18nProvider locale={texts.locale}>{children}</I18nProvider>
    </TextsContext>
  )
}
