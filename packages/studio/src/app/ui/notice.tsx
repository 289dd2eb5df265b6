import type { ReactNode } from 'react'
import styles from './notice.module.css'

/** What a {@link Notice} takes. */
export interface NoticeProps {
  readonly title: string
  readonly text?: string | undefined
  /** Buttons and links. */
  readonly children?: ReactNode
}

/** What stands in the place of content: there is none yet, it was not found, or something went wrong. */
export function Notice({ title, text, children }: NoticeProps): ReactNode {
  return (
    <div className={styles.notice}>
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  )
}
