import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import styles from './palette.module.css'

/** The keys of a shortcut. */
export function Press({ press }: { readonly press: string }): ReactNode {
  const { t } = useTexts()
  const names: Readonly<Record<string, string>> = { ...ARROWS, ...t.shortcuts.keys, ...(isMac() ? MAC : {}) }
  return (
    <span className={styles.keys}>
      {press.split('+').map((key) => (
        <kbd key={key} className={styles.key}>
          {names[key] ?? key}
        </kbd>
      ))}
    </span>
  )
}

const ARROWS = { ArrowUp: '↑', ArrowDown: '↓' } as const
const MAC = { Mod: '⌘', Alt: '⌥', Shift: '⇧' } as const

const isMac = (): boolean => /Mac|iP(?:hone|ad)/.test(navigator.platform)
