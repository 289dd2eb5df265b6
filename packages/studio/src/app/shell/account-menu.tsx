import type { ReactNode } from 'react'
import { LANGUAGES, useTexts } from '../messages/messages.tsx'
import { signOut } from '../session/sign-out.ts'
import { personName, useSession } from '../session/use-session.ts'
import { errorText } from '../talk/error-texts.ts'
import { useObservable } from '../talk/observable.ts'
import { useStudio } from '../talk/studio.ts'
import { MenuButton, MenuChoice, MenuItem } from '../ui/overlays/menu.tsx'
import { useToast } from '../ui/overlays/toasts.tsx'
import { usePreferences } from './preferences.ts'

/** Who is signed in, what they chose for the Studio, and the way out. */
export function AccountMenu(): ReactNode {
  const studio = useStudio()
  const session = useSession()
  const { t, language } = useTexts()
  const { theme, chooseLanguage } = usePreferences()
  const present = useObservable(theme.theme)
  const toast = useToast()
  const { themes } = t.shell
  const leave = (): void => {
    signOut(studio).catch((error: unknown) => toast({ kind: 'failed', text: errorText(error, t) }))
  }
  return (
    <MenuButton label={personName(session) || t.shell.account} icon="account">
      <MenuChoice
        title={t.shell.theme}
        value={present}
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
