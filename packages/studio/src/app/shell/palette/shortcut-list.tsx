import { type ReactNode, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Switch } from '../../ui/controls/switch.tsx'
import { Sheet } from '../../ui/overlays/sheet.tsx'
import { SHORTCUTS } from '../../ui/shortcuts.ts'
import styles from './palette.module.css'
import { Press } from './press.tsx'
import { singleKeys } from './use-shortcuts.ts'

/** The list of shortcuts, with a switch for single keys. */
export default function ShortcutList({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { t } = useTexts()
  const [isOn, setIsOn] = useState(() => singleKeys.isOn())
  return (
    <Sheet title={t.palette.shortcuts} closeLabel={t.common.close} onClose={onClose}>
      {listGroups(t.shortcuts).map(({ title, rows }) => (
        <section key={title} className={styles.group}>
          <h3>{title}</h3>
          <dl className={styles.shortcuts}>
            {rows.map(([label, presses]) => (
              <div key={label} className={styles.row}>
                <dt>{label}</dt>
                <dd className={styles.presses}>
                  {presses.map((press) => (
                    <Press key={press} press={press} />
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
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

type Texts = ReturnType<typeof useTexts>['t']['shortcuts']

interface Group {
  readonly title: string
  readonly rows: readonly (readonly [label: string, presses: readonly string[]])[]
}

function listGroups({ titles, labels }: Texts): readonly Group[] {
  return (Object.keys(SHORTCUTS) as (keyof typeof SHORTCUTS)[]).map((where) => {
    const names: Readonly<Record<string, string>> = labels[where]
    return {
      title: titles[where],
      rows: Object.entries(SHORTCUTS[where]).map(([name, presses]) => [names[name] ?? name, presses]),
    }
  })
}
