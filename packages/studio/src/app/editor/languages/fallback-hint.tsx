import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { fallbackOf } from './fallback-of.ts'
import styles from './languages.module.css'
import type { SourceValueProps } from './source-value.tsx'
import { useLocaleName } from './use-locale-name.ts'

/** What a {@link FallbackHint} takes. */
export interface FallbackHintProps extends Omit<SourceValueProps, 'onCopy'> {
  /** Whether the field itself shows the value, as its placeholder. */
  readonly isShown: boolean
}

/** What readers see of a field that has no value in this language. */
export function FallbackHint({ field, languages, isShown }: FallbackHintProps): ReactNode {
  const { t } = useTexts()
  const nameOf = useLocaleName()
  const fallback = fallbackOf(field, languages)
  if (!fallback) return null
  const { locale, text } = fallback
  if (isShown) return <p className={styles.hint}>{t.languages.readersSeeIt(nameOf(locale))}</p>
  return (
    <p className={styles.hint}>
      {t.languages.readersSee(nameOf(locale))} <q lang={locale}>{text}</q>
    </p>
  )
}
