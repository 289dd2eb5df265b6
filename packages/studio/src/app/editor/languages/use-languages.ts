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
  getLocaleState,
  isTranslated,
  type LocaleState,
  pickLocaleValues,
} from './locale-values.ts'

/** One language of a document. */
export interface TranslationState {
  readonly locale: string
  readonly state: LocaleState
  /** Whether its source has changed since it did. */
  readonly isOutdated: boolean
}

/** The languages of a document that is open. */
export interface DocumentLanguages {
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
): DocumentLanguages | undefined {
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
      const { findOutdatedLocales: outdatedLocales } = await import('./locale-values.ts')
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
      return read ? pickLocaleValues(fields, read, one) : undefined
    }
    const sourceValues = collectTranslatedValues(fields, valuesIn(source) ?? {})
    const translations = locales.available.map((one): TranslationState => {
      if (one === source) return { locale: one, state: 'source', isOutdated: false }
      const own = getLocaleState(sourceValues, collectTranslatedValues(fields, valuesIn(one) ?? {}))
      return { locale: one, state: own, isOutdated: own !== 'missing' && old?.has(one) === true }
    })
    return { locale, source, translations, valuesIn, fallbacks: locales.fallback[locale] ?? [] }
  }, [hasLanguages, locales, locale, source, fields, values, read, old])
}

/** What is asked about the languages of one document. */
export interface LanguageCalls {
  /** The document with its localized values as maps of locale to value; `null`: it is not there. */
  readAll(signal: AbortSignal): Promise<Values | null>
  /** Its history, in all languages; what asks for it is loaded with it. */
  history(): Promise<HistoryCalls>
}

interface EntryReads {
  findById(id: string, query: Values, options: { readonly signal: AbortSignal }): Promise<object | null>
}

interface GlobalReads {
  get(query: Values, options: { readonly signal: AbortSignal }): Promise<object>
}

const ALL: Values = { locale: 'all' }

/** The languages of an entry. */
export function createEntryLanguages(
  client: StudioClient,
  collection: string,
  id: string,
  hasDrafts: boolean,
): LanguageCalls {
  const calls = client.collections[collection] as unknown as EntryReads
  return {
    readAll: async (signal) =>
      (await calls.findById(id, hasDrafts ? { ...ALL, draft: true } : ALL, { signal })) as Values | null,
    history: async () =>
      (await import('../history/history-calls.ts')).createEntryHistory(client, collection, id, 'all'),
  }
}

/** The languages of a global. */
export function createGlobalLanguages(client: StudioClient, key: string): LanguageCalls {
  const calls = client.globals[key] as unknown as GlobalReads
  return {
    readAll: async (signal) => (await calls.get(ALL, { signal })) as Values,
    history: async () => (await import('../history/history-calls.ts')).createGlobalHistory(client, key, [], 'all'),
  }
}

/** The language of the content that an address names, or the one that the config begins with; empty: the content has one language. */
export function useContentLocale(named: string | undefined): string {
  const { locales } = useModel()
  if (!locales) return ''
  return named !== undefined && locales.available.includes(named) ? named : locales.default
}

/** Whether readers see another language where one has no value. */
export const useHasFallbacks = (locale: string): boolean => (useModel().locales?.fallback[locale] ?? []).length > 0

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
