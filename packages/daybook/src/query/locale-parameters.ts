import type { JsonSchema } from '../fields/field.ts'
import type { Violation } from '../issues.ts'
import type { LocalesModel } from '../model/model.ts'
import { enumParameter, type Parameter, type ParametersOf, textParameter } from './parameters.ts'

export interface LocaleChoice {
  /** `undefined` if the config has no locales. */
  readonly locale: string | undefined
  /** The fallback chain; `undefined` for that of the config. */
  readonly chain: readonly string[] | undefined
  /** True if localized values are returned as maps of locale to value. */
  readonly isAll: boolean
}

/** The value of `locale` for all locales. */
export const ALL_LOCALES = 'all'
/** The value of `fallbackLocale` for no fallback. */
export const NO_FALLBACK = 'none'

const NO_LOCALES: Violation = ['locale', 'is not allowed, because the content has no locales. Leave it out.']

/** The schema of a parameter that accepts no value. */
export const NEVER_SCHEMA: JsonSchema = { not: {} }

export function localeParameters(
  locales: LocalesModel | undefined,
): ParametersOf<{ locale: string; fallbackLocale: string }> {
  return {
    locale: localeOrAllParameter(locales),
    fallbackLocale: localeParameter(
      `The locale of values that the requested one does not have. By default that of the config; "${NO_FALLBACK}" turns fallback off.`,
      locales,
      [NO_FALLBACK],
    ),
  }
}

export function writeLocaleParameter(locales: LocalesModel | undefined): { readonly locale: Parameter<string> } {
  return {
    locale: localeParameter('The locale to write. By default that of the config.', locales, []),
  }
}

export function readLocaleParameter(locales: LocalesModel | undefined): { readonly locale: Parameter<string> } {
  return { locale: localeParameter('The locale to read. By default that of the config.', locales, []) }
}

function localeParameter(
  description: string,
  locales: LocalesModel | undefined,
  specialValues: readonly string[],
): Parameter<string> {
  if (!locales) return textParameter(description, NEVER_SCHEMA, () => NO_LOCALES)
  return enumParameter(description, [...locales.available, ...specialValues])
}

function localeOrAllParameter(locales: LocalesModel | undefined): Parameter<string> {
  const description = `A configured locale, by default that of the config; "${ALL_LOCALES}", with a session, returns maps of locale to value.`
  const parameter = localeParameter(description, locales, [ALL_LOCALES])
  return locales ? { ...parameter, oneLocaleSchema: { type: 'string', enum: locales.available } } : parameter
}

export interface LocaleQuery {
  readonly locale?: string | undefined
  readonly fallbackLocale?: string | undefined
}
