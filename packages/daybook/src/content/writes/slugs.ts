import type { CollectionModel, Model } from '../../model/model.ts'
import { slugify } from '../../slugs.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { WrittenEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { type ContentContext, toAuthor } from '../context.ts'
import { isEmpty, type Values } from '../documents/document.ts'
import { collectOrphaned } from '../documents/orphaned-values.ts'
import { getFallbackChain, readStoredValues, toCanonical, toRow } from '../documents/row.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { localizeStrictWithStatus, localizeWithStatus } from '../locales/published-locales.ts'

/**
 * Generates a slug if there is none, with a number if another entry has it.
 *
 * @param id the entry, whose current slugs count as free; `undefined` for a new one
 */
export async function chooseSlug(
  read: Reader,
  collection: CollectionModel,
  values: Values,
  locale: string | undefined,
  id?: string,
): Promise<Values> {
  const { slug } = collection
  if (!slug || values[slug.key] != null || slug.from === undefined) return values
  const localized = collection.localized.has(slug.key) ? collection.byLocale.get(locale ?? '') : undefined
  // A locale without a translated text also falls back to the slug of another locale.
  if (localized && collection.localized.has(slug.from) && isEmpty(values[slug.from])) return values
  const base = slugify(String(values[slug.from] ?? '')) || 'untitled'
  const number = await findFreeNumber((n) => read.entries.hasSlug(localized ?? collection, addNumber(base, n), id))
  return { ...values, [slug.key]: addNumber(base, number) }
}

/**
 * Adds a slug in each locale in which the entry would fall back to a slug that another entry has there: an address leads to the entry that
 * has the slug itself.
 */
export async function resolveFallbackSlugs(
  { locales }: Model,
  read: Reader,
  collection: CollectionModel,
  canonical: CanonicalDocument,
  id?: string,
): Promise<CanonicalDocument> {
  const { slug } = collection
  if (!slug || !locales || !collection.localized.has(slug.key)) return canonical
  let resolved = canonical
  for (const [locale, localeCollection] of collection.byLocale) {
    const ownSlug = localizeStrictWithStatus(collection, resolved, locales, locale)[slug.key]
    const chain = getFallbackChain(locales, locale)
    const shownSlug = localizeWithStatus(collection, resolved, locales, locale, chain)[slug.key]
    if (ownSlug != null || typeof shownSlug !== 'string') continue
    if (!(await read.entries.hasSlug(localeCollection, shownSlug, id))) continue
    const isTaken = async (n: number): Promise<boolean> =>
      (await read.entries.hasSlug(localeCollection, addNumber(shownSlug, n), id)) ||
      (await read.entries.idsFallingBackTo(localeCollection, addNumber(shownSlug, n), id)).length > 0
    const freeSlug = addNumber(shownSlug, await findFreeNumber(isTaken))
    resolved = withSlug(resolved, slug.key, freeSlug, locale === locales.default ? undefined : locale)
  }
  return resolved
}

/** @param locale `undefined` for the default locale */
function withSlug(
  canonical: CanonicalDocument,
  key: string,
  slug: string,
  locale: string | undefined,
): CanonicalDocument {
  if (locale === undefined) return { ...canonical, values: { ...canonical.values, [key]: slug } }
  const translation = { ...canonical.translations[locale], [key]: slug }
  const translations = Object.entries({ ...canonical.translations, [locale]: translation }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )
  return { ...canonical, translations: Object.fromEntries(translations) }
}

/**
 * Updates the entries that fell back to a slug which another entry now has itself.
 *
 * @param owner the stored entry that has the slug
 */
export async function updateFallbackSlugs(
  { model }: ContentContext,
  writer: Writer,
  collection: CollectionModel,
  owner: WrittenEntry,
  actor: string,
): Promise<void> {
  if (!collection.slug || !collection.localized.has(collection.slug.key)) return
  for (const { collection: localeCollection, own_slug } of owner.localeRows) {
    const ids =
      own_slug === null ? [] : await writer.read.entries.idsFallingBackTo(localeCollection, own_slug, owner.id)
    for (const entry of await writer.read.entries.storedByIds(collection, ids)) {
      const before = toCanonical(readStoredValues(collection, entry), entry.locales)
      const canonical = await resolveFallbackSlugs(model, writer.read, collection, before, entry.id)
      const next = toRow(model, collection, {
        id: entry.id,
        canonical,
        createdAt: entry.created_at,
        updatedAt: new Date().toISOString(),
        createdBy: entry.created_by,
        updatedBy: toAuthor(actor),
        orphaned: collectOrphaned(collection, entry),
        draft: entry.draft,
        orphanedStatus: entry.status,
      })
      await writer.entries.update(collection, entry, next, actor)
    }
  }
}

const addNumber = (base: string, n: number): string => (n === 1 ? base : `${base}-${n}`)

/** Finds a free number with a logarithmic number of look-ups: doubling, then halving. */
async function findFreeNumber(isTaken: (n: number) => Promise<boolean>): Promise<number> {
  let low = 0
  let high = 1
  while (await isTaken(high)) {
    low = high
    high *= 2
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (await isTaken(middle)) low = middle
    else high = middle
  }
  return high
}
