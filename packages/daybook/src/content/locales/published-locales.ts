import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, LocalesModel } from '../../model/model.ts'
import type { Values } from '../documents/document.ts'
import {
  type CanonicalDocument,
  getLocaleStatus,
  localize,
  localizeStrict,
  type PublishableDocument,
} from './localized.ts'

/** Returns the locales in which a document is published, in the order of the config. */
export function getPublishedLocales(
  { status }: PublishableDocument,
  { values, publishedLocales }: CanonicalDocument,
  { available }: LocalesModel,
): readonly string[] {
  if (publishedLocales) return available.filter((locale) => publishedLocales.includes(locale))
  return !status || values[status.key] === PUBLISHED ? available : []
}

/**
 * Publishes a document in some locales.
 *
 * @param published the published locales; `all` includes locales that are added to the config later
 * @param hidden the status in all other locales
 */
export function withPublishedLocales(
  { status }: CollectionModel,
  { values, translations }: CanonicalDocument,
  published: readonly string[] | 'all',
  hidden: string | null,
  locales: LocalesModel | undefined,
): CanonicalDocument {
  if (!status) return { values, translations }
  const isEverywhere = published === 'all' || published.length === locales?.available.length
  if (isEverywhere || !locales || published.length === 0)
    return { values: { ...values, [status.key]: isEverywhere ? PUBLISHED : hidden }, translations }
  const value = published.includes(locales.default) ? PUBLISHED : hidden
  return { values: { ...values, [status.key]: value }, translations, publishedLocales: published }
}

/**
 * Localizes a document with its status in the locale. A published locale falls back only to published locales.
 *
 * @param chain the locales from which a value is read, in order
 */
export function localizeWithStatus(
  document: PublishableDocument,
  canonical: CanonicalDocument,
  locales: LocalesModel,
  locale: string,
  chain: readonly string[],
): Values {
  const { publishedLocales } = canonical
  const isPublished = publishedLocales?.includes(locale) === true
  const readableChain = isPublished ? chain.filter((fallback) => publishedLocales.includes(fallback)) : chain
  return withLocaleStatus(document, canonical, locale, localize(document, canonical, readableChain, locales.default))
}

/** Returns the values of a locale with its status and without fallbacks; `null` for values that the locale lacks. */
export const localizeStrictWithStatus = (
  document: PublishableDocument,
  canonical: CanonicalDocument,
  locales: LocalesModel,
  locale: string,
): Values => withLocaleStatus(document, canonical, locale, localizeStrict(document, canonical, locale, locales.default))

function withLocaleStatus(
  document: PublishableDocument,
  canonical: CanonicalDocument,
  locale: string,
  values: Values,
): Values {
  if (!document.status || !canonical.publishedLocales) return values
  return { ...values, [document.status.key]: getLocaleStatus(document, canonical, locale) }
}

/** Removes the values of locales in which a document is not published. */
export function dropUnpublishedLocales(
  document: PublishableDocument,
  canonical: CanonicalDocument,
  { default: defaultLocale }: LocalesModel,
): CanonicalDocument {
  const { publishedLocales } = canonical
  if (!publishedLocales) return canonical
  const isPublished = ([locale]: readonly [string, unknown]): boolean => publishedLocales.includes(locale)
  const translations = Object.fromEntries(Object.entries(canonical.translations).filter(isPublished))
  const values = publishedLocales.includes(defaultLocale)
    ? canonical.values
    : localize(document, { ...canonical, translations: {} }, [], defaultLocale)
  return { ...canonical, values, translations }
}
