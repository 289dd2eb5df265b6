import type { FieldDescription } from 'daybook'
import { isRecord, type Values } from '../saving/saved-field.ts'

type Inner = Partial<Pick<FieldDescription, 'localized' | 'fields' | 'blocks' | 'of'>>

/** What one language says of a value that was read in all of them: localized ones are maps of locale to value, at any depth. */
export function inLocale(field: Inner, value: unknown, locale: string): unknown {
  if (field.localized) return isRecord(value) ? (value[locale] ?? null) : null
  if (Array.isArray(value)) return value.map((item) => itemInLocale(field, item, locale))
  return field.fields && isRecord(value) ? valuesInLocale(field.fields, value, locale) : value
}

function itemInLocale({ blocks, of, fields }: Inner, item: unknown, locale: string): unknown {
  const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
  const itemDescription = block ? { fields: block.fields } : (of ?? { ...(fields ? { fields } : {}) })
  const value = inLocale(itemDescription, item, locale)
  if (!isRecord(item) || !isRecord(value)) return value
  const { _key, _type } = item
  return { ...(_key === undefined ? {} : { _key }), ...(_type === undefined ? {} : { _type }), ...value }
}

/** What one language says of a document that was read in all of them. */
export const valuesInLocale = (fields: readonly FieldDescription[], values: Values, locale: string): Values =>
  Object.fromEntries(fields.map((field) => [field.key, inLocale(field, values[field.key], locale)]))

/** Whether a field, or anything inside it, has a value for each language. */
export const isTranslated = (field: Inner): boolean =>
  field.localized === true ||
  (field.fields ?? []).some(isTranslated) ||
  (field.blocks ?? []).some((block) => block.fields.some(isTranslated)) ||
  (field.of !== undefined && isTranslated(field.of))

/** The localized values of a document in one language, by their places. */
export function translatedValues(
  fields: readonly FieldDescription[],
  values: Values,
  around = '',
): ReadonlyMap<string, unknown> {
  return new Map(fields.flatMap((field) => [...translatedIn(field, values[field.key], `${around}${field.key}`)]))
}

function translatedIn(field: Inner, value: unknown, place: string): readonly (readonly [string, unknown])[] {
  if (field.localized) return isEmpty(value) ? [] : [[place, value]]
  if (Array.isArray(value)) return value.flatMap((item, index) => [...translatedItem(field, item, `${place}.${index}`)])
  return field.fields && isRecord(value) ? [...translatedValues(field.fields, value, `${place}.`)] : []
}

function translatedItem({ blocks, of, fields }: Inner, item: unknown, place: string) {
  const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
  if (block && isRecord(item)) return [...translatedValues(block.fields, item, `${place}.`)]
  return translatedIn(of ?? { ...(fields ? { fields } : {}) }, item, place)
}

/** Whether a value says nothing. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** How far a language has come, beside the language that it is translated from. */
export type LocaleState = 'source' | 'whole' | 'partial' | 'missing'

/** Tells how far a language has come: what it lacks of what its source says. */
export function localeState(source: ReadonlyMap<string, unknown>, own: ReadonlyMap<string, unknown>): LocaleState {
  if (own.size === 0) return 'missing'
  return [...source.keys()].every((place) => own.has(place)) ? 'whole' : 'partial'
}
