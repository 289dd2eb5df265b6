import type { FieldDescription } from 'daybook'
import type { HistoryCalls } from '../history/versions.ts'
import { isRecord, isSameValue, type Values } from '../saving/field-values.ts'

type LocalizedField = Partial<Pick<FieldDescription, 'localized' | 'fields' | 'blocks' | 'of'>>

/** Picks one language from a value that was read in all of them, where localized values are maps of locale to value, at any depth. */
function pickLocale(field: LocalizedField, value: unknown, locale: string): unknown {
  if (field.localized) return isRecord(value) ? (value[locale] ?? null) : null
  if (Array.isArray(value)) return value.map((item) => pickItemLocale(field, item, locale))
  return field.fields && isRecord(value) ? pickLocaleValues(field.fields, value, locale) : value
}

function pickItemLocale({ blocks, of, fields }: LocalizedField, item: unknown, locale: string): unknown {
  const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
  const itemDescription = block ? { fields: block.fields } : (of ?? { ...(fields ? { fields } : {}) })
  const value = pickLocale(itemDescription, item, locale)
  if (!isRecord(item) || !isRecord(value)) return value
  const { _key, _type } = item
  return { ...(_key === undefined ? {} : { _key }), ...(_type === undefined ? {} : { _type }), ...value }
}

/** Picks one language from the values of a document that was read in all of them. */
export const pickLocaleValues = (fields: readonly FieldDescription[], values: Values, locale: string): Values =>
  Object.fromEntries(fields.map((field) => [field.key, pickLocale(field, values[field.key], locale)]))

/** True if a field, or a field inside it, is localized. */
export const isTranslated = (field: LocalizedField): boolean =>
  field.localized === true ||
  (field.fields ?? []).some(isTranslated) ||
  (field.blocks ?? []).some((block) => block.fields.some(isTranslated)) ||
  (field.of !== undefined && isTranslated(field.of))

/** Collects the non-empty localized values of a document in one language, by dotted path. */
export function collectTranslatedValues(
  fields: readonly FieldDescription[],
  values: Values,
  prefix = '',
): ReadonlyMap<string, unknown> {
  return new Map(fields.flatMap((field) => [...collectFromValue(field, values[field.key], `${prefix}${field.key}`)]))
}

type PlacedValue = readonly [place: string, value: unknown]

function collectFromValue(field: LocalizedField, value: unknown, place: string): readonly PlacedValue[] {
  if (field.localized) return isEmpty(value) ? [] : [[place, value]]
  if (Array.isArray(value)) return value.flatMap((item, index) => collectFromItem(field, item, `${place}.${index}`))
  return field.fields && isRecord(value) ? [...collectTranslatedValues(field.fields, value, `${place}.`)] : []
}

function collectFromItem({ blocks, of, fields }: LocalizedField, item: unknown, place: string): readonly PlacedValue[] {
  const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
  if (block && isRecord(item)) return [...collectTranslatedValues(block.fields, item, `${place}.`)]
  return collectFromValue(of ?? { ...(fields ? { fields } : {}) }, item, place)
}

export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** The state of a language: the source itself, or its translation with all, some or none of the source's values. */
export type LocaleState = 'source' | 'whole' | 'partial' | 'missing'

export function getLocaleState(
  source: ReadonlyMap<string, unknown>,
  translation: ReadonlyMap<string, unknown>,
): LocaleState {
  if (translation.size === 0) return 'missing'
  return [...source.keys()].every((place) => translation.has(place)) ? 'whole' : 'partial'
}

/** The number of versions to search. A source that has not changed within them counts as unchanged. */
const MAX_VERSIONS = 12

/**
 * Finds the languages that have not changed since their source did. The service keeps no times for single languages, so this compares versions,
 * from the newest back to the last one that changed the source.
 */
export async function findOutdatedLocales(
  history: HistoryCalls,
  fields: readonly FieldDescription[],
  locales: readonly string[],
  source: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const translatedFields = fields.filter(isTranslated)
  const getValues = (data: Values | null, locale: string): Values =>
    pickLocaleValues(translatedFields, data ?? {}, locale)
  const { items } = await history.list({ limit: MAX_VERSIONS, cursor: null }, { signal })
  const unchangedLocales = new Set(locales.filter((locale) => locale !== source))
  let newerData: Values | null | undefined
  for (const { revision } of items) {
    const { data } = await history.get(revision, { signal })
    if (newerData !== undefined) {
      const after = newerData
      const isChanged = (locale: string): boolean => !isSameValue(getValues(data, locale), getValues(after, locale))
      for (const locale of unchangedLocales) if (isChanged(locale)) unchangedLocales.delete(locale)
      if (isChanged(source)) return unchangedLocales
    }
    newerData = data
  }
  return new Set()
}
