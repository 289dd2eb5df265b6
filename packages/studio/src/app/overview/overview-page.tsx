import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { useModel } from '../model/use-model.ts'
import { Page } from '../shell/page.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './overview.module.css'

/** Where everything begins. */
export function OverviewPage(): ReactNode {
  const { collections, globals } = useModel()
  const { t } = useTexts()
  const isEmpty = collections.size + globals.size === 0
  return (
    <Page title={t.overview.title}>
      {isEmpty && <Notice title={t.overview.none} text={t.overview.noneText} />}
      <ul className={styles.list}>
        {[...collections.values()].map(({ key, label, description }) => (
          <li key={key} className={styles.item}>
            <Link to="/c/$collection" params={{ collection: key }} className={styles.link}>
              {label}
            </Link>
            {description !== undefined && <p>{description}</p>}
          </li>
        ))}
        {[...globals.values()].map(({ key, label, description }) => (
          <li key={key} className={styles.item}>
            <Link to="/g/$global" params={{ global: key }} className={styles.link}>
              {label}
            </Link>
            {description !== undefined && <p>{description}</p>}
          </li>
        ))}
      </ul>
    </Page>
  )
}
