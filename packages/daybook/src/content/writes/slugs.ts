import type { CollectionModel, Model } from '../../model/model.ts'
import { slugify } from '../../slugs.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { WrittenEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { type ContentContext, toAuthor } from '../context.ts'
import { collectOrphaned, isEmpty, type Values } from '../documents/document.ts'
import { getFallbackChain, readStoredValues, toCanonical, toRow } from '../documents/row.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { localizeStrictWithStatus, localizeWithStatus } from '../locales/published-locales.ts'

/**
 * Makes a slug where none is given, and gives it a number when another entry has it.
 *
 * @param id the entry, whose own slug is free in each of its languages; `undefined`: it is new
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
  // Without a text of its own, a locale falls back to another one's slug, too.
  if (localized && collection.localized.has(slug.from) && isEmpty(values[slug.from])) return values
  const base = slugify(String(values[slug.from] ?? '')) || 'untitled'
  const number = await firstFree((n) => read.entries.hasSlug(localized ?? collection, numbered(base, n), id))
  return { ...values, [slug.key]: numbered(base, number) }
}

/**
 * Gives an entry a slug of its own in each locale in which it would fall back to a slug that another entry has there: an address leads to
 * the entry whose own it is.
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
  for (const [locale, inLocale] of collection.byLocale) {
    const localeSlug = localizeStrictWithStatus(collection, resolved, locales, locale)[slug.key]
    const shown = localizeWithStatus(collection, resolved, locales, locale, getFallbackChain(locales, locale))[slug.key]
    if (localeSlug != null || typeof shown !== 'string' || !(await read.entries.hasSlug(inLocale, shown, id))) continue
    const isTaken = async (n: number): Promise<boolean> =>
      (await read.entries.hasSlug(inLocale, numbered(shown, n), id)) ||
      (await read.entries.idsFallingBackTo(inLocale, numbered(shown, n), id)).length > 0
    const free = numbered(shown, await firstFree(isTaken))
    resolved = withSlug(resolved, slug.key, free, locale === locales.default ? undefined : locale)
  }
  return resolved
}

/** @param locale `undefined`: the default one */
function withSlug(
  canonical: CanonicalDocument,
  key: string,
  slug: string,
  locale: string | undefined,
): CanonicalDocument {
  if (locale === undefined) return { ...canonical, values: { ...canonical.values, [key]: slug } }
  const said = { ...canonical.translations[locale], [key]: slug }
  const sorted = Object.entries({ ...canonical.translations, [locale]: said }).sort(([a], [b]) => (a < b ? -1 : 1))
  return { ...canonical, translations: Object.fromEntries(sorted) }
}

/**
 * Stores anew the entries that fell back to a slug which another entry has taken as its own.
 *
 * @param written the stored entry
 */
export async function updateFallbackSlugs(
  { model }: ContentContext,
  writer: Writer,
  collection: CollectionModel,
  written: WrittenEntry,
  actor: string,
): Promise<void> {
  if (!collection.slug || !collection.localized.has(collection.slug.key)) return
  for (const { collection: inLocale, own_slug } of written.localeRows) {
    const ids = own_slug === null ? [] : await writer.read.entries.idsFallingBackTo(inLocale, own_slug, written.id)
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

const numbered = (base: string, n: number): string => (n === 1 ? base : `${base}-${n}`)

/** A number that is free, found in a logarithm of look-ups: doubling, then halving. */
async function firstFree(isTaken: (n: number) => Promise<boolean>): Promise<number> {
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
