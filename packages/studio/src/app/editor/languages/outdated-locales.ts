import type { FieldDescription } from 'daybook'
import type { HistoryCalls } from '../history/versions.ts'
import { isSame } from '../saving/merging/same-value.ts'
import type { Values } from '../saving/saved-field.ts'
import { isTranslated, valuesInLocale } from './locale-values.ts'

/** How many versions are looked at: a source that has not changed for longer counts as unchanged. */
const MOST_VERSIONS = 12

/**
 * The languages that nobody has changed since their source last did. The service keeps no times for single languages: the versions tell it,
 * from the newest back to the last one that changed the source.
 */
export async function outdatedLocales(
  history: HistoryCalls,
  fields: readonly FieldDescription[],
  locales: readonly string[],
  source: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const translated = fields.filter(isTranslated)
  const says = (data: Values | null, locale: string): Values => valuesInLocale(translated, data ?? {}, locale)
  const { items } = await history.list({ limit: MOST_VERSIONS, cursor: null }, { signal })
  const others = new Set(locales.filter((one) => one !== source))
  let newer: Values | null | undefined
  for (const { revision } of items) {
    const { data } = await history.one(revision, { signal })
    if (newer !== undefined) {
      const after = newer
      const isChanged = (locale: string): boolean => !isSame(says(data, locale), says(after, locale))
      for (const locale of others) if (isChanged(locale)) others.delete(locale)
      if (isChanged(source)) return others
    }
    newer = data
  }
  return new Set()
}
