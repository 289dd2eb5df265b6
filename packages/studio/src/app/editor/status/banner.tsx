import type { ReactNode } from 'react'
import { Icon, type IconName } from '../../ui/icon.tsx'
import styles from './status.module.css'

/** How urgent a banner is. */
export type BannerTone = 'waiting' | 'failed' | 'told'

const ICONS: Readonly<Record<BannerTone, IconName>> = { waiting: 'warning', failed: 'warning', told: 'account' }

/** What a {@link Banner} takes. */
export interface BannerProps {
  readonly tone: BannerTone
  readonly text: ReactNode
  /** What can be done about it. */
  readonly children?: ReactNode
}

/** A sentence about the whole document, above its fields. */
export const Banner = ({ tone, text, children }: BannerProps): ReactNode => (
  <div className={`${styles.banner} ${styles[tone]}`}>
    <Icon name={ICONS[tone]} />
    <div className={styles.said}>{text}</div>
    {children && <div className={styles.actions}>{children}</div>}
  </div>
)
