import { useQuery } from '@tanstack/react-query'
import type { FieldDescription } from 'daybook'
import { useMemo } from 'react'
import type { StudioClient } from '../../api/client.ts'
import { useTexts } from '../../messages/messages.tsx'
import { useModel } from '../../model/use-model.ts'
import type { HistoryCalls } from '../history/versions.ts'
import type { EditorState } from '../saving/editor-state.ts'
import type { Values } from '../saving/field-values.ts'
import {
  collectTranslatedValues,
  findOutdatedLocales,
  getLocaleState,
  isTranslated,
  type LocaleState,
  pickLocaleValues,
} from './locale-values.ts'

export interface TranslationState {
  readonly locale: string
  readonly state: LocaleState
  /** True if the source has changed since this translation did. */
  readonly isOutdated: boolean
}

export interface DocumentLanguages {
  /** The edited language. */
  readonly locale: string
  readonly source: string
  readonly translations: readonly TranslationState[]
  /** Returns the values in a language; `undefined` while they load. */
  readonly getValues: (locale: string) => Values | undefined
  /** The fallbacks of the edited language, in order. */
  readonly fallbacks: readonly string[]
}

/** The minimum interval between searches for outdated translations, in milliseconds. Each loads several versions. */
const OUTDATED_MS = 60_000

/**
 * Loads the state of each language of a document.
 *
 * @param calls `undefined` if the document is not stored yet
 * @returns `undefined` if the content has only one language
 */
export function useLanguages(
  fields: readonly FieldDescription[],
  state: EditorState,
  calls: LanguageCalls | undefined,
): DocumentLanguages | undefined {
  const { locales } = useModel()
  const { collection, id } = state.document
  const hasLanguages = locales !== null && locales.available.length > 1 && fields.some(isTranslated)
  const source = locales?.default ?? ''
  const locale = state.document.locale ?? source
  const isEnabled = hasLanguages && calls !== undefined
  const { data: storedValues } = useQuery({
    queryKey: ['languages', collection, id],
    queryFn: ({ signal }) => calls?.readAll(signal) ?? null,
    enabled: isEnabled,
    staleTime: 0,
  })
  const { data: outdatedLocales } = useQuery({
    queryKey: ['languages', collection, id, 'outdated'],
    queryFn: async ({ signal }) => {
      if (!calls) return null
      return findOutdatedLocales(await calls.history(), fields, locales?.available ?? [], source, signal)
    },
    enabled: isEnabled,
    staleTime: OUTDATED_MS,
    // Some callers may not read versions in all languages.
    retry: false,
  })
  const { values } = state
  return useMemo(() => {
    if (!hasLanguages) return undefined
    const getValues = (wantedLocale: string): Values | undefined => {
      if (wantedLocale === locale) return values
      return storedValues ? pickLocaleValues(fields, storedValues, wantedLocale) : undefined
    }
    const sourceValues = collectTranslatedValues(fields, getValues(source) ?? {})
    const translations = locales.available.map((available): TranslationState => {
      if (available === source) return { locale: available, state: 'source', isOutdated: false }
      const state = getLocaleState(sourceValues, collectTranslatedValues(fields, getValues(available) ?? {}))
      return {
        locale: available,
        state,
        isOutdated: state !== 'missing' && outdatedLocales?.has(available) === true,
      }
    })
    return { locale, source, translations, getValues, fallbacks: locales.fallback[locale] ?? [] }
  }, [hasLanguages, locales, locale, source, fields, values, storedValues, outdatedLocales])
}

export interface LanguageCalls {
  /** Reads the document with its localized values as maps of locale to value; `null` if it does not exist. */
  readAll(signal: AbortSignal): Promise<Values | null>
  /** Returns the calls for its history in all languages. Their code is loaded on demand. */
  history(): Promise<HistoryCalls>
}

interface EntryCalls {
  findById(id: string, query: Values, options: { readonly signal: AbortSignal }): Promise<object | null>
}

interface GlobalCalls {
  get(query: Values, options: { readonly signal: AbortSignal }): Promise<object>
}

const ALL: Values = { locale: 'all' }

export function createEntryLanguages(
  client: StudioClient,
  collection: string,
  id: string,
  hasDrafts: boolean,
): LanguageCalls {
  const calls = client.collections[collection] as unknown as EntryCalls
  return {
    readAll: async (signal) =>
      (await calls.findById(id, hasDrafts ? { ...ALL, draft: true } : ALL, { signal })) as Values | null,
    history: async () =>
      (await import('../history/history-calls.ts')).createEntryHistory(client, collection, id, 'all'),
  }
}

export function createGlobalLanguages(client: StudioClient, key: string): LanguageCalls {
  const calls = client.globals[key] as unknown as GlobalCalls
  return {
    readAll: async (signal) => (await calls.get(ALL, { signal })) as Values,
    history: async () => (await import('../history/history-calls.ts')).createGlobalHistory(client, key, [], 'all'),
  }
}

/** Returns the language that the URL names, or the default; empty if the content has only one. */
export function useContentLocale(requestedLocale: string | undefined): string {
  const { locales } = useModel()
  if (!locales) return ''
  return requestedLocale !== undefined && locales.available.includes(requestedLocale)
    ? requestedLocale
    : locales.default
}

export const useHasFallbacks = (locale: string): boolean => (useModel().locales?.fallback[locale] ?? []).length > 0

/** Returns a function that names languages in the user's own language. */
export function useLocaleName(): (locale: string) => string {
  const { language } = useTexts()
  return (locale) => {
    try {
      const name = new Intl.DisplayNames(language, { type: 'language' }).of(locale) ?? locale
      return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
    } catch {
      // A locale of the config may be no language that the browser knows.
      return locale
    }
  }
}
