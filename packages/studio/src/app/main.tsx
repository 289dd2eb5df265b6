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

async function start(element: Element, showFailure: (error: unknown) => void): Promise<void> {
  const settings = readSettings()
  const firstTexts = await loadTexts(getPageLanguage())
  const parts = {
    studio: makeStudio(settings),
    theme: new ThemePreference(settings.path),
    router: makeRouter(settings.path),
  }
  const root = createRoot(element, { onUncaughtError: showFailure })
  root.render(<App {...parts} firstTexts={firstTexts} />)
}

/** Returns a function that shows the message of the page for a failed start, which React removes with its first render. */
function makeFailureDisplay(element: Element): (error: unknown) => void {
  const message = element.querySelector<HTMLElement>('.not-started')
  return (error) => {
    console.error(error)
    if (!message) return
    message.dataset.failed = ''
    element.replaceChildren(message)
  }
}

const root = document.getElementById('studio')
if (root) {
  const showFailure = makeFailureDisplay(root)
  start(root, showFailure).catch(showFailure)
}
