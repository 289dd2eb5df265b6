import type { FieldDescription } from 'daybook'
import { valueText } from '../differences/value-text.ts'
import { isEmpty } from './locale-values.ts'
import type { Languages } from './use-languages.ts'

/** What readers see of a field that has no value in the language that is edited. */
export interface Fallback {
  /** The language that it comes from. */
  readonly locale: string
  /** The beginning of it. */
  readonly text: string
}

/** How much of a value is shown, in characters. */
const MOST = 120

/** What readers see of a field instead; `undefined`: it has a value, or no language has one. */
export function fallbackOf(
  field: FieldDescription,
  { locale, fallbacks, valuesIn }: Pick<Languages, 'locale' | 'fallbacks' | 'valuesIn'>,
): Fallback | undefined {
  if (!field.localized || !isEmpty(valuesIn(locale)?.[field.key])) return undefined
  const from = fallbacks.find((one) => !isEmpty(valuesIn(one)?.[field.key]))
  if (from === undefined) return undefined
  const text = valueText(valuesIn(from)?.[field.key], field)
  return { locale: from, text: text.length > MOST ? `${text.slice(0, MOST)} …` : text }
}
