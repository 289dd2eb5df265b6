import { findPressIndex, hasCommandKey, type KeyPress } from '../../ui/shortcuts.ts'

/** An action for key presses outside of text fields. */
export interface Shortcut {
  /** Presses from the table of shortcuts. Those without Ctrl or Cmd can be switched off. */
  readonly presses: readonly string[]
  readonly run: () => void
}

interface ShortcutEvent extends KeyPress {
  readonly defaultPrevented: boolean
  readonly isComposing: boolean
}

export interface ShortcutContext {
  readonly isTyping: boolean
  readonly hasSingleKeys: boolean
  /** Called only when a shortcut matches, since it searches the whole page. */
  readonly isDialogOpen: () => boolean
}

/** Finds the shortcut for a key press. */
export function findShortcut(
  event: ShortcutEvent,
  shortcuts: readonly Shortcut[],
  state: ShortcutContext,
): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing) return undefined
  const hasSingle = state.hasSingleKeys && !state.isTyping
  const shortcut = shortcuts.find(({ presses }) => {
    const press = presses[findPressIndex(presses, event)]
    return press !== undefined && (hasSingle || hasCommandKey(press))
  })
  return shortcut && !state.isDialogOpen() ? shortcut : undefined
}
