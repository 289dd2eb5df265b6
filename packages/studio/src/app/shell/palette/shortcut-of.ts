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

/** The shortcut that a key press means; `undefined`: none. */
export function shortcutOf(
  event: KeyPress,
  shortcuts: readonly Shortcut[],
  state: { readonly isTyping: boolean; readonly isCovered: boolean; readonly hasSingleKeys: boolean },
): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing || event.altKey) return undefined
  const isWithCommand = event.ctrlKey || event.metaKey
  if (!isWithCommand && (state.isTyping || !state.hasSingleKeys)) return undefined
  if (state.isCovered) return undefined
  const key = event.key.toLowerCase()
  return shortcuts.find((one) => one.key.toLowerCase() === key && (one.isWithCommand ?? false) === isWithCommand)
}
