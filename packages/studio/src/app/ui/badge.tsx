import type { ReactNode } from 'react'
import styles from './badge.module.css'

/** What a badge says of a state, by its colour. */
export type BadgeTone = 'neutral' | 'good' | 'waiting'

/** A word about the state of something. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: BadgeTone
  readonly children: ReactNode
}): ReactNode {
  return <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>
}
