import { findPressIndex, hasCommandKey, type KeyPress } from '../../ui/shortcuts.ts'

/** Something that keys do, wherever the focus is outside of a field. */
export interface Shortcut {
  /** As the table of shortcuts has them. Those without Ctrl or Cmd can be switched off. */
  readonly presses: readonly string[]
  readonly run: () => void
}

/** A key press, and what has become of it. */
interface ShortcutEvent extends KeyPress {
  readonly defaultPrevented: boolean
  readonly isComposing: boolean
}

/** What a key press meets. */
export interface ShortcutContext {
  readonly isTyping: boolean
  readonly hasSingleKeys: boolean
  /** Asked for keys that mean something alone: it takes a look at the whole page. */
  readonly isDialogOpen: () => boolean
}

/** The shortcut that a key press means; `undefined`: none. */
export function findShortcut(
  event: ShortcutEvent,
  shortcuts: readonly Shortcut[],
  state: ShortcutContext,
): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing) return undefined
  const hasSingle = state.hasSingleKeys && !state.isTyping
  const found = shortcuts.find(({ presses }) => {
    const press = presses[findPressIndex(presses, event)]
    return press !== undefined && (hasSingle || hasCommandKey(press))
  })
  return found && !state.isDialogOpen() ? found : undefined
}
