import { Outlet, useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { followChanges } from '../api/live-changes.ts'
import { useObservable } from '../api/observable.ts'
import { type Studio, useStudio } from '../api/studio.ts'
import { LANGUAGES, useTexts } from '../messages/messages.tsx'
import { SessionGate } from '../session/session-gate.tsx'
import { getUserName, useSession } from '../session/use-session.ts'
import { IconButton } from '../ui/controls/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Icon } from '../ui/icon.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { Drawer } from '../ui/overlays/dialog.tsx'
import { MenuButton, MenuChoice, MenuItem } from '../ui/overlays/menu.tsx'
import { ToastProvider, useToast } from '../ui/overlays/toasts.tsx'
import { PageActions } from '../ui/page-actions.tsx'
import { Navigation } from './navigation.tsx'
import { StudioErrorPage } from './page.tsx'
import { PaletteButton } from './palette/palette-button.tsx'
import { useRecentEntries } from './palette/recent-entries.ts'
import { usePreferences } from './preferences.ts'
import styles from './shell.module.css'

export function Shell(): ReactNode {
  const { t } = useTexts()
  const renderError = (error: unknown, retry: () => void): ReactNode => (
    <StudioErrorPage error={error} onRetry={retry} />
  )
  return (
    <ToastProvider closeLabel={t.common.close}>
      <ErrorBoundary fallback={renderError}>
        <Suspense fallback={<LoadingPlaceholder label={t.common.loading} />}>
          <SessionGate>
            <Frame />
          </SessionGate>
        </Suspense>
      </ErrorBoundary>
    </ToastProvider>
  )
}

/** The id of the content, to which the skip link leads. */
const MAIN_ID = 'content'

function Frame(): ReactNode {
  const { t } = useTexts()
  const [isOpen, setIsOpen] = useState(false)
  useLiveChanges()
  useRecentEntries()
  const close = (): void => setIsOpen(false)
  return (
    <div className={styles.frame}>
      <a href={`#${MAIN_ID}`} className={styles.skip} onClick={skip}>
        {t.shell.skip}
      </a>
      <aside className={styles.sidebar}>
        <Navigation />
      </aside>
      <header className={styles.bar}>
        <div className={styles.opener}>
          <IconButton icon="menu" label={t.shell.openNavigation} onPress={() => setIsOpen(true)} />
        </div>
        <PaletteButton />
        <PageActions>
          <AccountMenu />
        </PageActions>
      </header>
      <Drawer label={t.shell.navigation} isOpen={isOpen} onClose={close}>
        <Navigation onGo={close} />
      </Drawer>
      <main id={MAIN_ID} tabIndex={-1} className={styles.main}>
        <UnreachableBanner />
        <Suspense fallback={<LoadingPlaceholder label={t.common.loading} />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  )
}

/** Moves the focus without changing the URL, which identifies the view. */
function skip(event: { preventDefault(): void }): void {
  event.preventDefault()
  document.getElementById(MAIN_ID)?.focus()
}

/** A banner that is shown while the service is unreachable. */
function UnreachableBanner(): ReactNode {
  const { connection } = useStudio()
  const { t } = useTexts()
  const isUnreachable = useObservable(connection.isUnreachable)
  return (
    <div role="status">
      {isUnreachable && (
        <p className={styles.away}>
          <Icon name="warning" />
          <span>{t.shell.unreachable}</span>
        </p>
      )}
    </div>
  )
}

function useLiveChanges(): void {
  const { client, queries, connection, changes } = useStudio()
  useEffect(() => {
    const controller = new AbortController()
    followChanges(client, queries, changes, controller.signal).catch((error: unknown) => connection.noteError(error))
    return () => controller.abort()
  }, [client, queries, connection, changes])
}

function AccountMenu(): ReactNode {
  const studio = useStudio()
  const session = useSession()
  const { t, language } = useTexts()
  const { theme, chooseLanguage } = usePreferences()
  const currentTheme = useObservable(theme.theme)
  const toast = useToast()
  const navigate = useNavigate()
  const { themes } = t.shell
  const leave = (): void => {
    signOut(studio).catch((error: unknown) => toast({ kind: 'failed', text: getErrorText(error, t) }))
  }
  return (
    <MenuButton label={getUserName(session) || t.shell.account} icon="account">
      <MenuChoice
        title={t.shell.theme}
        value={currentTheme}
        options={[
          { id: 'system', label: themes.system },
          { id: 'light', label: themes.light },
          { id: 'dark', label: themes.dark },
        ]}
        onChange={theme.choose}
      />
      <MenuChoice title={t.shell.language} value={language} options={LANGUAGES} onChange={chooseLanguage} />
      <MenuItem onAction={() => void navigate({ to: '/profile' })}>{t.administration.profile}</MenuItem>
      <MenuItem onAction={leave}>{t.shell.signOut}</MenuItem>
    </MenuButton>
  )
}

/** Ends the session, and reloads the page without its cached responses. */
async function signOut({ client, token, settings }: Studio): Promise<void> {
  // A pasted token has no session.
  if (token.get() === undefined) await client.auth.logout()
  token.set(undefined)
  location.assign(settings.path)
}
