import { isWithCommand, type KeyPress, pressedAt } from '../../ui/shortcuts.ts'

/** Something that keys do, wherever the focus is outside of a field. */
export interface Shortcut {
  /** As the table of shortcuts has them. Those without Ctrl or Cmd can be switched off. */
  readonly presses: readonly string[]
  readonly run: () => void
}

/** A key press, and what has become of it. */
export interface PagePress extends KeyPress {
  readonly defaultPrevented: boolean
  readonly isComposing: boolean
}

/** What a key press meets. */
export interface KeyState {
  readonly isTyping: boolean
  readonly hasSingleKeys: boolean
  /** Asked for keys that mean something alone: it takes a look at the whole page. */
  readonly isCovered: () => boolean
}

/** The shortcut that a key press means; `undefined`: none. */
export function shortcutOf(event: PagePress, shortcuts: readonly Shortcut[], state: KeyState): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing) return undefined
  const hasSingle = state.hasSingleKeys && !state.isTyping
  const found = shortcuts.find(({ presses }) => {
    const press = presses[pressedAt(presses, event)]
    return press !== undefined && (hasSingle || isWithCommand(press))
  })
  return found && !state.isCovered() ? found : undefined
}
