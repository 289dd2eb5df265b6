import { useRouter } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { preloadable } from '../../ui/preloadable.tsx'
import { SHORTCUTS } from '../../ui/shortcuts.ts'
import { whenIdle } from '../../ui/when-idle.ts'
import type { Shortcut } from './shortcut-of.ts'
import { useShortcuts } from './shortcuts.ts'
import { TypedAhead } from './typed-ahead.tsx'

const { Component: Palette, preload } = preloadable(async () => (await import('./palette.tsx')).default)
const ShortcutList = lazy(() => import('./shortcut-list.tsx'))

/** The way to everything: the palette, by a button and by its keys; and the list of all keys. */
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
  useEffect(() => whenIdle(() => void preload()), [])
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
      <Suspense fallback={open === 'palette' && <TypedAhead typed={typed} onClose={close} />}>
        {open === 'palette' && <Palette typed={typed} onClose={close} />}
        {open === 'shortcuts' && <ShortcutList onClose={close} />}
      </Suspense>
    </>
  )
}

const focusSearch = (): void => document.querySelector<HTMLElement>('main input[type="search"]')?.focus()

/** Where a page has a way to make something new, it leads to an address that ends so. */
const pressCreate = (): void => document.querySelector<HTMLElement>('main a[href$="/new"]')?.click()
