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

/** The shortcut that a key press means; `undefined`: none. */
export function shortcutOf(
  event: PagePress,
  shortcuts: readonly Shortcut[],
  state: { readonly isTyping: boolean; readonly isCovered: boolean; readonly hasSingleKeys: boolean },
): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing || state.isCovered) return undefined
  const hasSingle = state.hasSingleKeys && !state.isTyping
  return shortcuts.find(({ presses }) => {
    const press = presses[pressedAt(presses, event)]
    return press !== undefined && (hasSingle || isWithCommand(press))
  })
}
