import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { ASSETS, getCreateText } from '../model/studio-model.ts'
import { useModel } from '../model/use-model.ts'
import { useSession } from '../session/use-session.ts'
import { Page } from '../shell/page.tsx'
import { getButtonClass } from '../ui/controls/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './overview.module.css'
import { MyDrafts, RecentChanges, Scheduled } from './overview-lists.tsx'

const ServiceMetrics = lazy(async () => ({ default: (await import('./service-metrics.tsx')).ServiceMetrics }))

/** The maximum number of buttons that create an entry. */
const MAX_CREATE = 6

/** The start page, with recent changes, drafts, schedules and all collections. */
export function OverviewPage(): ReactNode {
  const { collections, globals } = useModel()
  const { t } = useTexts()
  const { identity } = useSession()
  const canSeeMetrics = identity?.actorType === 'service' || identity?.roles.includes('admin')
  const isEmpty = collections.size + globals.size === 0
  return (
    <Page title={t.overview.title} isWide>
      {isEmpty && <Notice title={t.overview.none} text={t.overview.noneText} />}
      {!isEmpty && (
        <>
          <CreateLinks />
          <div className={styles.columns}>
            <div className={styles.column}>
              <RecentChanges />
            </div>
            <div className={styles.column}>
              <MyDrafts />
              <Scheduled />
              <ContentLinks />
            </div>
          </div>
        </>
      )}
      {canSeeMetrics && (
        <Suspense>
          <ServiceMetrics />
        </Suspense>
      )}
    </Page>
  )
}

function CreateLinks(): ReactNode {
  const { collections } = useModel()
  const { t } = useTexts()
  const creatable = [...collections.values()].filter(
    ({ key, permissions }) => key !== ASSETS && permissions.create !== false,
  )
  if (creatable.length === 0) return null
  return (
    <section className={styles.create} aria-label={t.overview.create}>
      {creatable.slice(0, MAX_CREATE).map((collection) => (
        <Link
          key={collection.key}
          to="/c/$collection/$id"
          params={{ collection: collection.key, id: 'new' }}
          className={getButtonClass()}
        >
          <Icon name="plus" />
          {getCreateText(collection, t)}
        </Link>
      ))}
    </section>
  )
}

function ContentLinks(): ReactNode {
  const { collections, globals } = useModel()
  const { t } = useTexts()
  return (
    <section className={styles.section}>
      <h2>{t.overview.content}</h2>
      <ul className={styles.rows}>
        {[...collections.values()].map(({ key, label, description }) => (
          <li key={key} className={styles.row}>
            <Link to="/c/$collection" params={{ collection: key }} className={styles.name}>
              {key === ASSETS ? t.assets.title : label}
            </Link>
            {description !== undefined && <p className={styles.note}>{description}</p>}
          </li>
        ))}
        {[...globals.values()].map(({ key, label, description }) => (
          <li key={key} className={styles.row}>
            <Link to="/g/$global" params={{ global: key }} className={styles.name}>
              {label}
            </Link>
            {description !== undefined && <p className={styles.note}>{description}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}
