import { slugify } from '../../fields/slug.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import { isEmpty, type Values } from '../document.ts'

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
