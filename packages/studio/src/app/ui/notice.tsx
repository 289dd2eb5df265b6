import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import styles from './notice.module.css'

/** What a {@link Notice} takes. */
export interface NoticeProps {
  /** Absent: the text alone says it. */
  readonly title?: string
  readonly text?: string | undefined
  readonly icon?: IconName
  /** What only those need who look into it, such as the name of a request. */
  readonly reference?: string | undefined
  /** Buttons and links. */
  readonly children?: ReactNode
}

/** What stands in the place of content: there is none yet, it was not found, or something went wrong. */
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
