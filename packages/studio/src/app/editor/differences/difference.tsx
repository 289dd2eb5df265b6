import { type ReactNode, useMemo } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import styles from './differences.module.css'
import { type DifferencePart, diffTexts } from './text-difference.ts'

export interface DifferenceProps {
  readonly from: string
  readonly to: string
}

/** The difference between two texts, marked by `ins` and `del` so that it does not depend on colours. */
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

/** A text without marks, to show beside differences. */
export function PlainText({ text }: { readonly text: string }): ReactNode {
  const { t } = useTexts()
  if (text === '') return <p className={styles.empty}>{t.history.empty}</p>
  return (
    <div className={styles.text} dir="auto">
      {text}
    </div>
  )
}
