import type { ReactNode } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useObservable } from '../api/observable.ts'
import { type Studio, useStudio } from '../api/studio.ts'
import { LANGUAGES, useTexts } from '../messages/messages.tsx'
import { getUserName, useSession } from '../session/use-session.ts'
import { MenuButton, MenuChoice, MenuItem } from '../ui/overlays/menu.tsx'
import { useToast } from '../ui/overlays/toasts.tsx'
import { usePreferences } from './preferences.ts'

/** The menu of the user, with preferences and signing out. */
export function AccountMenu(): ReactNode {
  const studio = useStudio()
  const session = useSession()
  const { t, language } = useTexts()
  const { theme, chooseLanguage } = usePreferences()
  const currentTheme = useObservable(theme.theme)
  const toast = useToast()
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
