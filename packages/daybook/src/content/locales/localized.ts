import {
  emptyValue,
  type Field,
  type Generated,
  generatedValues,
  holdsLocalized,
  innerFields,
  isRecord,
  readGenerated,
} from '../../fields/field.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, DocumentModel, LocalesModel } from '../../model/model.ts'
import { isEmpty, type Values } from '../documents/document.ts'
import { findFormerPlaces, getItemStep, withPlaceKeys } from '../documents/item-keys.ts'

/** The values of one locale, by path: `title`, `seo/title`, `parts/KEY/text`. */
export type Translation = Readonly<Record<string, unknown>>

export interface CanonicalDocument {
  /** The values of the default locale, and those that all locales share. */
  readonly values: Values
  readonly translations: Readonly<Record<string, Translation>>
  /** The only locales in which the document is published. @default its status applies to every locale */
  readonly publishedLocales?: readonly string[]
}

/** A document that may have a status: an entry, or a global. */
export type PublishableDocument = DocumentModel & Partial<Pick<CollectionModel, 'status'>>

interface LocalizedPlace {
  readonly field: Field
  readonly path: string
  /** The former path; `undefined` for a new value. */
  readonly from: string | undefined
}

interface Replacement {
  readonly value: unknown
  generated(generated: Generated, stored: unknown): unknown
}

type Replace = (place: LocalizedPlace, value: unknown) => Replacement

/**
 * Localizes a document. A locale without a value falls back to the next one of the chain; an empty text or list is a value.
 *
 * @param chain the locales from which a value is read, in order
 * @param getEmpty returns the value of a field without a value in any of them
 */
export function localize(
  document: DocumentModel,
  canonical: CanonicalDocument,
  chain: readonly string[],
  defaultLocale: string,
  getEmpty: (field: Field) => unknown = emptyValue,
): Values {
  return replaceLocalized(document, canonical.values, undefined, (place, base) => {
    const localeReader = createLocaleReader(canonical, place, base, defaultLocale)
    const locale = chain.find((candidate) => localeReader.holdsValue(candidate))
    return locale === undefined
      ? { value: getEmpty(place.field), generated: () => null }
      : {
          value: localeReader.value(locale),
          generated: (generated, stored) => localeReader.generated(locale, generated, stored),
        }
  })
}

/** Returns the values of a locale without fallbacks; `null` for values and lists that the locale lacks. */
export const localizeStrict = (
  document: DocumentModel,
  canonical: CanonicalDocument,
  locale: string,
  defaultLocale: string,
): Values => localize(document, canonical, [locale], defaultLocale, () => null)

/** Replaces each localized value of a document with a map of locale to value. */
export function localizeToMaps(
  document: DocumentModel,
  canonical: CanonicalDocument,
  { available, default: defaultLocale }: LocalesModel,
): Values {
  return replaceLocalized(document, canonical.values, undefined, (place, base) => {
    const localeReader = createLocaleReader(canonical, place, base, defaultLocale)
    const filled = available.filter((locale) => localeReader.holdsValue(locale))
    return {
      value: Object.fromEntries(filled.map((locale) => [locale, localeReader.value(locale)])),
      generated: (generated, stored) =>
        Object.fromEntries(filled.map((locale) => [locale, localeReader.generated(locale, generated, stored)])),
    }
  })
}

/**
 * Returns a document after a write in one locale: localized values change in that locale, all others in every locale. Translations
 * of list items move with their items. A changed status applies to every locale.
 *
 * @param inLocale all values of the document in that locale, without fallbacks
 */
