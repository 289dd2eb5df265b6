import type { JsonSchema } from '../fields/field.ts'
import type { Violation } from '../issues.ts'
import type { LocalesModel } from '../model/model.ts'
import { enumParameter, type Parameter, type ParametersOf, textParameter } from './parameters.ts'

/** In which language content is asked for. */
export interface LocaleChoice {
  /** `undefined`: the config names no locales. */
  readonly locale: string | undefined
  /** Where values are looked for, in order; `undefined`: where the config says. */
  readonly chain: readonly string[] | undefined
  /** Each localized value is answered as a map of locale to value. */
  readonly isAll: boolean
}

/** The value of `locale` for all locales at once. */
export const ALL_LOCALES = 'all'
/** The value of `fallbackLocale` for no fallback. */
export const NO_FALLBACK = 'none'

const NO_LOCALES: Violation = ['locale', 'leave it out: the content has no locales']

/** The schema of a parameter that no value fits. */
export const NEVER_SCHEMA: JsonSchema = { not: {} }

/** Parameters that say in which language content is asked for. */
export function localeParameters(
  locales: LocalesModel | undefined,
): ParametersOf<{ locale: string; fallbackLocale: string }> {
  return {
    locale: readParameter(locales),
    fallbackLocale: localeParameter(
      `Where a value is looked for that the locale does not have, by default where the config says; "${NO_FALLBACK}" turns that off.`,
      locales,
      [NO_FALLBACK],
    ),
  }
}

/** The locale that is written, the one parameter that a write takes. */
export function writeLocaleParameter(locales: LocalesModel | undefined): { readonly locale: Parameter<string> } {
  return {
    locale: localeParameter("The locale that is written; the config's default, where none is named.", locales, []),
  }
}

/** The one locale that is read, of what is shown in one language alone. */
export function readLocaleParameter(locales: LocalesModel | undefined): { readonly locale: Parameter<string> } {
  return { locale: localeParameter("The locale that is read; the config's default, where none is named.", locales, []) }
}

function localeParameter(
  description: string,
  locales: LocalesModel | undefined,
  others: readonly string[],
): Parameter<string> {
  if (!locales) return textParameter(description, NEVER_SCHEMA, () => NO_LOCALES)
  return enumParameter(description, [...locales.available, ...others])
}

/** A locale to read, or all of them. */
function readParameter(locales: LocalesModel | undefined): Parameter<string> {
  const description = `A configured locale, by default the config's; "${ALL_LOCALES}", with a session, answers maps of locale to value.`
  const parameter = localeParameter(description, locales, [ALL_LOCALES])
  return locales ? { ...parameter, oneLocaleSchema: { type: 'string', enum: locales.available } } : parameter
}

/** The locale parameters of a request. */
export interface LocaleQuery {
  readonly locale?: string | undefined
  readonly fallbackLocale?: string | undefined
}
