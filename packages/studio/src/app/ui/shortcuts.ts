/**
 * All shortcuts of the Studio, by scope. A shortcut has one or more presses, such as `Mod+Shift+Z`: `Mod` is Ctrl, or Cmd on a Mac; the
 * key is a value of `KeyboardEvent.key`.
 */
export const SHORTCUTS = {
  anywhere: { open: ['Mod+K'], shortcuts: ['?'], overview: ['G'], close: ['Escape'] },
  lists: {
    toSearch: ['/'],
    create: ['N'],
    moveRows: ['ArrowUp', 'ArrowDown'],
    moveEntry: ['Alt+ArrowUp', 'Alt+ArrowDown'],
    moveInTree: ['Alt+ArrowUp', 'Alt+ArrowDown', 'Alt+ArrowRight', 'Alt+ArrowLeft'],
    selectRange: ['Shift+Space'],
  },
  entries: {
    save: ['Mod+S'],
    undo: ['Mod+Z'],
    redo: ['Mod+Shift+Z', 'Mod+Y'],
    goToItem: ['ArrowUp', 'ArrowDown'],
    moveItem: ['Alt+ArrowUp', 'Alt+ArrowDown'],
  },
  texts: {
    bold: ['Mod+B'],
    italic: ['Mod+I'],
    code: ['Mod+E'],
    strikethrough: ['Mod+Shift+X'],
    link: ['Mod+Shift+K'],
    heading: ['Mod+Alt+2'],
    subheading: ['Mod+Alt+3'],
    numbers: ['Mod+Shift+7'],
    list: ['Mod+Shift+8'],
    quote: ['Mod+Shift+9'],
    find: ['Mod+F'],
    fullScreen: ['Mod+Shift+F'],
    toggleTask: ['Mod+Enter'],
    indent: ['Tab'],
    outdent: ['Shift+Tab'],
    insert: ['/'],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

export type ShortcutNames = { readonly [Where in keyof typeof SHORTCUTS]: keyof (typeof SHORTCUTS)[Where] }

/** The part of a `KeyboardEvent` that identifies a press. */
export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** True if a press includes Ctrl or Cmd. */
export const hasCommandKey = (press: string): boolean => press.startsWith('Mod+')

/** Returns the index of the press that an event matches, or -1. */
export const findPressIndex = (presses: readonly string[], event: KeyPress): number =>
  presses.findIndex((press) => isPress(press, event))

function isPress(press: string, { key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): boolean {
  const parts = press.split('+')
  const pressKey = parts.at(-1) ?? ''
  if (key.toLowerCase() !== pressKey.toLowerCase()) return false
  if ((ctrlKey || metaKey) !== parts.includes('Mod') || altKey !== parts.includes('Alt')) return false
  // Some keyboards need Shift for a character such as ?, and others do not.
  return press.length === 1 || shiftKey === parts.includes('Shift')
}

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

interface ShortcutContext {
  readonly isTyping: boolean
  readonly hasSingleKeys: boolean
  /** Called only when a shortcut matches, since it searches the whole page. */
  readonly isDialogOpen: () => boolean
}

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
