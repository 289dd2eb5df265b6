import { createContext, useContext } from 'react'
import type { Language } from '../messages/messages.tsx'
import type { ThemeChoice } from '../session/choices.ts'

/** What the person chose for the Studio itself. */
export interface Preferences {
  readonly theme: ThemeChoice
  readonly chooseLanguage: (language: Language) => void
}

/** Gives {@link usePreferences} to all below. */
export const PreferencesContext = createContext<Preferences | undefined>(undefined)

/** What the person chose for the Studio itself, and how to change that. */
export function usePreferences(): Preferences {
  const preferences = useContext(PreferencesContext)
  if (!preferences) throw new Error('usePreferences belongs inside PreferencesContext')
  return preferences
}
