import { invalidAt } from '../errors.ts'
import type { LocalesModel } from '../model/model.ts'
import type { Params } from './params.ts'

/** In which language content is asked for. */
export interface LocaleChoice {
  /** `undefined`: the config names no locales. */
  readonly locale: string | undefined
  /** Where values are looked for, in order; `undefined`: where the config says. */
  readonly chain: readonly string[] | undefined
  /** Each localized value is answered as a map of locale to value. */
  readonly isAll: boolean
}

/** The value of `locale` that asks for every locale at once. */
const ALL = 'all'
/** The value of `fallbackLocale` that asks for none. */
const NONE = 'none'

/** Parameters that say in which language content is asked for. */
export const LOCALE_PARAMS: readonly string[] = ['locale', 'fallbackLocale']

/**
 * Reads `locale` and `fallbackLocale` of a read.
 *
 * @throws VALIDATION_ERROR when one of them is no configured locale
 */
export function readLocale(params: Params, locales: LocalesModel | undefined): LocaleChoice {
  const asked = one(params, 'locale')
  const fallback = one(params, 'fallbackLocale')
  if (asked === ALL && locales) {
    if (fallback !== undefined) throw invalidAt('fallbackLocale', 'exclusive', 'leave it out: all locales are answered')
    return { locale: locales.default, chain: undefined, isAll: true }
  }
  const locale = asked === undefined ? locales?.default : known(asked, 'locale', locales, [ALL])
  if (fallback === undefined || locale === undefined || !locales) {
    if (fallback !== undefined) known(fallback, 'fallbackLocale', locales, [NONE])
    return { locale, chain: undefined, isAll: false }
  }
  const chain = fallback === NONE ? [locale] : [locale, known(fallback, 'fallbackLocale', locales, [NONE])]
  const isConfigured = JSON.stringify(chain) === JSON.stringify(locales.chains.get(locale))
  return { locale, chain: isConfigured ? undefined : chain, isAll: false }
}

/**
 * Reads the `locale` of a write; `undefined` when the config names no locales.
 *
 * @throws VALIDATION_ERROR when it is no configured locale
 */
export function readWriteLocale(given: string | undefined, locales: LocalesModel | undefined): string | undefined {
  return given === undefined ? locales?.default : known(given, 'locale', locales, [])
}

function one(params: Params, name: string): string | undefined {
  const [value, ...more] = params.get(name) ?? []
  if (more.length > 0) throw invalidAt(name, 'repeated', 'may stand only once')
  return value
}

function known(given: string, name: string, locales: LocalesModel | undefined, others: readonly string[]): string {
  if (!locales) throw invalidAt(name, 'enum', 'leave it out: the content has no locales')
  if (locales.available.includes(given)) return given
  throw invalidAt(name, 'enum', `must be one of: ${[...locales.available, ...others].join(', ')}`)
}
