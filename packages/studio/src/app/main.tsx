import './ui/styles/tokens.css'
import './ui/styles/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, StrictMode, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { makeStudio, readSettings, type Studio, StudioContext } from './api/studio.ts'
import { getPageLanguage, type Language, loadTexts, type Texts, TextsProvider } from './messages/messages.tsx'
import { makeRouter } from './routes.tsx'
import { type Preferences, PreferencesContext, rememberLanguage, ThemePreference } from './shell/preferences.ts'

interface AppProps {
  readonly studio: Studio
  readonly theme: ThemePreference
  readonly router: ReturnType<typeof makeRouter>
  /** The texts of the first render. */
  readonly firstTexts: Texts
}

function App({ studio, theme, router, firstTexts }: AppProps): ReactNode {
  const [texts, setTexts] = useState(firstTexts)
  const preferences = useMemo<Preferences>(() => {
    const chooseLanguage = (language: Language): void => {
      rememberLanguage(language, studio.settings.path)
      document.documentElement.lang = language
      void loadTexts(language).then(setTexts)
    }
    return { theme, chooseLanguage }
  }, [studio, theme])
  return (
    <StrictMode>
      <StudioContext value={studio}>
        <PreferencesContext value={preferences}>
          <TextsProvider texts={texts}>
            <QueryClientProvider client={studio.queries}>
              <RouterProvider router={router} />
            </QueryClientProvider>
          </TextsProvider>
        </PreferencesContext>
      </StudioContext>
    </StrictMode>
  )
}

async function start(element: Element): Promise<void> {
  const settings = readSettings()
  const firstTexts = await loadTexts(getPageLanguage())
  const parts = {
    studio: makeStudio(settings),
    theme: new ThemePreference(settings.path),
    router: makeRouter(settings.path),
  }
  const root = createRoot(element, { onUncaughtError: (error) => showFailure(element, error) })
  root.render(<App {...parts} firstTexts={firstTexts} />)
}

/** The message of a failed start. It is not a translated text, since the translations may have failed to load. */
const FAILURES: Readonly<Record<Language, readonly [title: string, advice: string]>> = {
  en: [
    'The Studio could not start',
    'Reload the page. If that does not help, try another browser, and send the operators of this service the messages of its console.',
  ],
  de: [
    'Das Studio konnte nicht gestartet werden',
    'Laden Sie die Seite neu. Hilft das nicht, versuchen Sie es mit einem anderen Browser, und teilen Sie den Betreibern mit, was dessen Konsole meldet.',
  ],
}

function showFailure(element: Element, error: unknown): void {
  console.error(error)
  const [title, advice] = FAILURES[getPageLanguage()]
  const [heading, text] = [document.createElement('h1'), document.createElement('p')]
  heading.textContent = title
  text.textContent = advice
  const message = document.createElement('main')
  message.append(heading, text)
  element.replaceChildren(message)
}

const root = document.getElementById('studio')
if (root) start(root).catch((error) => showFailure(root, error))
