import { useQuery } from '@tanstack/react-query'
import type { FieldDescription } from 'daybook'
import { useMemo } from 'react'
import { useModel } from '../../model/use-model.ts'
import type { EditorState } from '../saving/editor-state.ts'
import type { Values } from '../saving/saved-field.ts'
import type { LanguageCalls } from './language-calls.ts'
import { isTranslated, type LocaleState, localeState, translatedValues, valuesInLocale } from './locale-values.ts'

/** One language of a document. */
export interface TranslationState {
  readonly locale: string
  readonly state: LocaleState
  /** Whether its source has changed since it did. */
  readonly isOutdated: boolean
}

/** The languages of a document that is open. */
export interface Languages {
  /** The language that is edited. */
  readonly locale: string
  /** The language that others are translated from. */
  readonly source: string
  readonly translations: readonly TranslationState[]
  /** What a language says; `undefined`: not known yet. */
  readonly valuesIn: (locale: string) => Values | undefined
  /** The other languages that readers see a value of where this one has none, in order. */
  readonly fallbacks: readonly string[]
}

/** The versions tell what is older than its source; they are asked no more often than this, in milliseconds. */
const OUTDATED_MS = 60_000

/**
 * How far each language of a document has come.
 *
 * @param calls absent: it is not stored yet
 * @returns `undefined` where its content has one language alone
 */
export function useLanguages(
  fields: readonly FieldDescription[],
  state: EditorState,
  calls: LanguageCalls | undefined,
): Languages | undefined {
  const { locales } = useModel()
  const { collection, id } = state.document
  const hasLanguages = locales !== null && locales.available.length > 1 && fields.some(isTranslated)
  const source = locales?.default ?? ''
  const locale = state.document.locale ?? source
  const isAsked = hasLanguages && calls !== undefined
  const all = useQuery({
    queryKey: ['languages', collection, id],
    queryFn: ({ signal }) => calls?.readAll(signal) ?? null,
    enabled: isAsked,
    staleTime: 0,
  })
  const outdated = useQuery({
    queryKey: ['languages', collection, id, 'outdated'],
    queryFn: async ({ signal }) => {
      if (!calls) return null
      const { outdatedLocales } = await import('./outdated-locales.ts')
      return outdatedLocales(await calls.history(), fields, locales?.available ?? [], source, signal)
    },
    enabled: isAsked,
    staleTime: OUTDATED_MS,
    // Versions in all languages are more than some services tell.
    retry: false,
  })
  const { data: read } = all
  const { data: old } = outdated
  const { values } = state
  return useMemo(() => {
    if (!hasLanguages) return undefined
    const valuesIn = (one: string): Values | undefined => {
      if (one === locale) return values
      return read ? valuesInLocale(fields, read, one) : undefined
    }
    const sourceValues = translatedValues(fields, valuesIn(source) ?? {})
    const translations = locales.available.map((one): TranslationState => {
      if (one === source) return { locale: one, state: 'source', isOutdated: false }
      const own = localeState(sourceValues, translatedValues(fields, valuesIn(one) ?? {}))
      return { locale: one, state: own, isOutdated: own !== 'missing' && old?.has(one) === true }
    })
    return { locale, source, translations, valuesIn, fallbacks: locales.fallback[locale] ?? [] }
  }, [hasLanguages, locales, locale, source, fields, values, read, old])
}
