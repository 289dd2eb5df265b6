import { type ReactNode, useMemo } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import styles from './differences.module.css'
import { type DifferencePart, diffTexts } from './text-difference.ts'

/** What a {@link Difference} takes. */
export interface DifferenceProps {
  readonly from: string
  readonly to: string
}

/** What one text has that another one has not: said to those who cannot see the colours, too. */
export function Difference({ from, to }: DifferenceProps): ReactNode {
  const { t } = useTexts()
  const parts = useMemo(() => diffTexts(from, to), [from, to])
  if (parts.length === 0) return <p className={styles.empty}>{t.history.empty}</p>
  return (
    <div className={styles.text} dir="auto">
      {parts.map((part, index) => (
        <Part key={`${part.kind}-${index.toString()}`} part={part} />
      ))}
    </div>
  )
}

function Part({ part: { kind, text } }: { readonly part: DifferencePart }): ReactNode {
  if (kind === 'added') return <ins className={styles.added}>{text}</ins>
  return kind === 'removed' ? <del className={styles.removed}>{text}</del> : <span>{text}</span>
}

/** A value as it is, beside others. */
export function PlainText({ text }: { readonly text: string }): ReactNode {
  const { t } = useTexts()
  if (text === '') return <p className={styles.empty}>{t.history.empty}</p>
  return (
    <div className={styles.text} dir="auto">
      {text}
    </div>
  )
}
