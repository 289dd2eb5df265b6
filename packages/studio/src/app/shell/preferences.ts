import { createContext, useContext } from 'react'
import { Observable } from '../api/observable.ts'
import type { Language } from '../messages/messages.tsx'

export interface Preferences {
  readonly theme: ThemePreference
  readonly chooseLanguage: (language: Language) => void
}

/** Provides {@link usePreferences}. */
export const PreferencesContext = createContext<Preferences | undefined>(undefined)

export function usePreferences(): Preferences {
  const preferences = useContext(PreferencesContext)
  if (!preferences) throw new Error('usePreferences belongs inside PreferencesContext')
  return preferences
}

export type Theme = 'system' | 'light' | 'dark'

const YEAR_S = 365 * 24 * 60 * 60

/** Stores a preference in a cookie, which the server reads when it renders the page. */
function setPreferenceCookie(name: 'theme' | 'language', value: string, path: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing from browsers that the build still targets
  document.cookie = `daybook-studio-${name}=${value}; Path=${path}; Max-Age=${YEAR_S}; SameSite=Lax`
}

export class ThemePreference {
  readonly theme: Observable<Theme>
  readonly #path: string

  constructor(path: string) {
    this.#path = path
    const { theme } = document.documentElement.dataset
    this.theme = new Observable(theme === 'light' || theme === 'dark' ? theme : 'system')
  }

  readonly choose = (theme: Theme): void => {
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    setPreferenceCookie('theme', theme, this.#path)
    this.theme.set(theme)
  }
}

/** Stores the language for the next visit. */
export const rememberLanguage = (language: Language, path: string): void =>
  setPreferenceCookie('language', language, path)
