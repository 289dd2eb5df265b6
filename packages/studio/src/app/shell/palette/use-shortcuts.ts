import { useEffect } from 'react'
import { findShortcut, type Shortcut } from '../../ui/shortcuts.ts'

const STORAGE_KEY = 'daybook-studio:single-keys-off'

/** The setting for single-key shortcuts, which users of speech input switch off (WCAG 2.1.4). */
export const singleKeys = {
  isOn: (): boolean => localStorage.getItem(STORAGE_KEY) === null,
  set(isOn: boolean): void {
    if (isOn) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, 'true')
  },
}

const FIELDS =
  'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role="textbox"], [role="combobox"]'

/** True if the focused element takes text. @param path of the event, through shadow roots */
const isTyping = (path: readonly EventTarget[]): boolean =>
  path.some((target) => target instanceof Element && target.matches(FIELDS))

/** True if a dialog or menu is open, which handles keys itself. */
const isDialogOpen = (): boolean =>
  document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null

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