export function writeTranslation(
  document: PublishableDocument,
  current: CanonicalDocument | undefined,
  inLocale: Values,
  locale: string | undefined,
  defaultLocale: string | undefined,
): CanonicalDocument {
  if (locale === undefined || defaultLocale === undefined || document.localized.size === 0) {
    return withWrittenStatus(document, current, { values: inLocale, translations: current?.translations ?? {} }, locale)
  }
  const before = current && localizeStrict(document, current, locale, defaultLocale)
  const otherTranslations = Object.entries(current?.translations ?? {}).filter(
    ([otherLocale]) => otherLocale !== locale,
  )
  const translations: Record<string, Record<string, unknown>> = {}
  const setTranslation = (targetLocale: string, path: string, value: unknown): void => {
    if (value === null || value === undefined) return
    translations[targetLocale] ??= {}
    translations[targetLocale][path] = value
  }
  const writeValue = (place: Pick<LocalizedPlace, 'path' | 'from'>, value: unknown, empty: unknown): unknown => {
    const { from } = place
    for (const [otherLocale, translation] of otherTranslations)
      if (from !== undefined) setTranslation(otherLocale, place.path, translation[from])
    if (locale === defaultLocale) return value ?? empty
    const base = getValueAtPath(current?.values, from)
    // A list that no locale has is read as an empty list, so writing back an empty list changes nothing.
    const isReadEmpty = Array.isArray(value) && value.length === 0 && isEmpty(base) && !hasValue(current, from)
    if (!isReadEmpty) setTranslation(locale, place.path, value)
    return base ?? empty
  }
  const values = replaceLocalized(document, inLocale, before, (place, value) => ({
    value: writeValue(place, value, emptyValue(place.field)),
    generated: ({ key }, stored) =>
      writeValue(
        { path: getSiblingPath(place.path, key), from: place.from && getSiblingPath(place.from, key) },
        stored,
        null,
      ),
  }))
  const sorted = Object.entries(translations).sort(([a], [b]) => (a < b ? -1 : 1))
  const written = { values, translations: Object.fromEntries(sorted) }
  return withWrittenStatus(document, current, written, locale)
}

/** Keeps the published locales of a written document unless the write changes the status of the locale. */
function withWrittenStatus(
  document: PublishableDocument,
  current: CanonicalDocument | undefined,
  written: CanonicalDocument,
  locale: string | undefined,
): CanonicalDocument {
  const { status } = document
  if (!status || !current?.publishedLocales) return written
  const isSame = written.values[status.key] === getLocaleStatus(document, current, locale)
  if (!isSame) return written
  const values = { ...written.values, [status.key]: current.values[status.key] }
  return { ...written, values, publishedLocales: current.publishedLocales }
}

/**
 * Returns the status of a document in one locale.
 *
 * @param locale `undefined` if the content has no locales
 */
export function getLocaleStatus(
  { status }: PublishableDocument,
  { values, publishedLocales }: CanonicalDocument,
  locale: string | undefined,
): unknown {
  if (!status) return undefined
  const stored = values[status.key]
  if (!publishedLocales || locale === undefined) return stored
  if (publishedLocales.includes(locale)) return PUBLISHED
  return stored === PUBLISHED ? getUnpublishedStatus(status) : stored
}

/** Returns the first status of a collection that the public cannot see; `undefined` if there is none. */
export const getUnpublishedStatus = ({ values }: NonNullable<CollectionModel['status']>): string | undefined =>
  values.find((value) => value !== PUBLISHED)

/**
 * Localizes a document for each of its locales, without fallbacks.
 *
 * @param locale the first locale of the result
 */
export function localizeEach(
  document: DocumentModel,
  canonical: CanonicalDocument,
  locale: string | undefined,
  defaultLocale: string | undefined,
): readonly Values[] {
  if (locale === undefined || defaultLocale === undefined || document.localized.size === 0) return [canonical.values]
  const locales = new Set([locale, defaultLocale, ...Object.keys(canonical.translations)])
  return [...locales].map((each) => localize(document, canonical, [each], defaultLocale))
}

export function changeDefaultLocale(
  document: DocumentModel,
  canonical: CanonicalDocument,
  from: string,
  to: string,
): CanonicalDocument {
  const { [to]: _former, ...otherTranslations } = canonical.translations
  const base: CanonicalDocument = { values: localize(document, canonical, [to], from), translations: otherTranslations }
  const moved = writeTranslation(document, base, localizeStrict(document, canonical, from, from), from, to)
  return canonical.publishedLocales ? { ...moved, publishedLocales: canonical.publishedLocales } : moved
}

/** Returns true if a locale other than the default one has a value at a path. */
const hasValue = (current: CanonicalDocument | undefined, path: string | undefined): boolean =>
  path !== undefined &&
  Object.values(current?.translations ?? {}).some((translation) => Object.hasOwn(translation, path))

/** Creates a reader of the values of each locale at one place. */
function createLocaleReader(
  { translations }: CanonicalDocument,
  { field, path }: LocalizedPlace,
  base: unknown,
  defaultLocale: string,
) {
  const getValue = (locale: string): unknown =>
    locale === defaultLocale ? base : withExtractedValues(field, withPlaceKeys(field, translations[locale]?.[path]))
  return {
    value: getValue,
    /** Returns true if the locale has a valid value. In the default locale, a missing list is stored as an empty one. */
    holdsValue: (locale: string): boolean => {
      const value = getValue(locale)
      if (value === null || value === undefined || !field.type.accepts(value, field.options)) return false
      return locale !== defaultLocale || !Array.isArray(value) || value.length > 0
    },
    generated: (locale: string, generated: Generated, stored: unknown): unknown => {
      if (locale === defaultLocale) return stored ?? null
      const translated = (key: string): unknown => translations[locale]?.[getSiblingPath(path, key)]
      return readGenerated(generated, translated(generated.key), translated)
    },
  }
}

