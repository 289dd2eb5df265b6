import { useModel } from '../../model/use-model.ts'

/** The language of the content that an address names, or the one that the config begins with; empty: the content has one language. */
export function useContentLocale(named: string | undefined): string {
  const { locales } = useModel()
  if (!locales) return ''
  return named !== undefined && locales.available.includes(named) ? named : locales.default
}

/** Whether readers see another language where one has no value. */
export const useHasFallbacks = (locale: string): boolean => (useModel().locales?.fallback[locale] ?? []).length > 0
