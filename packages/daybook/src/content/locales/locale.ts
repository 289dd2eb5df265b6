import { DaybookError, validationErrorAt } from '../../errors.ts'
import type { CollectionModel, DocumentModel, LocalesModel, Model } from '../../model/model.ts'
import { ALL_LOCALES, type LocaleChoice, type LocaleQuery, NO_FALLBACK } from '../../query/locale-parameters.ts'
import type { EntryRow } from '../../store/rows.ts'
import { isPartlyPublished } from '../../store/tables/tables.ts'
import type { Access } from '../access/access.ts'
import { findVisibleDrafts } from '../access/draft-access.ts'
import type { ContentContext } from '../context.ts'
import type { Values } from '../documents/document.ts'
import { mergeFields } from '../documents/prepare-fields.ts'
import { getFallbackChain, readStoredValues, toCanonical, withSystemKeys } from '../documents/row.ts'
import { type CanonicalDocument, localizeToMaps } from './localized.ts'
import { dropUnpublishedLocales, localizeWithStatus } from './published-locales.ts'

/** The locale choice of a request without a locale. */
export const DEFAULT_LOCALE: LocaleChoice = { locale: undefined, chain: undefined, isAll: false }

/**
 * Resolves the locale of a request for its caller.
 *
 * @throws VALIDATION_ERROR; UNAUTHORIZED for all locales without a session
 */
export function requireLocale({ locales }: Model, query: LocaleQuery, access: Access): LocaleChoice {
  const choice = resolveLocale(query, locales)
  if (choice.isAll && !access.isAuthenticated) throw new DaybookError('UNAUTHORIZED')
  return choice
}

/**
 * Resolves the locale of a request, whoever its caller is.
 *
 * @throws VALIDATION_ERROR for a fallback of all locales
 */
export function resolveLocale(
  { locale: requested, fallbackLocale: fallback }: LocaleQuery,
  locales: LocalesModel | undefined,
): LocaleChoice {
  if (!locales) return DEFAULT_LOCALE
  if (requested === ALL_LOCALES) {
    if (fallback !== undefined)
      throw validationErrorAt(
        'fallbackLocale',
        'exclusive',
        'is not allowed with locale=all, which returns all locales. Leave it out.',
        {
          with: 'locale',
        },
      )
    return { locale: locales.default, chain: undefined, isAll: true }
  }
  const locale = requested ?? locales.default
  if (fallback === undefined) return { locale, chain: undefined, isAll: false }
  const chain = fallback === NO_FALLBACK ? [locale] : [locale, fallback]
  const isConfigured = JSON.stringify(chain) === JSON.stringify(locales.chains.get(locale))
  return { locale, chain: isConfigured ? undefined : chain, isAll: false }
}

/** Returns a collection in the locale of a request. For all locales, filters and sorts use the default locale. */
export function resolveCollection(
  { collections, byLocale }: Model,
  key: string,
  { locale, isAll }: LocaleChoice,
): CollectionModel {
  const collection = ((!isAll && byLocale.get(locale ?? '')) || collections).get(key)
  if (!collection) throw new DaybookError('NOT_FOUND')
  return collection
}

/**
 * Localizes entries for the requested locale. The rows already contain the configured fallbacks. Other fallbacks and all locales at
 * once take one more statement, which reads the values of every locale. Values of locales in which an entry is not published are only
 * shown to callers who can see its draft.
 */
export async function localizeRows(
  { model, store }: ContentContext,
  access: Access,
  collection: CollectionModel,
  rows: readonly EntryRow[],
  choice: LocaleChoice,
): Promise<readonly EntryRow[]> {
  const isStored = !choice.isAll && choice.chain === undefined
  if (isStored || collection.localized.size === 0 || rows.length === 0) return rows
  const defaultCollection = model.collections.get(collection.key) ?? collection
  const stored = await store.read.entries.storedByIds(
    defaultCollection,
    rows.map(({ id }) => id),
  )
  const partlyPublished = choice.isAll ? stored.filter(isPartlyPublished).map(({ id }) => id) : []
  const drafts = await findVisibleDrafts(access, store.read, defaultCollection, partlyPublished)
  const docsById = new Map(
    stored.map((entry) => {
      const values = readStoredValues(defaultCollection, entry)
      const canonical = toCanonical(values, entry.locales)
      const showsEverything = !choice.isAll || !model.locales || drafts.has(entry.id)
      const localized = localizeValues(
        model,
        defaultCollection,
        showsEverything ? canonical : dropUnpublishedLocales(defaultCollection, canonical, model.locales),
        choice,
      )
      return [
        entry.id,
        JSON.stringify(withSystemKeys(defaultCollection, values, mergeFields(defaultCollection, {}, localized))),
      ]
    }),
  )
  return rows.flatMap((row) => {
    const doc = docsById.get(row.id)
    return doc === undefined ? [] : [{ ...row, doc, schema_hash: collection.schemaHash, orphaned: null }]
  })
}

export function localizeValues(
  { locales }: Model,
  document: DocumentModel,
  canonical: CanonicalDocument,
  { locale, chain, isAll }: LocaleChoice,
): Values {
  if (!locales || locale === undefined || document.localized.size === 0) return canonical.values
  if (isAll) return localizeToMaps(document, canonical, locales)
  return localizeWithStatus(document, canonical, locales, locale, chain ?? getFallbackChain(locales, locale))
}
