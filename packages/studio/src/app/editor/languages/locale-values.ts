import type { FieldDescription } from 'daybook'
import type { HistoryCalls } from '../history/versions.ts'
import { isRecord, isSameValue, type Values } from '../saving/field-values.ts'

type Inner = Partial<Pick<FieldDescription, 'localized' | 'fields' | 'blocks' | 'of'>>

/** What one language says of a value that was read in all of them: localized ones are maps of locale to value, at any depth. */
export function pickLocale(field: Inner, value: unknown, locale: string): unknown {
  if (field.localized) return isRecord(value) ? (value[locale] ?? null) : null
  if (Array.isArray(value)) return value.map((item) => itemInLocale(field, item, locale))
  return field.fields && isRecord(value) ? pickLocaleValues(field.fields, value, locale) : value
}

function itemInLocale({ blocks, of, fields }: Inner, item: unknown, locale: string): unknown {
  const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
  const itemDescription = block ? { fields: block.fields } : (of ?? { ...(fields ? { fields } : {}) })
  const value = pickLocale(itemDescription, item, locale)
  if (!isRecord(item) || !isRecord(value)) return value
  const { _key, _type } = item
  return { ...(_key === undefined ? {} : { _key }), ...(_type === undefined ? {} : { _type }), ...value }
}

/** What one language says of a document that was read in all of them. */
export const pickLocaleValues = (fields: readonly FieldDescription[], values: Values, locale: string): Values =>
  Object.fromEntries(fields.map((field) => [field.key, pickLocale(field, values[field.key], locale)]))

/** Whether a field, or anything inside it, has a value for each language. */
export const isTranslated = (field: Inner): boolean =>
  field.localized === true ||
  (field.fields ?? []).some(isTranslated) ||
  (field.blocks ?? []).some((block) => block.fields.some(isTranslated)) ||
  (field.of !== undefined && isTranslated(field.of))

/** The localized values of a document in one language, by their places. */
export function collectTranslatedValues(
  fields: readonly FieldDescription[],
  values: Values,
  around = '',
): ReadonlyMap<string, unknown> {
  return new Map(fields.flatMap((field) => [...translatedIn(field, values[field.key], `${around}${field.key}`)]))
}

function translatedIn(field: Inner, value: unknown, place: string): readonly (readonly [string, unknown])[] {
  if (field.localized) return isEmpty(value) ? [] : [[place, value]]
  if (Array.isArray(value)) return value.flatMap((item, index) => [...translatedItem(field, item, `${place}.${index}`)])
  return field.fields && isRecord(value) ? [...collectTranslatedValues(field.fields, value, `${place}.`)] : []
}

function translatedItem({ blocks, of, fields }: Inner, item: unknown, place: string) {
  const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
  if (block && isRecord(item)) return [...collectTranslatedValues(block.fields, item, `${place}.`)]
  return translatedIn(of ?? { ...(fields ? { fields } : {}) }, item, place)
}

/** Whether a value says nothing. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** How far a language has come, beside the language that it is translated from. */
export type LocaleState = 'source' | 'whole' | 'partial' | 'missing'

/** Tells how far a language has come: what it lacks of what its source says. */
export function getLocaleState(source: ReadonlyMap<string, unknown>, own: ReadonlyMap<string, unknown>): LocaleState {
  if (own.size === 0) return 'missing'
  return [...source.keys()].every((place) => own.has(place)) ? 'whole' : 'partial'
}

/** How many versions are looked at: a source that has not changed for longer counts as unchanged. */
const MOST_VERSIONS = 12

/**
 * The languages that nobody has changed since their source last did. The service keeps no times for single languages: the versions tell it,
 * from the newest back to the last one that changed the source.
 */
export async function findOutdatedLocales(
  history: HistoryCalls,
  fields: readonly FieldDescription[],
  locales: readonly string[],
  source: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const translated = fields.filter(isTranslated)
  const says = (data: Values | null, locale: string): Values => pickLocaleValues(translated, data ?? {}, locale)
  const { items } = await history.list({ limit: MOST_VERSIONS, cursor: null }, { signal })
  const others = new Set(locales.filter((one) => one !== source))
  let newer: Values | null | undefined
  for (const { revision } of items) {
    const { data } = await history.get(revision, { signal })
    if (newer !== undefined) {
      const after = newer
      const isChanged = (locale: string): boolean => !isSameValue(says(data, locale), says(after, locale))
      for (const locale of others) if (isChanged(locale)) others.delete(locale)
      if (isChanged(source)) return others
    }
    newer = data
  }
  return new Set()
}
