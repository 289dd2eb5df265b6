import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import styles from './notice.module.css'

export interface NoticeProps {
  readonly title?: string
  readonly text?: string | undefined
  readonly icon?: IconName
  /** A detail for troubleshooting, such as the id of a request. */
  readonly reference?: string | undefined
  /** Buttons and links. */
  readonly children?: ReactNode
}

/** A message in place of content that is empty, not found or failed. */
export function Notice({ title, text, icon, reference, children }: NoticeProps): ReactNode {
  return (
    <div className={styles.notice}>
      {icon && (
        <span className={styles.icon}>
          <Icon name={icon} />
        </span>
      )}
      {title !== undefined && <h2>{title}</h2>}
      {text !== undefined && <p>{text}</p>}
      {children && <div className={styles.actions}>{children}</div>}
      {reference !== undefined && <p className={styles.reference}>{reference}</p>}
    </div>
  )
}
