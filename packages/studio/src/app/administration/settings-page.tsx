import type { ReactNode } from 'react'
import { useStudio } from '../api/studio.ts'
import { useAdministrationTexts } from '../messages/messages.tsx'
import { type ServiceSettings, useAdministration } from '../session/use-administration.ts'
import { Page } from '../shell/page.tsx'
import styles from './administration.module.css'

/** The settings of the service, as its config says. */
export function SettingsPage(): ReactNode {
  const { t } = useAdministrationTexts()
  const { settings } = useAdministration()
  return (
    <Page title={t.administration.settings}>
      <p className={styles.note}>{settings === undefined ? t.settings.forOperators : t.settings.text}</p>
      {settings && <Facts settings={settings} />}
    </Page>
  )
}

function Facts({ settings }: { readonly settings: ServiceSettings }): ReactNode {
  const { t } = useAdministrationTexts()
  const { settings: studio } = useStudio()
  const { version, database, storage, locales, plugins, provider, actions, retention } = settings
  const { versions, days } = retention
  const list = (names: readonly string[]): string => (names.length === 0 ? t.settings.none : names.join(', '))
  const signIn = actions.includes('register')
    ? t.settings.registers
    : actions.includes('login')
      ? t.settings.signsIn
      : t.settings.elsewhere
  const facts: readonly (readonly [name: string, value: string])[] = [
    [t.settings.title, studio.title],
    [t.settings.version, version],
    [t.settings.database, t.settings.databases[database]],
    [t.settings.storage, t.settings.storages[storage]],
    [t.settings.locales, locales.length === 0 ? t.settings.oneLocale : list(locales)],
    [t.settings.plugins, list(plugins)],
    [t.settings.auth, provider],
    [t.settings.signIn, signIn],
    [t.settings.retention, t.settings.kept(versions, days)],
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name} className={styles.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
