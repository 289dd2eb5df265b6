/** Something that a key does, wherever the focus is outside of a field. */
export interface Shortcut {
  /** As `KeyboardEvent.key` says it. */
  readonly key: string
  /** Whether Ctrl (on a Mac: Cmd) belongs to it. Single keys can be switched off. */
  readonly isWithCommand?: boolean
  readonly label: string
  readonly run: () => void
}

/** What there is of a key press to know. */
export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
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
export function shortcutOf(event: KeyPress, shortcuts: readonly Shortcut[], state: KeyState): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing || event.altKey) return undefined
  const isWithCommand = event.ctrlKey || event.metaKey
  if (!isWithCommand && (state.isTyping || !state.hasSingleKeys)) return undefined
  const key = event.key.toLowerCase()
  const found = shortcuts.find((one) => one.key.toLowerCase() === key && (one.isWithCommand ?? false) === isWithCommand)
  return found && !state.isCovered() ? found : undefined
}
