import { createContext, type ReactNode, use, useContext, useMemo } from 'react'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import type { administrationEn } from './administration-en.ts'
import type { Messages } from './en.ts'
import { Formats, getUserLocale } from './formats.ts'

/** The languages of the Studio with their native names. */
export const LANGUAGES = [
  { id: 'en', label: 'English' },
  { id: 'de', label: 'Deutsch' },
] as const

/** A language of the Studio. */
export type Language = (typeof LANGUAGES)[number]['id']

/** The texts and formats of a language. */
export interface Texts {
  readonly language: Language
  /** The user's locale in this language, such as `en-GB`. */
  readonly locale: string
  readonly t: Messages
  readonly formats: Formats
}

/** Loads the texts of a language. */
export async function loadTexts(language: Language): Promise<Texts> {
  const t = language === 'de' ? (await import('./de.ts')).de : (await import('./en.ts')).en
  const locale = getUserLocale(language)
  return { language, locale, t, formats: new Formats(locale, t.common.justNow) }
}

/** Returns the language of the page, which the server chose by a cookie or by `Accept-Language`. */
export const getPageLanguage = (): Language => (document.documentElement.lang === 'de' ? 'de' : 'en')

const TextsContext = createContext<Texts | undefined>(undefined)

/** Returns the texts of the current language: `const { t, formats } = useTexts()`. */
export function useTexts(): Texts {
  const texts = useContext(TextsContext)
  if (!texts) throw new Error('useTexts belongs inside TextsProvider')
  return texts
}

/** Provides {@link useTexts}. */
export function TextsProvider({ texts, children }: { readonly texts: Texts; readonly children: ReactNode }): ReactNode {
  return (
    <TextsContext value={texts}>
      <I18nProvider locale={texts.locale}>{children}</I18nProvider>
    </TextsContext>
  )
}

type AdministrationMessages = typeof administrationEn

/** Promises by language: `use()` needs the same promise on each render. */
const loading = new Map<Language, Promise<AdministrationMessages>>()

function load(language: Language): Promise<AdministrationMessages> {
  const texts = loading.get(language) ?? importTexts(language)
  loading.set(language, texts)
  return texts
}

const importTexts = async (language: Language): Promise<AdministrationMessages> =>
  language === 'de'
    ? (await import('./administration-de.ts')).administrationDe
    : (await import('./administration-en.ts')).administrationEn

/** Returns {@link useTexts} with the texts of the administration pages, which load with the first of these pages. */
export function useAdministrationTexts(): Texts & { readonly t: AdministrationMessages } {
  const texts = useTexts()
  const more = use(load(texts.language))
  return useMemo(() => ({ ...texts, t: { ...texts.t, ...more } }), [texts, more])
}
