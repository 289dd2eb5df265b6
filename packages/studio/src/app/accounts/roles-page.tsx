import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAdministrationTexts } from '../messages/messages.tsx'
import { ErrorNotice, Page } from '../shell/page.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import styles from './accounts.module.css'
import { type Account, parseRoles } from './accounts-api.ts'
import { useAllAccounts } from './use-all-accounts.ts'

/** The roles that accounts have, with these accounts. The rules that read them are code of the config. */
export function RolesPage(): ReactNode {
  const { t } = useAdministrationTexts()
  const { data, error, refetch, isPending } = useAllAccounts()
  const roles = groupByRole(data?.users ?? [])
  return (
    <Page title={t.administration.roles}>
      <p className={styles.note}>{t.roles.text}</p>
      {isPending && <LoadingPlaceholder label={t.common.loading} />}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <ul className={styles.list}>
        {roles.map(([role, accounts]) => (
          <li key={role} className={styles.row}>
            <div className={styles.who}>
              <p className={styles.name}>{role}</p>
              <p className={styles.note}>
                {t.roles.accounts(accounts.length)}: {accounts.map(({ name }) => name).join(', ')}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {data && data.total > data.users.length && <p className={styles.note}>{t.roles.first(data.users.length)}</p>}
      <p>
        <Link to="/accounts">{t.roles.change}</Link>
      </p>
    </Page>
  )
}

function groupByRole(accounts: readonly Account[]): readonly (readonly [role: string, accounts: readonly Account[]])[] {
  const pairs = accounts.flatMap((account) => parseRoles(account.role).map((role) => ({ role, account })))
  return [...Map.groupBy(pairs, ({ role }) => role)]
    .map(([role, group]) => [role, group.map(({ account }) => account)] as const)
    .sort(([a], [b]) => a.localeCompare(b))
}
