import type { Language } from '../messages/messages.tsx'
import { Observable } from '../talk/observable.ts'

/** The colours of the page. */
export type Theme = 'system' | 'light' | 'dark'

const YEAR_S = 365 * 24 * 60 * 60

/** The service reads these, so that the page comes as it was chosen. */
function remember(name: 'theme' | 'language', value: string, path: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing from browsers that the build still targets
  document.cookie = `daybook-studio-${name}=${value}; Path=${path}; Max-Age=${YEAR_S}; SameSite=Lax`
}

/** The colours that are in use. */
export class ThemeChoice {
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
