import { use, useMemo } from 'react'
import type { administrationEn } from './administration-en.ts'
import { type Language, type Texts, useTexts } from './messages.tsx'

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
