import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { ASSETS } from '../model/studio-model.ts'
import { useModel } from '../model/use-model.ts'
import { useAdministrationPages } from '../session/use-administration.ts'
import { SearchField } from '../ui/controls/search-field.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './shell.module.css'

/** The number of collections and globals from which on there is a search field. */
const SEARCH_THRESHOLD = 15

export function Navigation({ onGo }: { readonly onGo?: () => void }): ReactNode {
  const { settings } = useStudio()
  const { collections, globals } = useModel()
  const { t } = useTexts()
  const [text, setText] = useState('')
  const matches = ({ label }: { readonly label: string }): boolean =>
    label.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase())
  const shownCollections = [...collections.values()].filter(
    (collection) => collection.key !== ASSETS && matches(collection),
  )
  const shownGlobals = [...globals.values()].filter(matches)
  const go = onGo ? { onClick: onGo } : {}
  return (
    <nav className={styles.navigation} aria-label={t.shell.navigation}>
      <Link to="/" className={styles.brand} activeOptions={{ exact: true }} {...go}>
        {settings.logo !== undefined && <img src={settings.logo} alt="" className={styles.logo} />}
        <span>{settings.title}</span>
      </Link>
      <Link to="/" className={styles.link} activeOptions={{ exact: true }} {...go}>
        <Icon name="home" />
        <span>{t.shell.overview}</span>
      </Link>
      {collections.has(ASSETS) && (
        <Link to="/assets" className={styles.link} {...go}>
          <Icon name="image" />
          <span>{t.assets.navigation}</span>
        </Link>
      )}
      {collections.size + globals.size >= SEARCH_THRESHOLD && (
        <SearchField label={t.palette.filter} value={text} onChange={setText} />
      )}
      <Group title={t.shell.collections} isShown={shownCollections.length > 0}>
        {shownCollections.map(({ key, label }) => (
          <li key={key}>
            <Link to="/c/$collection" params={{ collection: key }} className={styles.link} {...go}>
              <Icon name="collection" />
              <span>{label}</span>
            </Link>
          </li>
        ))}
      </Group>
      <Group title={t.shell.globals} isShown={shownGlobals.length > 0}>
        {shownGlobals.map(({ key, label }) => (
          <li key={key}>
            <Link to="/g/$global" params={{ global: key }} className={styles.link} {...go}>
              <Icon name="global" />
              <span>{label}</span>
            </Link>
          </li>
        ))}
      </Group>
      <AdministrationLinks {...(onGo ? { onGo } : {})} />
    </nav>
  )
}

/** The pages of administration that the user may open. */
function AdministrationLinks({ onGo }: { readonly onGo?: () => void }): ReactNode {
  const { t } = useTexts()
  const shown = useAdministrationPages()
  return (
    <Group title={t.administration.title} isShown={shown.length > 0}>
      {shown.map(({ to, label, icon }) => (
        <li key={to}>
          <Link to={to} className={styles.link} {...(onGo ? { onClick: onGo } : {})}>
            <Icon name={icon} />
            <span>{label}</span>
          </Link>
        </li>
      ))}
    </Group>
  )
}

interface GroupProps {
  readonly title: string
  readonly isShown: boolean
  readonly children: ReactNode
}

const Group = ({ title, isShown, children }: GroupProps): ReactNode =>
  isShown && (
    <section className={styles.group} aria-label={title}>
      <p className={styles.groupTitle}>{title}</p>
      <ul>{children}</ul>
    </section>
  )
