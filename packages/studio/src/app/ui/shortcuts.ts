/**
 * Every shortcut of the Studio, by where it works: what listens to keys and the list of shortcuts are both made from this. A shortcut has one or
 * more presses, such as `Mod+Shift+Z`: `Mod` is Ctrl, on a Mac Cmd; the key is as `KeyboardEvent.key` says it.
 */
export const SHORTCUTS = {
  anywhere: { open: ['Mod+K'], shortcuts: ['?'], overview: ['G'], close: ['Escape'] },
  lists: { toSearch: ['/'], create: ['N'], moveRows: ['ArrowUp', 'ArrowDown'], selectRange: ['Shift+Space'] },
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
    link: ['Mod+Shift+K'],
    heading: ['Mod+Alt+2'],
    subheading: ['Mod+Alt+3'],
    numbers: ['Mod+Shift+7'],
    list: ['Mod+Shift+8'],
    quote: ['Mod+Shift+9'],
    insert: ['/'],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** The names of shortcuts, by where they work. */
export type ShortcutNames = { readonly [Where in keyof typeof SHORTCUTS]: keyof (typeof SHORTCUTS)[Where] }

/** What there is of a key press to know. */
export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** Whether a press has Ctrl or Cmd in it. */
export const hasCommandKey = (press: string): boolean => press.startsWith('Mod+')

/** Which of several presses a key press is, by its index; -1: none. */
export const findPressIndex = (presses: readonly string[], event: KeyPress): number =>
  presses.findIndex((press) => isPress(press, event))

function isPress(press: string, { key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): boolean {
  const parts = press.split('+')
  const own = parts.at(-1) ?? ''
  if (key.toLowerCase() !== own.toLowerCase()) return false
  if ((ctrlKey || metaKey) !== parts.includes('Mod') || altKey !== parts.includes('Alt')) return false
  // Some keyboards write a sign such as ? with Shift, and others without.
  return press.length === 1 || shiftKey === parts.includes('Shift')
}
