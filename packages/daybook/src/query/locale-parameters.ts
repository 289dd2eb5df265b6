import type { JsonSchema } from '../fields/field.ts'
import type { Violation } from '../issues.ts'
import type { LocalesModel } from '../model/model.ts'
import { enumParameter, type Parameter, type ParametersOf, textParameter } from './parameters.ts'

/** The locales that a request chooses. */
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

const NO_LOCALES: Violation = ['locale', 'leave it out: the content has no locales']

/** The schema of a parameter that accepts no value. */
export const NEVER_SCHEMA: JsonSchema = { not: {} }

/** Returns the locale parameters of a read. */
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

/** Returns the locale parameter of a write. */
export function writeLocaleParameter(locales: LocalesModel | undefined): { readonly locale: Parameter<string> } {
  return {
    locale: localeParameter('The locale to write. By default that of the config.', locales, []),
  }
}

/** Returns the locale parameter of a read in one locale only. */
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

/** Returns the parameter of one locale or all. */
function localeOrAllParameter(locales: LocalesModel | undefined): Parameter<string> {
  const description = `A configured locale, by default that of the config; "${ALL_LOCALES}", with a session, returns maps of locale to value.`
  const parameter = localeParameter(description, locales, [ALL_LOCALES])
  return locales ? { ...parameter, oneLocaleSchema: { type: 'string', enum: locales.available } } : parameter
}

/** The locale parameters of a request. */
export interface LocaleQuery {
  readonly locale?: string | undefined
  readonly fallbackLocale?: string | undefined
}
