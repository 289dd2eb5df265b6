import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { useModel } from '../model/use-model.ts'
import { useSession } from '../session/use-session.ts'
import { buttonClass } from '../ui/controls/button.tsx'
import styles from './overview.module.css'

/** Links to the administration pages that the user may open. */
export function ServiceLinks(): ReactNode {
  const { t } = useTexts()
  const { identity } = useSession()
  const { plugins } = useModel()
  const canManageAccounts = identity?.provider === 'better-auth' && identity.roles.includes('admin')
  const hasWebhooks = plugins.some(({ name }) => name === 'webhooks')
  if (!canManageAccounts && !hasWebhooks) return null
  return (
    <section className={styles.section}>
      <h2>{t.overview.service}</h2>
      <div className={styles.create}>
        {canManageAccounts && (
          <>
            <Link to="/accounts" className={buttonClass()}>
              {t.overview.accounts}
            </Link>
            <Link to="/tokens" className={buttonClass()}>
              {t.overview.tokens}
            </Link>
          </>
        )}
        {hasWebhooks && (
          <Link to="/webhooks" className={buttonClass()}>
            {t.overview.webhooks}
          </Link>
        )}
      </div>
    </section>
  )
}
