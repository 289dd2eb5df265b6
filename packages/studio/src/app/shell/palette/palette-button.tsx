import { useRouter } from '@tanstack/react-router'
import {
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { preloadable, runWhenIdle } from '../../ui/preloadable.tsx'
import { SHORTCUTS, type Shortcut } from '../../ui/shortcuts.ts'
import { useShortcuts } from './use-shortcuts.ts'

const { Component: Palette, preload } = preloadable(async () => (await import('./palette.tsx')).default)
const ShortcutList = lazy(() => import('./shortcut-list.tsx'))

/** Opens the palette by a button and by shortcuts, and the list of shortcuts. */
export function PaletteButton(): ReactNode {
  const { t } = useTexts()
  const router = useRouter()
  const [open, setOpen] = useState<'palette' | 'shortcuts'>()
  const shortcuts = useMemo<readonly Shortcut[]>(
    () => [
      { presses: SHORTCUTS.anywhere.open, run: () => setOpen('palette') },
      { presses: SHORTCUTS.anywhere.shortcuts, run: () => setOpen('shortcuts') },
      { presses: SHORTCUTS.anywhere.overview, run: () => void router.navigate({ to: '/' }) },
      { presses: SHORTCUTS.lists.toSearch, run: focusSearch },
      { presses: SHORTCUTS.lists.create, run: pressCreate },
    ],
    [router],
  )
  useShortcuts(shortcuts)
  useEffect(() => runWhenIdle(() => void preload()), [])
  const typed = useRef('')
  const close = (): void => {
    typed.current = ''
    setOpen(undefined)
  }
  return (
    <>
      <Button variant="quiet" icon="search" onPress={() => setOpen('palette')}>
        {t.palette.button}
      </Button>
      <Suspense fallback={open === 'palette' && <TypeAheadBuffer typed={typed} onClose={close} />}>
        {open === 'palette' && <Palette typed={typed} onClose={close} />}
        {open === 'shortcuts' && <ShortcutList onClose={close} />}
      </Suspense>
    </>
  )
}

const focusSearch = (): void => document.querySelector<HTMLElement>('main input[type="search"]')?.focus()

/** Links that create an entry lead to a URL that ends with `/new`. */
const pressCreate = (): void => document.querySelector<HTMLElement>('main a[href$="/new"]')?.click()

interface TypeAheadBufferProps {
  readonly typed: RefObject<string>
  readonly onClose: () => void
}

/** Collects typed text while the palette loads. */
function TypeAheadBuffer({ typed, onClose }: TypeAheadBufferProps): ReactNode {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      // Keys must not reach the focused element of the page.
      event.preventDefault()
      event.stopPropagation()
      if (event.key === 'Escape') onClose()
      else typed.current = applyKey(typed.current, event.key)
    }
    window.addEventListener('keydown', press, { capture: true })
    return () => window.removeEventListener('keydown', press, { capture: true })
  }, [typed, onClose])
  return null
}

/** Applies a key to a text; keys that produce no character change nothing. */
function applyKey(text: string, key: string): string {
  if (key === 'Backspace') return [...text].slice(0, -1).join('')
  return [...key].length === 1 ? text + key : text
}