/** Adds extracted values to a translated container, which containers of an older config lack. */
function withExtractedValues(field: Field, value: unknown): unknown {
  if (value === null || value === undefined || !holdsExtracted(field)) return value
  return (
    field.type.walk?.(value, field.options, {
      keepsUnknownKeys: true,
      value: withExtractedValues,
      generated: (generated, container, _source, stored) => {
        container[generated.key] = readGenerated(generated, stored, (key) => container[key])
      },
    }) ?? value
  )
}

/** Returns true if a field contains values that are extracted from others. */
const holdsExtracted = (field: Field): boolean =>
  innerFields(field)
    .flatMap((fields) => Object.entries(fields))
    .some(
      ([key, inner]) =>
        generatedValues(key, inner).some((generated) => 'extract' in generated) || holdsExtracted(inner),
    )

const getSiblingPath = (path: string, key: string): string => path.replace(/[^/]*$/, key)

function getValueAtPath(values: Values | undefined, path: string | undefined): unknown {
  if (path === undefined) return undefined
  return path.split('/').reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return value.find((item, index) => getItemStep(item, index) === step)
    return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }, values)
}

function replaceLocalized(
  document: DocumentModel,
  values: Values,
  before: Values | undefined,
  replace: Replace,
): Values {
  const replaced: Values = { ...values }
  for (const { key, field } of document.fields) {
    if (!document.localized.has(key)) continue
    const replacement = replaceValue(field, values[key], { path: key, from: key }, before?.[key], replace)
    replaced[key] = replacement.value
    for (const generated of generatedValues(key, field)) {
      replaced[generated.key] = replacement.generated(generated, values[generated.key])
    }
  }
  return replaced
}

type ValuePlace = Pick<LocalizedPlace, 'path' | 'from'>

function replaceValue(field: Field, value: unknown, place: ValuePlace, before: unknown, replace: Replace): Replacement {
  if (field.options.localized === true) return replace({ field, ...place }, value)
  return { value: replaceInside(field, value, place, before, replace), generated: (_key, stored) => stored }
}

/** Copies a container with its localized values replaced. */
function replaceInside(field: Field, value: unknown, place: ValuePlace, before: unknown, replace: Replace): unknown {
  if (value === null || value === undefined || !holdsLocalized(field)) return value
  const places = Array.isArray(value) ? findItemPlaces(field, value, { place, before }) : undefined
  let index = -1
  let last: Replacement | undefined
  return field.type.walk?.(value, field.options, {
    enter: (_fields, source) => {
      index += 1
      return source
    },
    value: (inner, innerValue, key) => {
      if (key === '') index += 1
      const enclosing = places?.[index] ?? { place, before }
      last = replaceValue(inner, innerValue, ...enterPlace(enclosing, key === '' ? [] : [key]), replace)
      return last.value
    },
    generated: (generated, container, _source, stored) => {
      container[generated.key] = last?.generated(generated, stored ?? null) ?? null
    },
  })
}

interface PlacedValue {
  readonly place: ValuePlace
  readonly before: unknown
}

function enterPlace({ place: { path, from }, before }: PlacedValue, steps: readonly string[]): [ValuePlace, unknown] {
  const join = (parent: string): string => [parent, ...steps].join('/')
  const formerValue = steps.reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), before)
  return [{ path: join(path), from: from === undefined ? undefined : join(from) }, formerValue]
}

/** Returns the current and the former place of each item of a list. */
function findItemPlaces(
  field: Field,
  items: readonly unknown[],
  { place: { path, from }, before }: PlacedValue,
): readonly PlacedValue[] {
  const stored = Array.isArray(before) ? before : []
  const formerPlaces = findFormerPlaces(field, items, stored)
  return items.map((item, index) => {
    const origin = from === undefined ? undefined : formerPlaces[index]
    const formerItem: unknown = origin === undefined ? undefined : stored[origin]
    return {
      place: {
        path: `${path}/${getItemStep(item, index)}`,
        from: origin === undefined ? undefined : `${from}/${getItemStep(formerItem, origin)}`,
      },
      before: formerItem,
    }
  })
}
