import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { valueText } from '../differences/value-text.ts'
import styles from './languages.module.css'
import { isEmpty } from './locale-values.ts'
import type { SourceValueProps } from './source-value.tsx'
import { useLocaleName } from './use-locale-name.ts'

/** What readers see of a field that has no value in this language. */
export function FallbackHint({ field, languages }: Omit<SourceValueProps, 'onCopy'>): ReactNode {
  const { t } = useTexts()
  const nameOf = useLocaleName()
  const { locale, fallbacks, valuesIn } = languages
  if (!field.localized || !isEmpty(valuesIn(locale)?.[field.key])) return null
  const from = fallbacks.find((one) => !isEmpty(valuesIn(one)?.[field.key]))
  if (from === undefined) return null
  return (
    <p className={styles.hint}>
      {t.languages.readersSee(nameOf(from))}{' '}
      <q lang={from}>{shortened(valueText(valuesIn(from)?.[field.key], field))}</q>
    </p>
  )
}

/** How much of a value is hinted at. */
const HINT_LENGTH = 120

const shortened = (text: string): string => (text.length > HINT_LENGTH ? `${text.slice(0, HINT_LENGTH)} …` : text)
