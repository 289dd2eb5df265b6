import type { ReactNode } from 'react'
import styles from './badge.module.css'

export type BadgeTone = 'neutral' | 'good' | 'waiting'

export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: BadgeTone
  readonly children: ReactNode
}): ReactNode {
  return <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>
}
