import { useEffect } from 'react'
import { findShortcut, type Shortcut } from './find-shortcut.ts'

const OFF = 'daybook-studio:single-keys-off'

/** Whether single keys do something: who types by voice switches them off (WCAG 2.1.4). */
export const singleKeys = {
  isOn: (): boolean => localStorage.getItem(OFF) === null,
  set(isOn: boolean): void {
    if (isOn) localStorage.removeItem(OFF)
    else localStorage.setItem(OFF, 'true')
  },
}

const FIELDS =
  'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role="textbox"], [role="combobox"]'

/** Whether what has the focus takes keys itself. @param path of the event, through shadow roots */
const isTyping = (path: readonly EventTarget[]): boolean =>
  path.some((one) => one instanceof Element && one.matches(FIELDS))

/** Whether a dialog is open: it has keys of its own. */
const isDialogOpen = (): boolean =>
  document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null

/** Listens to shortcuts for as long as the page is shown. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const state = {
        isTyping: isTyping(event.composedPath()),
        hasSingleKeys: singleKeys.isOn(),
        isDialogOpen,
      }
      const shortcut = findShortcut(event, shortcuts, state)
      if (!shortcut) return
      event.preventDefault()
      shortcut.run()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [shortcuts])
}
