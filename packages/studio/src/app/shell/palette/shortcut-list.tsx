import { type ReactNode, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Switch } from '../../ui/controls/switch.tsx'
import { Sheet } from '../../ui/overlays/sheet.tsx'
import styles from './palette.module.css'
import type { Shortcut } from './shortcut-of.ts'
import { singleKeys } from './shortcuts.ts'

/** What a {@link ShortcutList} takes. */
export interface ShortcutListProps {
  readonly shortcuts: readonly Shortcut[]
  readonly onClose: () => void
}

/** The keys that do something, and a switch for those that are pressed alone. */
export default function ShortcutList({ shortcuts, onClose }: ShortcutListProps): ReactNode {
  const { t } = useTexts()
  const [isOn, setIsOn] = useState(() => singleKeys.isOn())
  const command = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? '⌘' : 'Ctrl'
  const others: readonly (readonly [keys: readonly string[], label: string])[] = [
    [['↑', '↓'], t.palette.moveRows],
    [['Shift'], t.palette.selectRange],
    [['Esc'], t.palette.close],
  ]
  const all = [
    ...shortcuts.map(
      ({ key, isWithCommand, label }) => [isWithCommand ? [command, key.toUpperCase()] : [key], label] as const,
    ),
    ...others,
  ]
  return (
    <Sheet title={t.palette.shortcuts} closeLabel={t.common.close} onClose={onClose}>
      <dl className={styles.shortcuts}>
        {all.map(([keys, label]) => (
          <div key={label} className={styles.row}>
            <dt>{label}</dt>
            <dd className={styles.keys}>
              {keys.map((key) => (
                <kbd key={key} className={styles.key}>
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Switch
        label={t.palette.singleKeys}
        description={t.palette.singleKeysText}
        value={isOn}
        onChange={(next) => {
          singleKeys.set(next)
          setIsOn(next)
        }}
      />
    </Sheet>
  )
}
