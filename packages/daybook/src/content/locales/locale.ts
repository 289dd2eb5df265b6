import { DaybookError } from '../../errors.ts'
import type { CollectionModel, DocumentModel, Model } from '../../model/model.ts'
import { collectionsInLocale, type LocaleChoice, type LocaleQuery, readLocale } from '../../query/locale.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import { isPartlyPublished } from '../../store/tables/tables.ts'
import type { Access } from '../access/access.ts'
import { mergeFields, type Values } from '../document.ts'
import { findVisibleDrafts } from '../drafts/draft-access.ts'
import type { Engine } from '../engine.ts'
import { storedValues, withSystem } from '../reads/present.ts'
import { chainOf, toCanonical } from '../writes/row.ts'
import { type Canonical, showAll } from './localized.ts'
import { publishedPartOf, showIn } from './published-locales.ts'

/** The choice of a call that names no locale. */
export const DEFAULT_LOCALE: LocaleChoice = { locale: undefined, chain: undefined, isAll: false }

/**
 * Reads in which language content is asked for.
 *
 * @throws VALIDATION_ERROR; UNAUTHORIZED when every locale is asked for without a session
 */
export function requireLocale({ locales }: Model, query: LocaleQuery, access: Access): LocaleChoice {
  const choice = readLocale(query, locales)
  if (choice.isAll && !access.isAuthenticated) throw new DaybookError('UNAUTHORIZED')
  return choice
}

/**
 * A collection as the locale shows it that is asked for. With all of them, questions are put to the default one.
 */
export function inLocale(model: Model, key: string, choice: LocaleChoice): CollectionModel {
  const collection = (choice.isAll ? model.collections : collectionsInLocale(model, choice)).get(key)
  if (!collection) throw new DaybookError('NOT_FOUND')
  return collection
}

/**
 * Entries in the language that is asked for. What the config's own fallbacks show stands in the rows already; other
 * fallbacks, and all locales at once, are put together from what every locale says: one more statement. Of locales in which an entry is
 * not published, only callers who see its drafts are told.
 */
export async function inChosenLocale(
  { model, store }: Engine,
  access: Access,
  collection: CollectionModel,
  rows: readonly EntryRow[],
  choice: LocaleChoice,
): Promise<readonly EntryRow[]> {
  const isStored = !choice.isAll && choice.chain === undefined
  if (isStored || collection.localized.size === 0 || rows.length === 0) return rows
  const own = model.collections.get(collection.key) ?? collection
  const stored = await store.read.entries.storedByIds(
    own,
    rows.map(({ id }) => id),
  )
  const partlyPublished = choice.isAll ? stored.filter(isPartlyPublished).map(({ id }) => id) : []
  const drafts = await findVisibleDrafts(access, store.read, own, partlyPublished)
  const shown = new Map(
    stored.map((entry) => {
      const values = storedValues(own, entry)
      const canonical = toCanonical(values, entry.locales)
      const isWhole = !choice.isAll || !model.locales || drafts.has(entry.id)
      const chosen = chosenValues(
        model,
        own,
        isWhole ? canonical : publishedPartOf(own, canonical, model.locales),
        choice,
      )
      return [entry.id, JSON.stringify(withSystem(own, values, mergeFields(own, {}, chosen)))]
    }),
  )
  return rows.flatMap((row) => {
    const doc = shown.get(row.id)
    return doc === undefined ? [] : [{ ...row, doc, schema_hash: collection.schemaHash, orphaned: null }]
  })
}

/** A document's values in the language that is asked for. */
export function chosenValues(
  { locales }: Model,
  document: DocumentModel,
  canonical: Canonical,
  { locale, chain, isAll }: LocaleChoice,
): Values {
  if (!locales || locale === undefined || document.localized.size === 0) return canonical.values
  if (isAll) return showAll(document, canonical, locales)
  return showIn(document, canonical, locales, locale, chain ?? chainOf(locales, locale))
}
