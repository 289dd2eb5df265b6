import { use, useMemo } from 'react'
import type { administrationEn } from './administration-en.ts'
import { type Language, type Texts, useTexts } from './messages.tsx'

type AdministrationMessages = typeof administrationEn

/** The promise of a language's texts has to stay the same for as long as they are waited for. */
const loading = new Map<Language, Promise<AdministrationMessages>>()

function load(language: Language): Promise<AdministrationMessages> {
  const begun = loading.get(language) ?? importTexts(language)
  loading.set(language, begun)
  return begun
}

const importTexts = async (language: Language): Promise<AdministrationMessages> =>
  language === 'de'
    ? (await import('./administration-de.ts')).administrationDe
    : (await import('./administration-en.ts')).administrationEn

/** {@link useTexts} with those of the pages for administrators, which come with the first of these pages. */
export function useAdministrationTexts(): Texts & { readonly t: AdministrationMessages } {
  const texts = useTexts()
  const more = use(load(texts.language))
  return useMemo(() => ({ ...texts, t: { ...texts.t, ...more } }), [texts, more])
}
