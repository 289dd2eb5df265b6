import type { Field, Generated } from '../../fields/field.ts'
import {
  emptyValue,
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

/** A document in all its locales. */
export interface CanonicalDocument {
  /** What the default locale says, and all that is the same in every locale. */
  readonly values: Values
  readonly translations: Readonly<Record<string, Translation>>
  /** The only locales in which it is published. @default its status counts in every locale */
  readonly publishedLocales?: readonly string[]
}

/** A document that may have a status: an entry, or a global. */
export type PublishableDocument = DocumentModel & Partial<Pick<CollectionModel, 'status'>>

/** A value that each locale has its own of. */
interface Spot {
  readonly field: Field
  readonly path: string
  /** Where it stood in the document before; `undefined`: it is new. */
  readonly from: string | undefined
}

/** What takes the place of a localized value, and of the values made from it. */
interface Replacement {
  readonly value: unknown
  generated(generated: Generated, stored: unknown): unknown
}

type Replace = (spot: Spot, value: unknown) => Replacement

/**
 * A document as a locale shows it. A locale without a value falls back to the next one; an empty text or list is a value.
 *
 * @param chain the locales in which a value is looked for, in order
 * @param emptyOf the value of a field that holds nothing in any of them
 */
export function localize(
  document: DocumentModel,
  canonical: CanonicalDocument,
  chain: readonly string[],
  defaultLocale: string,
  emptyOf: (field: Field) => unknown = emptyValue,
): Values {
  return replaceLocalized(document, canonical.values, undefined, (spot, base) => {
    const own = reader(canonical, spot, base, defaultLocale)
    const locale = chain.find((one) => own.holdsValue(one))
    return locale === undefined
      ? { value: emptyOf(spot.field), generated: () => null }
      : { value: own.value(locale), generated: (generated, stored) => own.generated(locale, generated, stored) }
  })
}

/** The values of a locale without fallbacks; `null` for a value or a list that the locale does not have. */
export const localizeStrict = (
  document: DocumentModel,
  canonical: CanonicalDocument,
  locale: string,
  defaultLocale: string,
): Values => localize(document, canonical, [locale], defaultLocale, () => null)

/** A document with a map of locale to value in place of each localized value. */
export function localizeToMaps(
  document: DocumentModel,
  canonical: CanonicalDocument,
  { available, default: defaultLocale }: LocalesModel,
): Values {
  return replaceLocalized(document, canonical.values, undefined, (spot, base) => {
    const own = reader(canonical, spot, base, defaultLocale)
    const filled = available.filter((locale) => own.holdsValue(locale))
    return {
      value: Object.fromEntries(filled.map((locale) => [locale, own.value(locale)])),
      generated: (generated, stored) =>
        Object.fromEntries(filled.map((locale) => [locale, own.generated(locale, generated, stored)])),
    }
  })
}

/**
 * A document after a write in one locale: its localized values belong to that locale, all others to every locale. What other
 * locales say of the items of a list goes with the items. A status that differs from the one in that locale counts in every locale.
 *
 * @param inLocale every value of the document in that locale, without fallbacks
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
  const others = Object.entries(current?.translations ?? {}).filter(([other]) => other !== locale)
  const translations: Record<string, Record<string, unknown>> = {}
  const keep = (of: string, path: string, value: unknown): void => {
    if (value === null || value === undefined) return
    translations[of] ??= {}
    translations[of][path] = value
  }
  const settle = (spot: Pick<Spot, 'path' | 'from'>, value: unknown, empty: unknown): unknown => {
    const { from } = spot
    for (const [other, said] of others) if (from !== undefined) keep(other, spot.path, said[from])
    if (locale === defaultLocale) return value ?? empty
    const base = valueAtPath(current?.values, from)
    // A list that no locale has reads as an empty one: writing that back says nothing.
    const isReadEmpty = Array.isArray(value) && value.length === 0 && isEmpty(base) && !hasValue(current, from)
    if (!isReadEmpty) keep(locale, spot.path, value)
    return base ?? empty
  }
  const values = replaceLocalized(document, inLocale, before, (spot, value) => ({
    value: settle(spot, value, emptyValue(spot.field)),
    generated: ({ key }, stored) =>
      settle({ path: siblingPath(spot.path, key), from: spot.from && siblingPath(spot.from, key) }, stored, null),
  }))
  const sorted = Object.entries(translations).sort(([one], [other]) => (one < other ? -1 : 1))
  const written = { values, translations: Object.fromEntries(sorted) }
  return withWrittenStatus(document, current, written, locale)
}

/** A written document, published in the same locales as before unless the write names another status than the locale has. */
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
 * The status of a document in one locale.
 *
 * @param locale `undefined`: the content has no locales
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

/** The first status of a collection that the public does not see; `undefined`: there is none. */
export const getUnpublishedStatus = ({ values }: NonNullable<CollectionModel['status']>): string | undefined =>
  values.find((value) => value !== PUBLISHED)

/**
 * A document as each locale itself has it, without fallbacks.
 *
 * @param locale the one that comes first
 */
export function localizeEach(
  document: DocumentModel,
  canonical: CanonicalDocument,
  locale: string | undefined,
  defaultLocale: string | undefined,
): readonly Values[] {
  if (locale === undefined || defaultLocale === undefined || document.localized.size === 0) return [canonical.values]
  const locales = new Set([locale, defaultLocale, ...Object.keys(canonical.translations)])
  return [...locales].map((one) => localize(document, canonical, [one], defaultLocale))
}

/** The same document with another default locale. */
export function changeDefaultLocale(
  document: DocumentModel,
  canonical: CanonicalDocument,
  from: string,
  to: string,
): CanonicalDocument {
  const { [to]: _own, ...others } = canonical.translations
  const base: CanonicalDocument = { values: localize(document, canonical, [to], from), translations: others }
  const moved = writeTranslation(document, base, localizeStrict(document, canonical, from, from), from, to)
  return canonical.publishedLocales ? { ...moved, publishedLocales: canonical.publishedLocales } : moved
}

/** True if a locale other than the default one has a value at a place. */
const hasValue = (current: CanonicalDocument | undefined, path: string | undefined): boolean =>
  path !== undefined && Object.values(current?.translations ?? {}).some((said) => Object.hasOwn(said, path))

/** Reads what each locale says at one place. */
function reader({ translations }: CanonicalDocument, { field, path }: Spot, base: unknown, defaultLocale: string) {
  const valueIn = (locale: string): unknown =>
    locale === defaultLocale ? base : withExtractedValues(field, withPlaceKeys(field, translations[locale]?.[path]))
  return {
    value: valueIn,
    /** True if the present config takes the value. In the default locale, an empty list is how a list without a value is stored. */
    holdsValue: (locale: string): boolean => {
      const value = valueIn(locale)
      if (value === null || value === undefined || !field.type.accepts(value, field.options)) return false
      return locale !== defaultLocale || !Array.isArray(value) || value.length > 0
    },
    generated: (locale: string, generated: Generated, stored: unknown): unknown => {
      if (locale === defaultLocale) return stored ?? null
      const translated = (key: string): unknown => translations[locale]?.[siblingPath(path, key)]
      return readGenerated(generated, translated(generated.key), translated)
    },
  }
}

/** A translated container. Those of an older config lack the values that are extracted from others inside it. */
function withExtractedValues(field: Field, value: unknown): unknown {
  if (value === null || value === undefined || !holdsExtracted(field)) return value
  return (
    field.type.walk?.(value, field.options, {
      keepsUnknownKeys: true,
      value: withExtractedValues,
      generated: (generated, copy, _source, stored) => {
        copy[generated.key] = readGenerated(generated, stored, (key) => copy[key])
      },
    }) ?? value
  )
}

/** Returns true if values are extracted from others inside a field. */
const holdsExtracted = (field: Field): boolean =>
  innerFields(field)
    .flatMap((fields) => Object.entries(fields))
    .some(
      ([key, inner]) =>
        generatedValues(key, inner).some((generated) => 'extract' in generated) || holdsExtracted(inner),
    )

/** The path of another key of the same object. */
const siblingPath = (path: string, key: string): string => path.replace(/[^/]*$/, key)

function valueAtPath(values: Values | undefined, path: string | undefined): unknown {
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
    const replacement = visit(field, values[key], { path: key, from: key }, before?.[key], replace)
    replaced[key] = replacement.value
    for (const generated of generatedValues(key, field)) {
      replaced[generated.key] = replacement.generated(generated, values[generated.key])
    }
  }
  return replaced
}

