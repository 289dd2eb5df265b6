import { useRouter } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { preloadable } from '../../ui/preloadable.tsx'
import { whenIdle } from '../../ui/when-idle.ts'
import type { Shortcut } from './shortcut-of.ts'
import { useShortcuts } from './shortcuts.ts'

const { Component: Palette, preload } = preloadable(async () => (await import('./palette.tsx')).default)
const ShortcutList = lazy(() => import('./shortcut-list.tsx'))

/** The way to everything: the palette, by a button and by its keys; and the list of all keys. */
export function PaletteButton(): ReactNode {
  const { t } = useTexts()
  const router = useRouter()
  const [open, setOpen] = useState<'palette' | 'shortcuts'>()
  const shortcuts = useMemo<readonly Shortcut[]>(
    () => [
      { key: 'k', isWithCommand: true, label: t.palette.open, run: () => setOpen('palette') },
      { key: '?', label: t.palette.shortcuts, run: () => setOpen('shortcuts') },
      { key: '/', label: t.palette.toSearch, run: focusSearch },
      { key: 'n', label: t.lists.create, run: pressCreate },
      { key: 'g', label: t.shell.overview, run: () => void router.navigate({ to: '/' }) },
    ],
    [t, router],
  )
  useShortcuts(shortcuts)
  // It is there before it is opened, so that no key is lost that is typed right after.
  useEffect(() => whenIdle(() => void preload()), [])
  const close = (): void => setOpen(undefined)
  return (
    <>
      <Button variant="quiet" icon="search" onPress={() => setOpen('palette')}>
        {t.palette.button}
      </Button>
      <Suspense>
        {open === 'palette' && <Palette onClose={close} />}
        {open === 'shortcuts' && <ShortcutList shortcuts={shortcuts} onClose={close} />}
      </Suspense>
    </>
  )
}

const focusSearch = (): void => document.querySelector<HTMLElement>('main input[type="search"]')?.focus()

/** Where a page has a way to make something new, it leads to an address that ends so. */
const pressCreate = (): void => document.querySelector<HTMLElement>('main a[href$="/new"]')?.click()
