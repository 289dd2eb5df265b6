import { createContext, useContext } from 'react'
import { Observable } from '../api/observable.ts'
import type { Language } from '../messages/messages.tsx'

/** What the person chose for the Studio itself. */
export interface Preferences {
  readonly theme: ThemePreference
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

/** The colours of the page. */
type Theme = 'system' | 'light' | 'dark'

const YEAR_S = 365 * 24 * 60 * 60

/** The service reads these, so that the page comes as it was chosen. */
function remember(name: 'theme' | 'language', value: string, path: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing from browsers that the build still targets
  document.cookie = `daybook-studio-${name}=${value}; Path=${path}; Max-Age=${YEAR_S}; SameSite=Lax`
}

/** The colours that are in use. */
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
    remember('theme', theme, this.#path)
    this.theme.set(theme)
  }
}

/** Notes the language for the next page. */
export const rememberLanguage = (language: Language, path: string): void => remember('language', language, path)