type ValuePlace = Pick<Spot, 'path' | 'from'>

function visit(field: Field, value: unknown, place: ValuePlace, before: unknown, replace: Replace): Replacement {
  if (field.options.localized === true) return replace({ field, ...place }, value)
  return { value: visitInside(field, value, place, before, replace), generated: (_key, stored) => stored }
}

/** A container is copied, with the localized values inside it replaced. */
function visitInside(field: Field, value: unknown, place: ValuePlace, before: unknown, replace: Replace): unknown {
  if (value === null || value === undefined || !holdsLocalized(field)) return value
  const places = Array.isArray(value) ? itemPlaces(field, value, { place, before }) : undefined
  let index = -1
  let last: Replacement | undefined
  return field.type.walk?.(value, field.options, {
    enter: (_fields, source) => {
      index += 1
      return source
    },
    value: (inner, innerValue, key) => {
      if (key === '') index += 1
      const around = places?.[index] ?? { place, before }
      last = visit(inner, innerValue, ...placeInside(around, key === '' ? [] : [key]), replace)
      return last.value
    },
    generated: (generated, copy, _source, stored) => {
      copy[generated.key] = last?.generated(generated, stored ?? null) ?? null
    },
  })
}

/** Where a value stands, and what stood there before. */
interface PlacedValue {
  readonly place: ValuePlace
  readonly before: unknown
}

function placeInside({ place: { path, from }, before }: PlacedValue, steps: readonly string[]): [ValuePlace, unknown] {
  const under = (parent: string): string => [parent, ...steps].join('/')
  const held = steps.reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), before)
  return [{ path: under(path), from: from === undefined ? undefined : under(from) }, held]
}

/** The current and the former position of each item of a list. */
function itemPlaces(
  field: Field,
  items: readonly unknown[],
  { place: { path, from }, before }: PlacedValue,
): readonly PlacedValue[] {
  const stored = Array.isArray(before) ? before : []
  const former = findFormerPlaces(field, items, stored)
  return items.map((item, index) => {
    const origin = from === undefined ? undefined : former[index]
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
